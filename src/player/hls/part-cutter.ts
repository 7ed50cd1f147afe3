import { FIRST_SEGMENT_US_MIN, PART_SHARE_MIN, SEGMENT_US_MAX, SEGMENT_US_MIN } from "./limits.js";

/** One picture, with what decides its place. Times are microseconds of media time. */
export interface CutFrame {
  readonly startUs: number;
  /** Start of the next picture. */
  readonly endUs: number;
  /** The next picture is a key frame. */
  readonly nextIsKey: boolean;
}

/** What ends before a picture, and what ends after it. */
export interface Cut {
  readonly before: "nothing" | "segment";
  readonly after: "nothing" | "part" | "segment";
}

/**
 * Decides where parts and segments end (rfc8216bis): no segment is longer than SEGMENT_US_MAX, no part longer than its
 * target, and only the last one of a segment shorter than 85 % of it. Segments begin with key frames if those are not
 * too far apart.
 */
export class PartCutter {
  #partTargetUs: number | undefined;
  #partStartUs: number | undefined;
  #segmentStartUs: number | undefined;
  #isFirstSegment: boolean;

  /** `partTargetUs`: undefined for segments without parts. */
  constructor(partTargetUs: number | undefined) {
    this.#partTargetUs = partTargetUs;
    this.#isFirstSegment = partTargetUs !== undefined;
  }

  /** Undefined if there are no parts, or no longer because a picture was longer than a part may be. */
  get partTargetUs(): number | undefined {
    return this.#partTargetUs;
  }

  /** Decides for the stream's next picture, which must not last longer than SEGMENT_US_MAX. */
  place(frame: CutFrame): Cut {
    const before = this.#isTooLong(frame) ? "segment" : "nothing";
    if (before === "segment") this.endSegment();
    const segmentStartUs = this.#segmentStartUs ?? frame.startUs;
    const partStartUs = this.#partStartUs ?? frame.startUs;
    this.#segmentStartUs = segmentStartUs;
    this.#partStartUs = partStartUs;
    if (this.#partTargetUs !== undefined && frame.endUs - frame.startUs > this.#partTargetUs)
      this.#partTargetUs = undefined;
    const after = this.#after(frame, { segmentStartUs, partStartUs });
    if (after === "segment") this.endSegment();
    else if (after === "part") this.#partStartUs = undefined;
    return { before, after };
  }

  /** The next picture begins a segment. */
  endSegment(): void {
    if (this.#segmentStartUs !== undefined) this.#isFirstSegment = false;
    this.#segmentStartUs = undefined;
    this.#partStartUs = undefined;
  }

  /** Whether the part or segment would become too long with this picture. */
  #isTooLong({ startUs, endUs }: CutFrame): boolean {
    if (this.#segmentStartUs === undefined) return false;
    if (endUs - this.#segmentStartUs > SEGMENT_US_MAX) return true;
    if (this.#partTargetUs === undefined || this.#partStartUs === undefined) return false;
    // A picture that alone is too long does not count: then there will be no parts.
    return endUs - this.#partStartUs > this.#partTargetUs && endUs - startUs <= this.#partTargetUs;
  }

  #after(frame: CutFrame, at: { segmentStartUs: number; partStartUs: number }): Cut["after"] {
    const segmentUs = frame.endUs - at.segmentStartUs;
    const leastUs = this.#isFirstSegment ? FIRST_SEGMENT_US_MIN : SEGMENT_US_MIN;
    if (frame.nextIsKey && segmentUs >= leastUs) return "segment";
    const targetUs = this.#partTargetUs;
    if (targetUs === undefined) {
      // Another picture of this duration would not fit.
      return segmentUs + frame.endUs - frame.startUs > SEGMENT_US_MAX ? "segment" : "nothing";
    }
    if (frame.endUs - at.partStartUs < targetUs * PART_SHARE_MIN) return "nothing";
    // Players that do not support parts cannot begin before the first segment.
    if (this.#isFirstSegment && segmentUs >= FIRST_SEGMENT_US_MIN) return "segment";
    return segmentUs + targetUs > SEGMENT_US_MAX ? "segment" : "part";
  }
}
