import { timeFormat } from "../../state/time-format.js";
import { language } from "../../words/language.js";

const FORMATS = {
  minute: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  second: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  tenth: {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 1,
    hourCycle: "h23",
  },
  day: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
  shortDay: { weekday: "short", day: "numeric", month: "short" },
  longDay: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
  month: { month: "long", year: "numeric" },
  wholeDayOfMonth: { day: "numeric", month: "long" },
  dayOfMonth: { day: "numeric", month: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeFormat = keyof typeof FORMATS;

/** English as it is written outside America: the day before the month. */
const LOCALES = { en: "en-GB", ru: "ru" } as const;

/** A moment in the recorder's zone and the user's language. */
export function timeWords(moment: number, format: TimeFormat): string {
  return timeFormat(LOCALES[language.value], FORMATS[format]).format(moment);
}

/** `Sat 21 Nov 2026, 14:02:05`. */
export function momentWords(moment: number): string {
  return `${timeWords(moment, "day")}, ${timeWords(moment, "second")}`;
}

/** The time alone on the day of `today`, else with its day. */
export function nearWords(moment: number, today: number): string {
  const isSame = timeWords(moment, "day") === timeWords(today, "day");
  return isSame ? timeWords(moment, "second") : momentWords(moment);
}

/** A span in as few words as possible: the day only where it is not the day of `today`, or changes. */
export function spanWords(from: number, to: number, today: number): string {
  const format = to - from < 120_000 ? "second" : "minute";
  const days = [from, to, today].map((moment) => timeWords(moment, "shortDay"));
  const [first, last, shown] = days;
  const begin = first === shown && last === shown ? "" : `${first}, `;
  return `${begin}${timeWords(from, format)}–${first === last ? "" : `${last}, `}${timeWords(to, format)}`;
}

const UNITS = {
  en: { d: "d", h: "h", min: "min", s: "s" },
  ru: { d: "д", h: "ч", min: "мин", s: "с" },
} as const;

/** `2 h 5 min`, `45 s`: the two largest units. */
export function lengthWords(ms: number): string {
  const units = UNITS[language.value];
  const all = Math.round(ms / 1000);
  const parts = [
    [Math.floor(all / 86_400), units.d],
    [Math.floor(all / 3600) % 24, units.h],
    [Math.floor(all / 60) % 60, units.min],
    [all % 60, units.s],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return `0 ${units.s}`;
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

const SIZE_UNITS = { en: ["KB", "MB", "GB"], ru: ["КБ", "МБ", "ГБ"] } as const;

export function sizeWords(bytes: number): string {
  const power = bytes >= 1e9 ? 3 : bytes >= 1e6 ? 2 : 1;
  const number = new Intl.NumberFormat(language.value, { maximumSignificantDigits: 3 });
  return `${number.format(bytes / 1000 ** power)} ${SIZE_UNITS[language.value][power - 1]}`;
}

/** Whether a browser's language (BCP 47) writes the month before the day: `11/28/2026`. */
export function isMonthFirst(tag: string): boolean {
  const parts = new Intl.DateTimeFormat(tag).formatToParts(0).map(({ type }) => type);
  return parts.indexOf("month") < parts.indexOf("day");
}
