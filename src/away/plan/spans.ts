/** Spans of time, Unix microseconds, the end exclusive. */
export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

/** In order, those that touch joined. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const sorted = [...spans].filter(({ fromUs, toUs }) => toUs > fromUs).sort((a, b) => a.fromUs - b.fromUs);
  const all: { fromUs: number; toUs: number }[] = [];
  for (const { fromUs, toUs } of sorted) {
    const last = all.at(-1);
    if (last !== undefined && fromUs <= last.toUs) last.toUs = Math.max(last.toUs, toUs);
    else all.push({ fromUs, toUs });
  }
  return all;
}

/** Whether any of `spans`, as `joined` has them, overlaps; an empty span overlaps nothing. */
export function overlapsAny(spans: readonly Span[], { fromUs, toUs }: Span): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.toUs ?? 0) > fromUs) high = middle;
    else low = middle + 1;
  }
  const found = spans[low];
  return toUs > fromUs && found !== undefined && found.fromUs < toUs;
}
