import type { Guid } from "../../base/index.js";

/** A time, Unix microseconds. */
export interface Interval {
  readonly fromUs: number;
  readonly toUs: number;
}

/** A time without recordings of a channel that its camera may have kept. */
export interface Gap extends Interval {
  readonly channelId: Guid;
}

/** The parts of an interval outside of others, in order. */
export function outside(within: Interval, others: readonly Interval[]): Interval[] {
  const sorted = [...others].sort((one, other) => one.fromUs - other.fromUs);
  const left: Interval[] = [];
  let fromUs = within.fromUs;
  for (const other of sorted) {
    if (other.toUs <= fromUs) continue;
    if (other.fromUs >= within.toUs) break;
    if (other.fromUs > fromUs) left.push({ fromUs, toUs: other.fromUs });
    fromUs = Math.max(fromUs, other.toUs);
  }
  if (fromUs < within.toUs) left.push({ fromUs, toUs: within.toUs });
  return left;
}

export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
}

export function overlaps(one: Interval, other: Interval): boolean {
  return one.fromUs < other.toUs && other.fromUs < one.toUs;
}
