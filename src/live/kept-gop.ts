import { type Clock, type ClockTimer, errorText, NvrdError } from "../base/index.js";
import type { Frame } from "./frame.js";
import { KeyFrameCopy } from "./key-frame-copy.js";
import type { FrameReader } from "./recorded-frames.js";
import type { SlabPool } from "./slab.js";

/**
 * Most bytes of the current GOP kept for new viewers; a longer GOP is dropped, as is any while memory for frames is
 * short, and a new viewer then waits for the next key frame.
 */
export const GOP_BYTES_MAX = 16 * 1024 * 1024;
/** Longest wait for frames that are read back; then a viewer begins with the next key frame. */
export const READ_BACK_MS_MAX = 2000;

/** Where frames of a kept GOP go that need not stay in memory. */
export interface GopStore {
  readonly reader: FrameReader;
  readonly pool: SlabPool;
  readonly clock: Clock;
}

/** What is known of a kept frame, whether its bytes are in memory or on a disk. */
export type KeptFrame = Omit<Frame, "ranges" | "retain" | "release" | "copyBytes" | "inRanges" | "recordAt">;

/** Gets the frames of the GOP, in order, leased during the call; none when it has ended or cannot be read. */
export type GopTaker = (frames: readonly Frame[]) => void;

interface Reading {
  readonly takers: GopTaker[];
  readonly gone: AbortController;
  readonly timer: ClockTimer;
}

/**
 * The current GOP of one stream, for viewers to come. With a store, pictures that are recorded may be let go from memory, the oldest
 * first, and are read back for who takes the GOP; of the key frame a copy stays.
 */
export class KeptGop {
  readonly #store: GopStore | undefined;
  readonly #keyCopy: KeyFrameCopy | undefined;
  readonly #onUnread: (reason: string) => void;
  #frames: Frame[] = [];
  #bytes = 0;
  /** So many of the first frames are let go, but for sound and the key frame. */
  #passed = 0;
  /** Pictures that are let go. */
  #letGo = 0;
  /** Only the key frame is left: what was let go could not be read back. */
  #isBroken = false;
  #reading: Reading | undefined;

  /** `onUnread` is told why pictures could not be read back. */
  constructor(store: GopStore | undefined, onUnread: (reason: string) => void) {
    this.#store = store;
    this.#keyCopy = store === undefined ? undefined : new KeyFrameCopy(store.pool);
    this.#onUnread = onUnread;
  }

  /** Frames from the newest whole key frame on, oldest first; empty while none is kept, or frames are undecodable. */
  get frames(): readonly KeptFrame[] {
    return this.#frames;
  }

  /** Its first frame, in memory; leased until the caller returns. */
  get keyFrame(): Frame | undefined {
    return this.#frames[0];
  }

  /** Begins anew with a key frame. Who waits for the GOP before gets nothing of it. */
  keep(frame: Frame): void {
    if (!frame.isAudio && frame.key) this.#drop();
    else if (this.#frames.length === 0 || this.#isBroken) return;
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
    if (this.#store === undefined || this.#reading !== undefined) return;
    while (this.#passed < this.#frames.length) {
      const frame = this.#frames[this.#passed];
      if (frame === undefined || !this.#pass(frame)) return;
      this.#passed += 1;
    }
  }

  /** Calls `taker` once: within this call, if all is in memory. */
  take(taker: GopTaker): void {
    if (this.#isBroken) taker([]);
    else if (this.#store === undefined || this.#letGo === 0) taker(this.#frames);
    else {
      this.#reading ??= this.#read(this.#store);
      this.#reading.takers.push(taker);
    }
  }

  /** Keeps nothing, until the next key frame. */
  drop(): void {
    this.#drop();
    this.#keyCopy?.release();
  }

  /** Whether the frame need not be kept, or is let go now. */
  #pass(frame: Frame): boolean {
    if (frame.isAudio) return true;
    if (this.#passed === 0 && this.#keyCopy?.isCopy(frame) === true) return true;
    if (!frame.isRecorded) return false;
    if (this.#passed === 0) {
      const copy = this.#keyCopy?.of(frame);
      if (copy === undefined) return false;
      this.#frames[0] = copy;
    } else this.#letGo += 1;
    frame.release();
    return true;
  }

  #isLetGo(frame: Frame, at: number): boolean {
    return at > 0 && at < this.#passed && !frame.isAudio;
  }

  #drop(): void {
    for (const [at, frame] of this.#frames.entries()) if (!this.#isLetGo(frame, at)) frame.release();
    this.#forget([]);
    const reading = this.#reading;
    if (reading === undefined) return;
    reading.gone.abort();
    this.#end(reading, []);
  }

  #forget(rest: Frame[]): void {
    this.#frames = rest;
    this.#bytes = 0;
    this.#passed = 0;
    this.#letGo = 0;
    this.#isBroken = false;
  }

  #read({ reader, clock }: GopStore): Reading {
    const reading: Reading = {
      takers: [],
      gone: new AbortController(),
      timer: clock.setTimeout(() => {
        const reason = `they were not there within ${READ_BACK_MS_MAX / 1000} s`;
        this.#fail(reading, new NvrdError("NOT_AVAILABLE", reason));
      }, READ_BACK_MS_MAX),
    };
    const wanted = this.#frames.filter((frame, at) => this.#isLetGo(frame, at));
    reader.read(wanted, reading.gone.signal).then(
      (frames) => this.#take(reading, frames),
      (error: unknown) => this.#fail(reading, error),
    );
    return reading;
  }

  /** The frames take their places again. */
  #take(reading: Reading, read: readonly Frame[]): void {
    if (this.#reading !== reading || read.length !== this.#letGo) {
      for (const frame of read) frame.release();
      this.#fail(reading, new Error(`${read.length} frames were read back, not ${this.#letGo}`));
      return;
    }
    const left = read.values();
    this.#frames = this.#frames.map((frame, at) =>
      this.#isLetGo(frame, at) ? (left.next().value ?? frame) : frame,
    );
    this.#passed = 0;
    this.#letGo = 0;
    this.#end(reading, this.#frames);
  }

  #fail(reading: Reading, error: unknown): void {
    if (this.#reading !== reading) return;
    reading.gone.abort();
    this.#onUnread(errorText(error));
    for (const [at, frame] of this.#frames.entries())
      if (at > 0 && !this.#isLetGo(frame, at)) frame.release();
    this.#forget(this.#frames.slice(0, 1));
    this.#isBroken = true;
    this.#end(reading, []);
  }

  #end(reading: Reading, frames: readonly Frame[]): void {
    this.#reading = undefined;
    reading.timer.clear();
    for (const taker of reading.takers) taker(frames);
  }
}
