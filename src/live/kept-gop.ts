import { type Clock, errorText } from "../base/index.js";
import type { Frame } from "./frame.js";
import type { FrameReader } from "./frame-reader.js";
import { FrameReading } from "./frame-reading.js";

/**
 * Most bytes of the current GOP kept for new viewers; a longer GOP is dropped, as is any while memory for frames is
 * short, and a new viewer then waits for the next key frame.
 */
export const GOP_BYTES_MAX = 16 * 1024 * 1024;
/** What is recorded is looked for each time that so much has come: to look touches memory that nobody else needs by then. */
export const LET_GO_BYTES = 64 * 1024;

/** Where frames of a kept GOP come from that were let go from memory. */
export interface GopStore {
  readonly reader: FrameReader;
  readonly clock: Clock;
}

/** What is known of a kept frame, whether its bytes are in memory or on a disk. */
export type KeptFrame = Omit<Frame, "ranges" | "retain" | "release" | "copyBytes" | "inRanges" | "recordAt">;

/** Gets the frames of the GOP, in order, leased during the call; none when it has ended or cannot be read. */
export type GopTaker = (frames: readonly Frame[]) => void;

/**
 * The current GOP of one stream, for viewers to come. With a store, pictures that are recorded may be let go from memory, the oldest
 * first, and are read back for who takes the GOP.
 */
export class KeptGop {
  readonly #store: GopStore | undefined;
  readonly #onUnread: (reason: string) => void;
  #frames: Frame[] = [];
  #bytes = 0;
  /** Bytes when what is recorded is looked for next. */
  #lookAtBytes = 0;
  /** The pictures among so many of the first frames are let go. */
  #passed = 0;
  /** The sound among them, which is not let go: it is short, and in memory of its own. */
  #passedSound: Frame[] = [];
  #reading: FrameReading | undefined;
  /** Who waits for the reading. */
  #takers: GopTaker[] = [];

  /** `onUnread` is told why pictures could not be read back. */
  constructor(store: GopStore | undefined, onUnread: (reason: string) => void) {
    this.#store = store;
    this.#onUnread = onUnread;
  }

  /** Frames from the newest whole key frame on, oldest first; empty while none is kept, or frames are undecodable. */
  get frames(): readonly KeptFrame[] {
    return this.#frames;
  }

  /** Takes a frame in; a key frame begins a new GOP. Who waits for the one before gets nothing of it. */
  keep(frame: Frame): void {
    if (!frame.isAudio && frame.key) this.drop();
    else if (this.#frames.length === 0) return;
    const isTooMuch = this.#bytes + frame.byteLength > GOP_BYTES_MAX || frame.isMemoryShort;
    if (frame.undecodable || isTooMuch) {
      this.drop();
      return;
    }
    frame.retain();
    this.#frames.push(frame);
    this.#bytes += frame.byteLength;
  }

  /** Lets go what is recorded, up to the first picture that is not. */
  letGo(): void {
    if (this.#bytes < this.#lookAtBytes || this.#store === undefined || this.#reading !== undefined) return;
    this.#lookAtBytes = this.#bytes + LET_GO_BYTES;
    for (; this.#passed < this.#frames.length; this.#passed++) {
      const frame = this.#frames[this.#passed];
      if (frame === undefined) return;
      if (frame.isAudio) this.#passedSound.push(frame);
      else if (frame.isRecorded) frame.release();
      else return;
    }
  }

  /** Calls `taker` once: within this call, if all is in memory. */
  take(taker: GopTaker): void {
    if (this.#store === undefined || this.#passed === this.#passedSound.length) {
      taker(this.#frames);
      return;
    }
    this.#takers.push(taker);
    this.#reading ??= this.#read(this.#store);
  }

  /** Calls `taker` once, with the key frame alone; leased during the call. Undefined where `take` gives none. */
  takeKeyFrame(taker: (frame: Frame | undefined) => void): void {
    const [key] = this.#frames;
    if (key === undefined || this.#store === undefined || this.#passed === 0) {
      taker(key);
      return;
    }
    const onRead = (frames: readonly Frame[]): void => {
      taker(frames[0]);
      for (const frame of frames) frame.release();
    };
    const onFailure = (error: unknown): void => {
      this.#onUnread(errorText(error));
      if (this.#frames[0] === key) this.drop();
      taker(undefined);
    };
    new FrameReading({ ...this.#store, frames: [key], onRead, onFailure });
  }

  /** Keeps nothing, until the next key frame. */
  drop(): void {
    for (let at = this.#passed; at < this.#frames.length; at++) this.#frames[at]?.release();
    for (const frame of this.#passedSound) frame.release();
    this.#frames = [];
    this.#bytes = 0;
    this.#lookAtBytes = 0;
    this.#takeBack();
    if (this.#reading === undefined) return;
    this.#reading.giveUp();
    this.#endReading([]);
  }

  /** All frames are in memory again, or gone. */
  #takeBack(): void {
    this.#passed = 0;
    if (this.#passedSound.length > 0) this.#passedSound = [];
  }

  #read(store: GopStore): FrameReading {
    const frames = this.#frames.filter((frame, at) => this.#isLetGo(frame, at));
    const onRead = (read: readonly Frame[]): void => {
      const left = read.values();
      this.#frames = this.#frames.map((frame, at) =>
        this.#isLetGo(frame, at) ? (left.next().value ?? frame) : frame,
      );
      this.#takeBack();
      this.#endReading(this.#frames);
    };
    const onFailure = (error: unknown): void => {
      this.#onUnread(errorText(error));
      this.drop();
    };
    return new FrameReading({ ...store, frames, onRead, onFailure });
  }

  #isLetGo(frame: Frame, at: number): boolean {
    return at < this.#passed && !frame.isAudio;
  }

  #endReading(frames: readonly Frame[]): void {
    const takers = this.#takers;
    this.#takers = [];
    this.#reading = undefined;
    for (const taker of takers) taker(frames);
  }
}
