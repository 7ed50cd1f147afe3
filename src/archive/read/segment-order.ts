import type { StreamKey } from "../../base/index.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type { JoinedStretch, JoinedStretches } from "./joined-stretches.js";

/** Segments looked back through for the key frame of a GOP that is longer than a segment. */
const SEGMENTS_BACK_MAX = 16;

type Segment = SegmentSummary | OpenSegment;

/** A segment that is read, and which part of it. */
export interface SegmentPart {
  readonly segment: Segment;
  /** Reading begins with the last key frame at or before it; undefined: with the segment's first frame. */
  readonly startUs: number | undefined;
  /** Frames from here on are not read: another stream gives the recording. */
  readonly untilUs: number;
}

/** A segment that was read, where it is in recorded order now. */
export interface ReadSegment {
  readonly key: StreamKey;
  readonly segmentId: number;
  readonly epoch: number;
  readonly fromUs: number;
  /** Where reading it ended. */
  readonly endedUs: number;
}

/** Which segment a reader reads next. */
export interface SegmentOrder {
  /** The streams whose news may bring a next segment. */
  readonly keys: readonly StreamKey[];
  /** Where reading from `fromUs` on begins: with the last key frame at or before it, in a gap with the next frame. */
  first(fromUs: number): SegmentPart | undefined;
  /** Undefined at the live edge. */
  after(read: ReadSegment): SegmentPart | undefined;
  /** Whether another stream goes on where a segment that is being written has come to. */
  isLeft(segment: Segment): boolean;
}

/** The segments of one stream, in recorded order. */
export class StreamOrder implements SegmentOrder {
  readonly keys: readonly StreamKey[];
  readonly #index: Pick<SegmentIndex, "seek" | "following">;
  readonly #key: StreamKey;

  constructor(index: Pick<SegmentIndex, "seek" | "following">, key: StreamKey) {
    this.#index = index;
    this.#key = key;
    this.keys = [key];
  }

  first(fromUs: number): SegmentPart | undefined {
    const found = this.#index.seek(this.#key, fromUs);
    const before = (segment: Segment) => this.#index.seek(this.#key, segment.fromUs - 1);
    return part(segmentWithKey(found, fromUs, before), fromUs);
  }

  after(read: ReadSegment): SegmentPart | undefined {
    return part(this.#index.following(this.#key, read), undefined);
  }

  isLeft(): boolean {
    return false;
  }
}

/** The segments of a channel's streams as one recording. */
export class JoinedOrder implements SegmentOrder {
  readonly keys: readonly StreamKey[];
  readonly #index: Pick<SegmentIndex, "following" | "last">;
  readonly #stretches: JoinedStretches;

  constructor(index: Pick<SegmentIndex, "following" | "last">, stretches: JoinedStretches) {
    this.#index = index;
    this.#stretches = stretches;
    this.keys = stretches.keys;
  }

  first(fromUs: number): SegmentPart | undefined {
    const stretch = this.#stretches.startingAt(fromUs);
    return stretch === undefined ? undefined : this.#enter(stretch, Math.max(fromUs, stretch.fromUs));
  }

  after(read: ReadSegment): SegmentPart | undefined {
    const { epoch, endedUs, key } = read;
    const stretch = this.#stretches.from({ epoch, timeUs: endedUs });
    if (stretch === undefined) return undefined;
    const goesOn = isSameStream(stretch.key, key) && stretch.fromUs <= endedUs;
    if (!goesOn || stretch.epoch !== epoch) return this.#enter(stretch, stretch.fromUs);
    return part(this.#index.following(key, read), undefined, untilUs(stretch));
  }

  isLeft({ key, epoch, toUs }: Segment): boolean {
    const stretch = this.#stretches.from({ epoch, timeUs: toUs });
    return stretch !== undefined && !isSameStream(stretch.key, key);
  }

  #enter(stretch: JoinedStretch, startUs: number): SegmentPart | undefined {
    const { key, epoch } = stretch;
    const found = this.#index.last(key, { epoch, fromUs: startUs });
    const before = (segment: Segment) => this.#index.last(key, { epoch, fromUs: segment.fromUs - 1 });
    return part(segmentWithKey(found, startUs, before), startUs, untilUs(stretch));
  }
}

function isSameStream(a: StreamKey, b: StreamKey): boolean {
  return a.streamType === b.streamType && a.channelId === b.channelId;
}

function part(
  segment: Segment | undefined,
  startUs: number | undefined,
  until = Number.POSITIVE_INFINITY,
): SegmentPart | undefined {
  return segment === undefined ? undefined : { segment, startUs, untilUs: until };
}

/** One that is not cut ends with its last segment, which may be growing. */
function untilUs({ isCut, toUs }: JoinedStretch): number {
  return isCut ? toUs : Number.POSITIVE_INFINITY;
}

/** The segment with the last key frame at or before a moment: `found`, or an earlier one if a GOP spans segments. */
function segmentWithKey(
  found: Segment | undefined,
  timeUs: number,
  beforeOf: (segment: Segment) => Segment | undefined,
): Segment | undefined {
  let segment = found;
  for (let back = 0; segment !== undefined && back < SEGMENTS_BACK_MAX; back++) {
    const first = segment.gops[0];
    const spans = segment.fragmentSequence > 0 && (first === undefined || first.decodeTimeUs > timeUs);
    if (!spans) return segment;
    const before = beforeOf(segment);
    if (before?.fragmentId !== segment.fragmentId || before.segmentId === segment.segmentId) return segment;
    segment = before;
  }
  return found;
}
