import { systemWords } from "../../words/system.js";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** A duration in its largest unit of which there are two or more: `50 days`, `26 hours`. */
export function durationWords(seconds: number): string {
  const words = systemWords();
  if (seconds >= 2 * DAY) return words.days(Math.floor(seconds / DAY));
  if (seconds >= 2 * HOUR) return words.hours(Math.floor(seconds / HOUR));
  return words.minutes(Math.max(1, Math.floor(seconds / MINUTE)));
}
