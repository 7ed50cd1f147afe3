import { figureWords } from "../words/figures.js";
import { locale } from "./locale.js";

const BITS_PER_BYTE = 8;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const KBIT = 1000;
/** What a camera sends whose rate is not known, bit/s. */
export const USUAL_BITS_PER_SECOND = 4_000_000;

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;

/** A size as disks are sold: `4 TB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** power;
  const format = { style: "unit", unit: UNITS[power] ?? "byte" } as const;
  return new Intl.NumberFormat(locale.value, {
    ...format,
    maximumSignificantDigits: value >= 100 ? 3 : 2,
  }).format(value);
}

/** How long so many bytes last at a rate: days, or hours where it is short. */
export function lastingText(bytes: number, bitsPerSecond: number): string {
  return daysText((bytes * BITS_PER_BYTE) / bitsPerSecond / DAY);
}

export function daysText(days: number): string {
  return durationWords(days * DAY);
}

/** A duration in its largest unit of which there are two or more: `50 days`, `26 hours`. */
export function durationWords(seconds: number): string {
  const words = figureWords();
  if (seconds >= 2 * DAY) return words.days(Math.floor(seconds / DAY));
  if (seconds >= 2 * HOUR) return words.hours(Math.floor(seconds / HOUR));
  return words.minutes(Math.max(1, Math.floor(seconds / MINUTE)));
}

/** What cameras will send together, bit/s; `rates` in kbit/s, null where a camera does not say. */
export function bitsPerSecond(rates: readonly (number | null)[]): number {
  return rates.reduce<number>((sum, rate) => sum + (rate === null ? USUAL_BITS_PER_SECOND : rate * KBIT), 0);
}
