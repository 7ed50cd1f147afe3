/** A stretch of time, Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What the timeline shows at least and at most. */
export const SPAN_MIN_MS = 1000;
export const SPAN_MAX_MS = 35 * 86_400_000;
/** How much of the future the timeline may show, as a part of what it shows. */
const FUTURE_PART = 0.12;

export function lengthOf({ from, to }: Span): number {
  return to - from;
}

export function timeAt(span: Span, width: number, x: number): number {
  return span.from + (x / Math.max(width, 1)) * lengthOf(span);
}

export function xOf(span: Span, width: number, time: number): number {
  return ((time - span.from) / lengthOf(span)) * width;
}

/** Shows `factor` times as much; what is at `at` stays where it is. */
export function zoomed(span: Span, factor: number, at: number): Span {
  const length = Math.min(Math.max(lengthOf(span) * factor, SPAN_MIN_MS), SPAN_MAX_MS);
  const part = (at - span.from) / lengthOf(span);
  const from = at - part * length;
  return { from, to: from + length };
}

export function moved(span: Span, byMs: number): Span {
  return { from: span.from + byMs, to: span.to + byMs };
}

/** The same length with `time` in the middle. */
export function centred(span: Span, time: number): Span {
  return moved(span, time - (span.from + span.to) / 2);
}

/** Moves a span back that shows more of the future than it may. */
export function withinNow(span: Span, now: number): Span {
  const over = span.to - now - FUTURE_PART * lengthOf(span);
  return over > 0 ? moved(span, -over) : span;
}

/** The span that shows what two pointers hold: the times below them follow them. */
export function pinched(
  span: Span,
  width: number,
  held: readonly [number, number],
  at: readonly [number, number],
): Span {
  const distance = at[1] - at[0];
  const heldMs = held[1] - held[0];
  if (Math.abs(distance) < 1 || heldMs * distance <= 0) return span;
  const length = Math.min(Math.max((heldMs / distance) * width, SPAN_MIN_MS), SPAN_MAX_MS);
  const middle = (held[0] + held[1]) / 2;
  const from = middle - ((at[0] + at[1]) / 2 / Math.max(width, 1)) * length;
  return { from, to: from + length };
}

/** Follows a time that runs: the span moves on when the time comes close to its end or has left it. */
export function following(span: Span, time: number): Span {
  const part = (time - span.from) / lengthOf(span);
  if (part >= 0.02 && part <= 0.9) return span;
  return part > 0.9 && part <= 1
    ? moved(span, (part - 0.9) * lengthOf(span))
    : moved(span, time - span.from - 0.5 * lengthOf(span));
}

export function overlaps(a: Span, b: Span): boolean {
  return a.from < b.to && b.from < a.to;
}
