import { firstBehind, type Interval, union } from "../../base/index.js";

/** In order, those that touch joined; without empty ones. */
export function joined(spans: readonly Interval[]): readonly Interval[] {
  return union(spans.filter(({ fromUs, toUs }) => toUs > fromUs));
}

/** Whether any of `spans`, as `joined` has them, overlaps; an empty span overlaps nothing. */
export function overlapsAny(spans: readonly Interval[], { fromUs, toUs }: Interval): boolean {
  const found = spans[firstBehind(spans, fromUs)];
  return toUs > fromUs && found !== undefined && found.fromUs < toUs;
}
