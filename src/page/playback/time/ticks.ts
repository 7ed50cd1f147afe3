import { DAY_MS, type Zone } from "../../state/zone.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WEEK = 7 * DAY_MS;
/** The Unix epoch was a Thursday; weeks begin on Monday. */
const MONDAY_MS = 4 * DAY_MS;

/** Distances of ticks that a person reads easily. All but the week divide a day. */
export const TICK_STEPS: readonly number[] = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  DAY_MS,
  WEEK,
];

export interface Tick {
  readonly at: number;
  /** What begins here: its label is a date, or a time. */
  readonly kind: "day" | "time";
}

/** The least step whose ticks are at least `pixels` apart. */
export function stepFor(spanMs: number, width: number, pixels: number): number {
  const least = (spanMs / Math.max(width, 1)) * pixels;
  return TICK_STEPS.find((step) => step >= least) ?? WEEK;
}

/**
 * The ticks from `from` to `to` where the zone's clock shows a multiple of `step`. A day of 23 hours has a tick less and one
 * of 25 hours a tick more; an hour that comes twice has two ticks for steps up to an hour.
 */
export function ticksIn(zone: Zone, from: number, to: number, step: number): readonly Tick[] {
  const ticks: Tick[] = [];
  const origin = step === WEEK ? MONDAY_MS : 0;
  let lastLocal = Number.NEGATIVE_INFINITY;
  for (const stretch of zone.stretches(from, to)) {
    const { offsetMs } = stretch;
    const skipped = skippedMidnight(stretch.from + offsetMs, lastLocal, step, origin);
    if (skipped) ticks.push({ at: stretch.from, kind: "day" });
    const first = Math.ceil((stretch.from + offsetMs - origin) / step) * step + origin;
    for (let local = first; local - offsetMs < stretch.to; local += step) {
      if (step > HOUR && local <= lastLocal) continue;
      ticks.push({ at: local - offsetMs, kind: local % DAY_MS === 0 ? "day" : "time" });
    }
    lastLocal = stretch.to + offsetMs;
  }
  return ticks;
}

/** Whether a day begins with a change of the clock, as in zones that put it forwards at midnight. */
function skippedMidnight(local: number, lastLocal: number, step: number, origin: number): boolean {
  if (step % DAY_MS !== 0 || !Number.isFinite(lastLocal)) return false;
  const [before, after] = [lastLocal, local].map((time) => Math.floor((time - 1 - origin) / step));
  return before !== after && local > lastLocal && (local - origin) % step !== 0;
}

/** The first moments of the days that begin from `from` to `to`. */
export function daysBetween(zone: Zone, from: number, to: number): readonly Tick[] {
  return ticksIn(zone, from, to, DAY_MS);
}
