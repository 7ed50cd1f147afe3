import type { Frame } from "../live/index.js";

/** Recorded frames are no further apart, if the camera sends them: a longer step would look like a gap. */
const INTERVAL_US_MAX = 5_000_000;
/** A frame that is early by at most this share of the interval is on time: cameras' clocks are not exact. */
const EARLY_SHARE_MAX = 0.1;

/** A limited recording keeps only independent frames, at most so many a second on average. */
export interface FrameRateLimit {
  /** 0: every independent frame. */
  readonly framesPerSecond: number;
}

/**
 * Chooses the video frames that a channel's recording keeps (LimitRecordFpsAndOnlyIndepFramesEnabled,
 * LimitedRecordFps). Without a limit all; with one, only key frames, selected by their decode times.
 */
export class FrameRateLimiter {
  #intervalUs: number | undefined;
  #dueUs = Number.NEGATIVE_INFINITY;
  #lastUs = Number.NEGATIVE_INFINITY;
  /** After the limit is lifted, what refers to frames that were left out cannot be decoded. */
  #needsKey = false;

  /** Takes a limit, or none, from the next frame on. */
  set(limit: FrameRateLimit | undefined): void {
    if (limit === undefined) {
      if (this.#intervalUs !== undefined) this.#needsKey = true;
      this.#intervalUs = undefined;
      return;
    }
    const { framesPerSecond } = limit;
    this.#intervalUs = framesPerSecond === 0 ? 0 : Math.min(1_000_000 / framesPerSecond, INTERVAL_US_MAX);
    this.#dueUs = Math.min(this.#dueUs, this.#lastUs + this.#intervalUs);
  }

  /** Whether a video frame is to be recorded. */
  takes(frame: Frame): boolean {
    if (this.#intervalUs === undefined) {
      if (this.#needsKey && !frame.key) return false;
      this.#needsKey = false;
      return true;
    }
    return frame.key && this.#isDue(frame.decodeTimeUs, this.#intervalUs);
  }

  #isDue(timeUs: number, intervalUs: number): boolean {
    const steppedBack = timeUs < this.#lastUs;
    if (!steppedBack && timeUs < this.#dueUs - intervalUs * EARLY_SHARE_MAX) return false;
    const nextUs = this.#dueUs + intervalUs;
    this.#dueUs = steppedBack || nextUs <= timeUs ? timeUs + intervalUs : nextUs;
    this.#lastUs = timeUs;
    return true;
  }
}
