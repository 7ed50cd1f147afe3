import type { OpenSegment, SeekOptions, SegmentIndex, SegmentSummary } from "../../archive/index.js";
import { type Interval, type StreamKey, US_PER_DAY } from "../../base/index.js";
import { dayBeginUs, dayOf } from "./sent-segment.js";

export type IndexedSegments = Pick<SegmentIndex, "following">;

/** The segments of a stream that begin within a time, epoch by epoch; those that are being written too. `options`: as for the index. */
export function* segmentsIn(
  index: IndexedSegments,
  key: StreamKey,
  { fromUs, toUs }: Interval,
  options?: SeekOptions,
): Generator<SegmentSummary | OpenSegment> {
  for (let epoch = 0; ; ) {
    const first = index.following(key, justBefore(epoch, fromUs), options);
    if (first === undefined) return;
    if (first.epoch !== epoch) {
      epoch = first.epoch;
      continue;
    }
    let segment: SegmentSummary | OpenSegment | undefined = first;
    for (; segment?.epoch === epoch && segment.fromUs < toUs; ) {
      yield segment;
      segment = index.following(key, segment, options);
    }
    epoch += 1;
  }
}

/** The days (UTC) of a stream in which segments begin, from a time on; one lookup for each. */
export function recordedDays(index: IndexedSegments, key: StreamKey, sinceUs: number): ReadonlySet<string> {
  const days = new Set<string>();
  for (let epoch = 0, fromUs = sinceUs; ; ) {
    const next = index.following(key, justBefore(epoch, fromUs), { withGops: false });
    if (next === undefined) return days;
    if (next.epoch !== epoch) {
      epoch = next.epoch;
      fromUs = sinceUs;
      continue;
    }
    const day = dayOf(next.fromUs);
    days.add(day);
    fromUs = dayBeginUs(day) + US_PER_DAY;
  }
}

/** What follows it begins at that time or later: the index answers what begins after a position, never at it. */
function justBefore(epoch: number, fromUs: number): Parameters<IndexedSegments["following"]>[1] {
  return { segmentId: 0, epoch, fromUs: fromUs - 1 };
}
