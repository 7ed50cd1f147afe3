import { type Clock, type ClockTimer, NvrdError } from "../base/index.js";
import type { Frame, RecordedFrame } from "./frame.js";
import type { FrameReader } from "./frame-reader.js";

/** Longest wait for frames that are read back. */
export const READ_BACK_MS_MAX = 2000;

export interface FrameReadingOptions {
  readonly reader: FrameReader;
  readonly clock: Clock;
  readonly frames: readonly RecordedFrame[];
  /** Called once with as many frames, whose leases it takes over. */
  readonly onRead: (frames: readonly Frame[]) => void;
  /** Called instead, once: the disk failed, or took too long. */
  readonly onFailure: (error: unknown) => void;
}

/** Frames that are being read back, within a time limit. */
export class FrameReading {
  readonly #options: FrameReadingOptions;
  readonly #gone = new AbortController();
  readonly #timer: ClockTimer;
  #isOver = false;

  constructor(options: FrameReadingOptions) {
    this.#options = options;
    const { reader, clock, frames } = options;
    this.#timer = clock.setTimeout(() => {
      const seconds = READ_BACK_MS_MAX / 1000;
      this.#fail(new NvrdError("NOT_AVAILABLE", `the disk did not give them within ${seconds} s`));
    }, READ_BACK_MS_MAX);
    reader.read(frames, this.#gone.signal).then(
      (read) => this.#end(read),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Neither function is called any more. Calling it twice is harmless. */
  giveUp(): void {
    this.#isOver = true;
    this.#timer.clear();
    this.#gone.abort();
  }

  #end(read: readonly Frame[]): void {
    const { frames } = this.#options;
    if (this.#isOver || read.length !== frames.length) {
      for (const frame of read) frame.release();
      this.#fail(new Error(`${read.length} frames were read back, not ${frames.length}`));
      return;
    }
    this.#isOver = true;
    this.#timer.clear();
    this.#options.onRead(read);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.giveUp();
    this.#options.onFailure(error);
  }
}
