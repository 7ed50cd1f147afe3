import type { Targets } from "./model.js";

/** Of so many days an average is taken. */
const DAYS_MAX = 7;
const DAY_MS = 86_400_000;

/** How much is kept away, if it goes on as in the days before this one. */
export interface Forecast {
  /** So many days are known. */
  readonly days: number;
  readonly bytesPerDay: number;
  /** Kept after so many more days, at most: what was removed from a bucket before is still counted. */
  readonly after: (days: number) => number;
}

/** Undefined before a whole day is known. Days are those of UTC, as the recorder counts them. */
export function forecastOf(
  list: Targets["list"],
  states: Targets["states"],
  now: number,
): Forecast | undefined {
  const today = now - (now % DAY_MS);
  const isKnown = (day: string): boolean =>
    Date.parse(day) < today && Date.parse(day) >= today - DAYS_MAX * DAY_MS;
  const known = states.map(({ Id, SentBytes, SentDays }) => ({
    keepDays: list.find((target) => target.Id === Id)?.KeepDays ?? Number.POSITIVE_INFINITY,
    kept: SentBytes,
    days: SentDays.filter(({ Day }) => isKnown(Day)),
  }));
  const first = Math.min(...known.flatMap(({ days }) => days.map(({ Day }) => Date.parse(Day))));
  if (!Number.isFinite(first)) return undefined;
  const days = (today - first) / DAY_MS;
  const rates = known.map(({ days: sent, ...target }) => ({
    ...target,
    perDay: sent.reduce((sum, { Bytes }) => sum + Bytes, 0) / days,
  }));
  return {
    days,
    bytesPerDay: rates.reduce((sum, { perDay }) => sum + perDay, 0),
    after: (more) =>
      rates.reduce((sum, { kept, keepDays, perDay }) => {
        const all = kept + perDay * more;
        return sum + (more < keepDays ? all : Math.min(all, perDay * keepDays));
      }, 0),
  };
}
