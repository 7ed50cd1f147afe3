import { US_PER_MS } from "../../base/index.js";
import type { Frame } from "../../live/index.js";

/**
 * Most bytes of frames leased for a slow viewer. The GOP it began with (GOP_BYTES_MAX, which the stream holds as well)
 * does not count.
 */
export const VIEWER_QUEUE_BYTES_MAX = 4 * 1024 * 1024;
/** A viewer that is further behind loses frames up to the next key frame. */
export const VIEWER_BEHIND_MS_MAX = 5000;

interface Waiting {
  readonly frame: Frame;
  readonly sinceUs: number;
  readonly countedBytes: number;
}

/** Leased frames that wait for a viewer. */
export class FrameBacklog {
  readonly #waiting: Waiting[] = [];
  #bytes = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** Whether another frame would exceed the limits of a slow viewer, or memory is short. */
  isFull(frame: Frame, nowUs: number): boolean {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return false;
    if (frame.isMemoryShort || this.#bytes + frame.byteLength > VIEWER_QUEUE_BYTES_MAX) return true;
    return nowUs - oldest.sinceUs > VIEWER_BEHIND_MS_MAX * US_PER_MS;
  }

  /** Takes a lease. `counts`: toward VIEWER_QUEUE_BYTES_MAX. */
  push(frame: Frame, { sinceUs, counts }: { readonly sinceUs: number; readonly counts: boolean }): void {
    frame.retain();
    const countedBytes = counts ? frame.byteLength : 0;
    this.#waiting.push({ frame, sinceUs, countedBytes });
    this.#bytes += countedBytes;
  }

  get first(): Frame | undefined {
    return this.#waiting[0]?.frame;
  }

  /** Removes the first frame; its lease passes to the caller. */
  shift(): void {
    const waiting = this.#waiting.shift();
    this.#bytes -= waiting?.countedBytes ?? 0;
  }

  /** Releases all frames; returns their number. */
  clear(): number {
    const count = this.#waiting.length;
    for (const { frame } of this.#waiting) frame.release();
    this.#waiting.length = 0;
    this.#bytes = 0;
    return count;
  }
}
