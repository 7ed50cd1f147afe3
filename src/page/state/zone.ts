/**
 * Times as the box's own clock shows them: what happened at a camera is told by the clock there, wherever the person sits.
 */

/** Zones that were asked for, by the name that they were asked by. */
const zones = new Map<string, string>();

/** The zone where the browser knows it, UTC otherwise. */
export function knownZone(name: string): string {
  const known = zones.get(name) ?? readZone(name);
  zones.set(name, known);
  return known;
}

function readZone(name: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    console.warn(`this browser does not know the time zone "${name}"`, error);
    return "UTC";
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format of a language and a zone, made once: making one costs more than using it a thousand times. */
export function timeFormat(
  language: string,
  zone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = JSON.stringify([language, zone, options]);
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
  formats.set(key, made);
  return made;
}

const WALL: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
};

/** What the zone's clock shows at a moment, as a field for times writes it: `2026-11-23T15:00:00`. */
export function wallTime(zone: string, timeMs: number): string {
  const parts = new Map(
    timeFormat("en", zone, WALL)
      .formatToParts(timeMs)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? "";
  const date = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  return `${date}T${part("hour")}:${part("minute")}:${part("second")}`;
}

const DAY_MS = 86_400_000;

/**
 * The moment at which the zone's clock shows `text`, as `wallTime` writes it, seconds optional; undefined for anything else.
 * A time that the clock shows twice is the first of them; one that it leaves out is as long after the gap's beginning.
 */
export function momentOf(zone: string, text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?$/.exec(text);
  const shown = match === null ? Number.NaN : Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(shown)) return undefined;
  const offsets = [shown - DAY_MS, shown + DAY_MS].map(
    (near) => Date.parse(`${wallTime(zone, near)}Z`) - Math.floor(near / 1000) * 1000,
  );
  const moments = offsets.map((offset) => shown - offset).toSorted((one, other) => one - other);
  const exact = moments.find((moment) => Date.parse(`${wallTime(zone, moment)}Z`) === shown);
  return exact ?? moments.at(-1);
}

/** The first moment of a day of the zone: that of `timeMs`, or `days` later. */
export function startOfDay(zone: string, timeMs: number, days = 0): number {
  const [year = 0, month = 1, day = 1] = wallTime(zone, timeMs).slice(0, 10).split("-").map(Number);
  const date = new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
  return momentOf(zone, `${date}T00:00:00`) ?? timeMs;
}
