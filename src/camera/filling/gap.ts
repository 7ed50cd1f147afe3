import { type Guid, type Interval, outside, union } from "../../base/index.js";

/** A time without recordings of a channel that its camera may have kept. */
export interface Gap extends Interval {
  readonly channelId: Guid;
}

/** The parts of an interval outside of others, which may overlap and have any order. */
export function outsideAll(within: Interval, others: readonly Interval[]): Interval[] {
  return outside(within, union(others));
}

export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
}
