import { DAY_PARTS, type DayPart } from "../../state/day-words.js";
import { addDays, type CalendarDay, DAY_MS, type Zone } from "../../state/zone.js";
import { findDay } from "./parse-day.js";
import { inFigures } from "./said.js";

/** What "15:00" or "yesterday" is counted from. */
export interface MomentContext {
  readonly zone: Zone;
  /** The recorder's clock. */
  readonly now: number;
  /** The moment that the screen shows: a time without a day is of its day. */
  readonly shown: number;
  /** In `11/12/2026` the month is first, as in the United States. */
  readonly isMonthFirst?: boolean;
}

export interface ParsedMoment {
  readonly moment: number;
  /** In the night in which the clock is put back a time comes twice: the second one. */
  readonly second?: number;
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?|с|сек|секунд[аыу]?)$/, 1000],
  [/^(?:m|mins?|minutes?|м|мин|минут[аыу]?)$/, 60_000],
  [/^(?:h|hrs?|hours?|ч|час(?:а|ов)?)$/, 3_600_000],
  [/^(?:d|days?|д|дн|день|дня|дней)$/, 86_400_000],
  [/^(?:w|weeks?|н|нед|недел[яьию])$/, 604_800_000],
];
/** Longest way back that a person types: ten years. */
const BACK_MAX_MS = 3_653 * 86_400_000;

/** Reads a moment as a person types it, in English or Russian; undefined where it is none. */
export function parseMoment(text: string, context: MomentContext): ParsedMoment | undefined {
  const clean = inFigures(text);
  if (/^(?:now|live|сейчас|эфир)$/.test(clean)) return { moment: context.now };
  return parseBack(clean, context) ?? parseIso(clean) ?? parseDayAndTime(clean, context);
}

/** `-2h`, `-1h 30m`, `2 hours ago`, `5 минут назад`, `час назад`, `2 days ago at 15:00`. */
function parseBack(text: string, { zone, now }: MomentContext): ParsedMoment | undefined {
  const found = /^(?:[-−–] ?(?<minus>.+)|(?<ago>.+) (?:ago|назад)(?<then> .+)?)$/.exec(text)?.groups;
  const back = lengthOf(found?.minus ?? found?.ago ?? "");
  if (back === undefined) return undefined;
  if (found?.then === undefined) return { moment: now - back };
  const { time, rest } = readTime(found.then, () => false);
  if (time === undefined || wordsOf(rest) !== "" || back % DAY_MS !== 0) return undefined;
  return at(zone, addDays(zone.dayAt(now), -back / DAY_MS), time);
}

/** Milliseconds of `1h 30m`; undefined where it is no length, or a longer one than a person types. */
function lengthOf(text: string): number | undefined {
  const amounts = text.replace(/(?<!\p{L})(?:an?|the) /gu, "");
  const rest = amounts.replace(/(\d+(?:[.,]\d+)?)? ?(\p{L}+)\.?,? ?/gu, (part, count?: string, unit = "") => {
    const known = UNITS.find(([names]) => names.test(unit));
    return known === undefined ? part : `${Number((count ?? "1").replace(",", ".")) * known[1]};`;
  });
  if (!/^(?:[\d.]+;)+$/.test(rest)) return undefined;
  const length = rest.split(";").reduce((sum, part) => sum + Number(part), 0);
  return Number.isFinite(length) && length <= BACK_MAX_MS ? length : undefined;
}

/** A moment with its offset, as programs write it: `2026-11-12T07:30:00Z`. */
function parseIso(text: string): ParsedMoment | undefined {
  if (!/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:z|[+-]\d\d:?\d\d)$/.test(text))
    return undefined;
  const moment = Date.parse(text.toUpperCase().replace(" ", "T").replaceAll(" ", ""));
  const day = text.slice(0, 10).split("-").map(Number);
  const [year = 0, month = 0, dayOfMonth = 0] = day;
  if (Number.isNaN(moment) || addDays({ year, month, day: dayOfMonth }, 0).day !== dayOfMonth)
    return undefined;
  return { moment };
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

const MIDNIGHT: TimeOfDay = { hour: 0, minute: 0, second: 0, millisecond: 0 };
const NOON = 12;

function parseDayAndTime(text: string, context: MomentContext): ParsedMoment | undefined {
  const { zone, now, shown, isMonthFirst = false } = context;
  const today = zone.dayAt(now);
  const { part, rest: untimed } = takePart(text);
  const found = readTime(untimed, (rest) => findDay(wordsOf(rest), today, isMonthFirst) !== undefined);
  const time = timeIn(part, found.time);
  const words = wordsOf(found.rest);
  if (words === "") {
    if (time === undefined) return undefined;
    const day = zone.dayAt(Math.min(part === undefined ? shown : now, now));
    // A time that is still to come today is yesterday's.
    return at(zone, zone.momentOf({ ...day, ...time }) > now ? addDays(day, -1) : day, time);
  }
  const day = findDay(words, today, isMonthFirst);
  return day === undefined ? undefined : at(zone, day, time ?? MIDNIGHT);
}

/** Takes `evening` out of a text. */
function takePart(text: string): { readonly part: DayPart | undefined; readonly rest: string } {
  const words = text.split(" ");
  const part = DAY_PARTS.find((one) => words.some((word) => one.words.includes(word)));
  if (part === undefined) return { part, rest: text };
  return { part, rest: words.filter((word) => !part.words.includes(word)).join(" ") };
}

