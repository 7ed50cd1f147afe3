import { type CalendarDay, weekdayOf } from "./zone.js";

/** A part of a day, as people name it. */
export interface DayPart {
  readonly words: readonly string[];
  readonly fromHour: number;
  /** Beyond 24: of the next day. */
  readonly toHour: number;
}

export const DAY_PARTS: readonly DayPart[] = [
  { words: ["morning", "утро", "утром"], fromHour: 6, toHour: 12 },
  { words: ["afternoon", "днем", "днём"], fromHour: 12, toHour: 18 },
  { words: ["evening", "вечер", "вечером"], fromHour: 18, toHour: 24 },
  { words: ["night", "tonight", "ночь", "ночью"], fromHour: 20, toHour: 30 },
];

const RELATIVE: readonly (readonly [RegExp, number])[] = [
  [/^(?:today|сегодня)$/, 0],
  [/^(?:yesterday|вчера)$/, 1],
  [/^(?:(?:the )?day before yesterday|позавчера)$/, 2],
];
/** From Monday on. */
const WEEKDAYS: readonly RegExp[] = [
  /^(?:mon(?:day)?|пн|понедельник)$/,
  /^(?:tue(?:s(?:day)?)?|вт|вторник)$/,
  /^(?:wed(?:nesday)?|ср|сред[ау])$/,
  /^(?:thu(?:r(?:s(?:day)?)?)?|чт|четверг)$/,
  /^(?:fri(?:day)?|пт|пятниц[ау])$/,
  /^(?:sat(?:urday)?|сб|суббот[ау])$/,
  /^(?:sun(?:day)?|вс|воскресенье)$/,
];
const DAYS_OF_WEEK = 7;

export function isWeekday(word: string): boolean {
  return weekdayNamed(word) >= 0;
}

/** How many days ago one was that is named from today, in lower case; a day of the week is the last one. */
export function daysAgo(text: string, today: CalendarDay): number | undefined {
  const relative = RELATIVE.find(([name]) => name.test(text));
  if (relative !== undefined) return relative[1];
  const weekday = weekdayNamed(text);
  return weekday < 0 ? undefined : (weekdayOf(today) - weekday + DAYS_OF_WEEK) % DAYS_OF_WEEK;
}

function weekdayNamed(text: string): number {
  const name = text.replace(/\.$/, "");
  return WEEKDAYS.findIndex((pattern) => pattern.test(name));
}
