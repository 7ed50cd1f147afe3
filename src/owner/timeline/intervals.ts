import { firstBehind, type Interval } from "../../base/index.js";

/** The interval that holds a moment. */
export function holding<T extends Interval>(intervals: readonly T[], timeUs: number): T | undefined {
  const found = intervals[firstBehind(intervals, timeUs)];
  return found !== undefined && found.fromUs <= timeUs ? found : undefined;
}

/** Adds the ends of intervals that lie within a time. */
export function addEndsWithin(cuts: number[], intervals: readonly Interval[], within: Interval): void {
  for (let at = firstBehind(intervals, within.fromUs); at < intervals.length; at++) {
    const interval = intervals[at];
    if (interval === undefined || interval.fromUs >= within.toUs) return;
    if (interval.fromUs > within.fromUs) cuts.push(interval.fromUs);
    if (interval.toUs < within.toUs) cuts.push(interval.toUs);
  }
}

/** Appends intervals behind others, cut to a time; one that touches the last continues it. */
export function joinInOrder(joined: Interval[], added: readonly Interval[], within: Interval): void {
  for (const interval of added) {
    const fromUs = Math.max(within.fromUs, interval.fromUs);
    const toUs = Math.min(within.toUs, interval.toUs);
    const last = joined.at(-1);
    if (toUs <= fromUs) continue;
    if (last !== undefined && last.toUs >= fromUs) joined[joined.length - 1] = { fromUs: last.fromUs, toUs };
    else joined.push({ fromUs, toUs });
  }
}
