/** A time, Unix microseconds, `toUs` not included. */
export interface Interval {
  readonly fromUs: number;
  readonly toUs: number;
}

/** In order, those that overlap or touch made one. */
export function union(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const { fromUs, toUs } of [...intervals].sort((one, other) => one.fromUs - other.fromUs)) {
    const last = joined.at(-1);
    if (last === undefined || last.toUs < fromUs) joined.push({ fromUs, toUs });
    else if (toUs > last.toUs) joined[joined.length - 1] = { fromUs: last.fromUs, toUs };
  }
  return joined;
}

/** Place of the first interval that ends behind a moment. The intervals are in order and do not overlap. */
export function firstBehind(intervals: readonly Interval[], timeUs: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.toUs ?? 0) > timeUs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The parts of an interval that lie outside of others, which are in order and do not overlap. */
export function outside({ fromUs, toUs }: Interval, others: readonly Interval[]): Interval[] {
  const parts: Interval[] = [];
  let startUs = fromUs;
  for (let at = firstBehind(others, fromUs); at < others.length; at++) {
    const other = others[at];
    if (other === undefined || other.fromUs >= toUs) break;
    if (other.fromUs > startUs) parts.push({ fromUs: startUs, toUs: other.fromUs });
    startUs = Math.max(startUs, other.toUs);
  }
  if (startUs < toUs) parts.push({ fromUs: startUs, toUs });
  return parts;
}

export function overlaps(one: Interval, other: Interval): boolean {
  return one.fromUs < other.toUs && other.fromUs < one.toUs;
}
