import { US_PER_MS, US_PER_SECOND } from "../value/units.js";

/** The time formats of the API. Inside the service, times are Unix microseconds; they are converted here. */

const MONTHS = 12;

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

/** `dd.MM.yyyy HH:mm:ss` in UTC. */
export function formatApiTime(timeUs: number): string {
  const date = new Date(Math.floor(timeUs / US_PER_MS));
  return (
    `${pad(date.getUTCDate(), 2)}.${pad(date.getUTCMonth() + 1, 2)}.${pad(date.getUTCFullYear(), 4)} ` +
    `${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`
  );
}

/** `dd.MM.yyyy HH:mm:ss.fff` in UTC, milliseconds truncated, not rounded. */
export function formatApiTimeMs(timeUs: number): string {
  const milliseconds = Math.floor(timeUs / US_PER_MS) % 1000;
  return `${formatApiTime(timeUs)}.${pad(milliseconds, 3)}`;
}

/** ISO 8601 with seven fraction digits and `Z`. */
export function formatIsoTime(timeUs: number): string {
  const wholeSeconds = Math.floor(timeUs / US_PER_SECOND);
  const fractionUs = timeUs - wholeSeconds * US_PER_SECOND;
  return `${new Date(wholeSeconds * 1000).toISOString().slice(0, 19)}.${pad(Math.floor(fractionUs), 6)}0Z`;
}

/**
 * Reads a time of a request: `dd.MM.yyyy HH:mm:ss[.fff]`, also with `-` or `/` between the date's parts, single digits,
 * a two-digit year, the year first, and `+` for the space; `M/d/yyyy HH:mm:ss` where the day cannot be a month, and with AM
 * or PM behind it on any day, as .NET writes times in en-US; ISO 8601 as `parseIsoTime` reads it, also with the `+` of an
 * offset read as a space. Up to seven fraction digits, nine in ISO 8601. Years 1 to 9999; a time before 1970, such as a
 * client's minimum 01.01.0001, reads as 1970: no recording is older. Undefined if it is not a time.
 */
export function parseApiTime(text: string): number | undefined {
  const iso = isoMicroseconds(text);
  return iso === undefined ? parseCommonTime(text) : Math.max(0, iso);
}

function parseCommonTime(text: string): number | undefined {
  const match =
    /^\s*(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})[ +]+(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,7}))?(?:[ +\u00a0\u202f]+([ap]m))?\s*$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const [, first = "", separator, middle = "", last = "", hour = "", minute = "", second = ""] = match;
  const [fraction = "", half] = match.slice(8);
  const date =
    half === undefined
      ? (readMonthFirst(first, separator, middle, last) ?? readDate(first, middle, last))
      : readEnglishDate(first, separator, middle, last);
  const hourOfDay = half === undefined ? Number(hour) : readHour(Number(hour), half);
  if (date === undefined || hourOfDay === undefined) return undefined;
  const seconds = { hour: hourOfDay, minute: Number(minute), second: Number(second) };
  const milliseconds = utcMilliseconds(date, seconds);
  if (milliseconds === undefined) return undefined;
  if (milliseconds < 0) return 0;
  return milliseconds * US_PER_MS + Math.floor(Number(fraction.padEnd(7, "0")) / 10);
}

interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The day first, or the year. */
function readDate(first: string, middle: string, last: string): CalendarDate | undefined {
  const yearFirst = first.length === 4;
  const year = expandYear(yearFirst ? first : last);
  if (year === undefined || (yearFirst && last.length > 2) || first.length === 3) return undefined;
  return { year, month: Number(middle), day: Number(yearFirst ? last : first) };
}

/**
 * The month first. Only with slashes and the whole year, as nobody but en-US writes it with AM or PM: a day in the
 * month's place is refused, because on other days of the month the same program would be misread.
 */
function readEnglishDate(
  first: string,
  separator: string | undefined,
  middle: string,
  last: string,
): CalendarDate | undefined {
  if (separator !== "/" || first.length > 2 || last.length !== 4) return undefined;
  return { year: Number(last), month: Number(first), day: Number(middle) };
}

/** `M/d/yyyy` of a day that cannot be a month: no other order gives a date. */
function readMonthFirst(
  first: string,
  separator: string | undefined,
  middle: string,
  last: string,
): CalendarDate | undefined {
  return Number(middle) > MONTHS ? readEnglishDate(first, separator, middle, last) : undefined;
}

/** 12 AM is midnight, 12 PM noon. */
function readHour(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
}

/** Undefined for what the calendar or the clock does not have. */
function utcMilliseconds(
  { year, month, day }: CalendarDate,
  { hour, minute, second }: { readonly hour: number; readonly minute: number; readonly second: number },
): number | undefined {
  const date = new Date(0);
  // Date.UTC maps years below 100 to the 20th century.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const same =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  return same && year >= 1 ? date.getTime() : undefined;
}

/**
 * Reads an ISO 8601 time: `2026-11-21T09:00:00[.fffffff][Z|±hh:mm]`, UTC if it names no zone, as in JSON answers.
 * Undefined if it is not a time, or before 1970.
 */
export function parseIsoTime(text: string): number | undefined {
  const timeUs = isoMicroseconds(text);
  return timeUs === undefined || timeUs < 0 ? undefined : timeUs;
}

/** A query's `+` is a space where a program did not write it as %2B. */
function isoMicroseconds(text: string): number | undefined {
  const match = /^\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+ -]\d\d:\d\d)?\s*$/.exec(text);
  if (match === null) return undefined;
  const [, dateTime = "", fraction = "", zone = "Z"] = match;
  const local = Date.parse(`${dateTime}Z`);
  // Date.parse reads the 31st of February as the 3rd of March.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(dateTime)) return undefined;
  const milliseconds = Date.parse(`${dateTime}${zone.replace(" ", "+")}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return milliseconds * US_PER_MS + Math.floor(Number(fraction.padEnd(9, "0")) / 1000);
}

function expandYear(text: string): number | undefined {
  if (text.length === 4) return Number(text);
  if (text.length === 2) return 2000 + Number(text);
  return undefined;
}