/** `evening` begins at 18:00, `evening 9:30` is 21:30. */
function timeIn(part: DayPart | undefined, time: TimeOfDay | undefined): TimeOfDay | undefined {
  if (part === undefined) return time;
  if (time === undefined) return { ...MIDNIGHT, hour: part.fromHour };
  const later = time.hour + NOON;
  return later >= part.fromHour && later < Math.min(part.toHour, 2 * NOON) ? { ...time, hour: later } : time;
}

/** What is left of a text for its day. */
function wordsOf(text: string): string {
  return text
    .replace(/(?:^|\s)(?:at|on|в|во|г\.?|года)(?=\s|$)/gu, " ")
    .replace(/[\s,]+/g, " ")
    .trim();
}

function at(zone: Zone, day: CalendarDay, time: TimeOfDay): ParsedMoment {
  const reading = { ...day, ...time };
  const [, second] = zone.momentsOf(reading);
  return { moment: zone.momentOf(reading), ...(second === undefined ? {} : { second }) };
}

const CLOCK =
  /(?:^|[\s,t])(\d{1,2})[:h](\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)? ?(am|pm|a\.m\.|p\.m\.|утра|дня|вечера|ночи)?(?=$|[\s,])/u;
const HOUR_ONLY =
  /(?:^|\s)(\d{1,2}) ?(am|pm|a\.m\.|p\.m\.|час(?:а|ов)? дня|утра|дня|вечера|ночи)(?=$|[\s,])/u;
/** `at 15`, `в 15`, `15 h`, `15 ч`, `15 часов`. */
const HOUR_OF_24 = /(?:^|\s)(?:(?:at|в|во) (\d{1,2})|(\d{1,2}) ?(?:h|ч|час(?:а|ов)?))(?=$|,)/u;
/** `17.35` and `17-35`, which may be a day as well. */
const DOTTED = /(?:^|[\s,])(\d{1,2})[.-](\d\d)(?=$|[\s,])/g;
/** `3.15 pm`, `15 ч 30 мин`, `15ч30`. */
const OTHER_CLOCKS: readonly RegExp[] = [
  /(?<=^|[\s,])(\d{1,2})\.(\d\d) ?(?=[ap]\.?m|утра|дня|вечера|ночи)/u,
  /(?<=^|[\s,])(\d{1,2}) ?ч(?:ас(?:а|ов)?)?\.? ?(\d\d)(?: ?мин(?:ут[аы]?)?\.?)?(?=$|[\s,])/u,
];
const NAMED: readonly (readonly [RegExp, TimeOfDay])[] = [
  [/(?:^|\s)(?:noon|midday|полдень)(?=$|\s)/u, { ...MIDNIGHT, hour: 12 }],
  [/(?:^|\s)(?:midnight|полночь)(?=$|\s)/u, MIDNIGHT],
];

/** The time of day in a text, and what is left of it; `isDay` as in `takeDotted`. */
function readTime(
  text: string,
  isDay: (rest: string) => boolean,
): { time: TimeOfDay | undefined; rest: string } {
  const clocks = OTHER_CLOCKS.reduce((rest, clock) => rest.replace(clock, "$1:$2 "), text);
  return takeDotted(clocks, isDay) ?? takeTime(clocks);
}

/**
 * Takes a time with a dot out of a text: one beside a day, or that is no day itself. `isDay`: whether what is left is a day.
 */
function takeDotted(
  text: string,
  isDay: (rest: string) => boolean,
): { time: TimeOfDay; rest: string } | undefined {
  if (text.includes(":")) return undefined;
  for (const [whole, hour, minute] of text.matchAll(DOTTED)) {
    const time = timeOf(Number(hour), Number(minute), 0, 0);
    const rest = text.replace(whole, " ");
    if (time !== undefined && (rest.trim() === "" ? !isDay(whole) : isDay(rest))) return { time, rest };
  }
  return undefined;
}

/** Takes the time of day out of a text; what is left is the day. */
function takeTime(text: string): { time: TimeOfDay | undefined; rest: string } {
  const clock = CLOCK.exec(text);
  if (clock !== null) {
    const [whole, hour, minute, second = "0", fraction = "0", half] = clock;
    const time = timeOf(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0")), half);
    return { time, rest: time === undefined ? text : text.replace(whole, " ") };
  }
  const short = HOUR_ONLY.exec(text);
  if (short !== null) {
    const time = timeOf(Number(short[1]), 0, 0, 0, short[2]);
    return { time, rest: time === undefined ? text : text.replace(short[0], " ") };
  }
  const of24 = HOUR_OF_24.exec(text);
  if (of24 !== null) {
    const time = timeOf(Number(of24[1] ?? of24[2]), 0, 0, 0);
    return { time, rest: time === undefined ? text : text.replace(of24[0], " ") };
  }
  for (const [name, time] of NAMED) if (name.test(text)) return { time, rest: text.replace(name, " ") };
  return { time: undefined, rest: text };
}

function timeOf(
  shownHour: number,
  minute: number,
  second: number,
  millisecond: number,
  half?: string,
): TimeOfDay | undefined {
  if (minute > 59 || second > 59) return undefined;
  if (half === undefined)
    return shownHour > 23 ? undefined : { hour: shownHour, minute, second, millisecond };
  if (shownHour < 1 || shownHour > 12) return undefined;
  return { hour: (shownHour % 12) + (isAfternoon(half) ? 12 : 0), minute, second, millisecond };
}

function isAfternoon(half: string): boolean {
  return half.startsWith("p") || /(?:дня|вечера)$/u.test(half);
}
