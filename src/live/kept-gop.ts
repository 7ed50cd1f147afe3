import { type Clock, errorText } from "../base/index.js";
import type { Frame, RecordedFrame } from "./frame.js";
import type { FrameReader } from "./frame-reader.js";
import { FrameReading } from "./frame-reading.js";
import { ReleasedFrames } from "./released-frames.js";

/**
 * Most bytes of the current GOP kept for new viewers; a longer GOP is dropped, as is any while memory for frames is
 * short, and a new viewer then waits for the next key frame.
 */
export const GOP_BYTES_MAX = 16 * 1024 * 1024;
/** Most frames of it: a camera may send millions of empty ones, and numbers of each are kept. */
export const GOP_FRAMES_MAX = 32_768;

/** Where frames of a kept GOP come from that were released from memory. */
export interface GopStore {
  readonly reader: FrameReader;
  readonly clock: Clock;
}

/** What is known of a kept frame, whether its bytes are in memory or on a disk. */
export type KeptFrame = Omit<RecordedFrame, "recording" | "recordPosition">;

/** Gets the frames of the GOP, in order, leased during the call; none when it has ended or cannot be read. */
export type GopTaker = (frames: readonly Frame[]) => void;

/**
 * The current GOP of one stream, for viewers to come; of a camera without clean key frames, from the entry before the newest one on, as only
 * then the newest picture is whole (docs/design/frames.md, "Entries"). With a store, pictures that are recorded may be released from memory, the oldest
 * first, and are read back for who takes the GOP.
 */
export class KeptGop {
  readonly #store: GopStore | undefined;
  readonly #onUnread: (reason: string) => void;
  /** The first frames, whose pictures are on a disk alone. */
  readonly #released = new ReleasedFrames();
  /** The frames behind them. */
  #frames: Frame[] = [];
  #bytes = 0;
  /** Frames before the newest entry, where that is not the first frame. */
  #beforeEntry = 0;
  /** Counts the GOPs, so that who comes back knows whether it is still the same. */
  #gop = 0;
  #reading: FrameReading | undefined;
  /** Who waits for the reading. */
  #takers: GopTaker[] = [];

  /** `onUnread` gets the reason why pictures could not be read back. */
  constructor(store: GopStore | undefined, onUnread: (reason: string) => void) {
    this.#store = store;
    this.#onUnread = onUnread;
  }

  /** Frames from the newest whole key frame, or the entry before the newest, on, oldest first; empty while none is kept, or frames are undecodable. */
  get frames(): readonly KeptFrame[] {
    return this.#released.length === 0 ? this.#frames : [...this.#released.all(), ...this.#frames];
  }

  /** Takes a frame in; a clean key frame begins a new GOP. Who waits for the one before gets nothing of it. */
  keep(frame: Frame): void {
    if (!frame.isAudio && frame.key) this.#begin(frame);
    else if (this.#length() === 0) return;
    if (this.#isTooMuch(frame)) this.#forgetBeforeEntry();
    if (frame.undecodable || this.#isTooMuch(frame)) {
      this.drop();
      return;
    }
    frame.retain();
    this.#frames.push(frame);
    this.#bytes += frame.byteLength;
  }

  /** A key frame begins a GOP; behind another one, an entry goes on with it. */
  #begin(key: Frame): void {
    const first = this.#released.key() ?? this.#frames[0];
    if (!key.damaged || first?.damaged !== true || this.#reading !== undefined) {
      this.drop();
      return;
    }
    this.#forgetBeforeEntry();
    this.#beforeEntry = this.#length();
  }

  #forgetBeforeEntry(): void {
    const count = this.#beforeEntry;
    if (count === 0 || this.#reading !== undefined) return;
    const released = Math.min(count, this.#released.length);
    this.#bytes -= this.#released.removeFirst(released);
    for (const frame of this.#frames.slice(0, count - released)) {
      this.#bytes -= frame.byteLength;
      frame.release();
    }
    removeFirst(this.#frames, count - released);
    this.#beforeEntry = 0;
    this.#gop += 1;
  }

  /** Lets go what is recorded, up to the first picture that is not. */
  releaseRecorded(): void {
    if (this.#store === undefined || this.#reading !== undefined) return;
    const frames = this.#frames;
    let passed = 0;
    for (; passed < frames.length; passed++) {
      const frame = frames[passed];
      if (frame === undefined) break;
      if (frame.isAudio) this.#released.addSound(frame);
      else if (frame.isRecorded) {
        this.#released.addPicture(frame);
        frame.release();
      } else break;
    }
    if (passed > 0) removeFirst(frames, passed);
  }

  /** Calls `taker` once: within this call, if all is in memory. */
  take(taker: GopTaker): void {
    if (this.#store === undefined || this.#released.length === 0) {
      taker(this.#frames);
      return;
    }
    this.#takers.push(taker);
    this.#reading ??= this.#read(this.#store);
  }

  /** Calls `taker` once, with the key frame alone; leased during the call. Undefined where `take` gives none. */
  takeKeyFrame(taker: (frame: Frame | undefined) => void): void {
    const key = this.#released.key();
    if (key === undefined || this.#store === undefined) {
      taker(this.#frames[0]);
      return;
    }
    const gop = this.#gop;
    const onRead = (frames: readonly Frame[]): void => {
      taker(frames[0]);
      for (const frame of frames) frame.release();
    };
    const onFailure = (error: unknown): void => {
      this.#onUnread(errorText(error));
      if (this.#gop === gop) this.drop();
      taker(undefined);
    };
    new FrameReading({ ...this.#store, frames: [key], onRead, onFailure });
  }

  /** Keeps nothing, until the next key frame. */
  drop(): void {
    this.#released.drop();
    releaseAll(this.#frames);
    this.#bytes = 0;
    this.#beforeEntry = 0;
    this.#gop += 1;
    if (this.#reading === undefined) return;
    this.#reading.giveUp();
    this.#endReading([]);
  }

  #length(): number {
    return this.#released.length + this.#frames.length;
  }

  #isTooMuch(frame: Frame): boolean {
    return (
      this.#bytes + frame.byteLength > GOP_BYTES_MAX ||
      this.#length() >= GOP_FRAMES_MAX ||
      frame.isMemoryShort
    );
  }

  #read(store: GopStore): FrameReading {
    const onRead = (read: readonly Frame[]): void => {
      this.#frames = [...this.#released.takeBack(read), ...this.#frames];
      this.#endReading(this.#frames);
    };
    const onFailure = (error: unknown): void => {
      this.#onUnread(errorText(error));
      this.drop();
    };
    return new FrameReading({ ...store, frames: this.#released.pictures(), onRead, onFailure });
  }

  #endReading(frames: readonly Frame[]): void {
    const takers = this.#takers;
    this.#takers = [];
    this.#reading = undefined;
    for (const taker of takers) taker(frames);
  }
}

/**
 * One by one, so that the array's memory names none of them any more: it is old by then, and what it names would become old with it,
 * dead or not.
 */
function releaseAll(frames: Frame[]): void {
  for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) frame.release();
}

function removeFirst(frames: Frame[], count: number): void {
  frames.copyWithin(0, count);
  frames.length -= count;
}
