import { daysAgo, isWeekday } from "../../state/day-words.js";
import { addDays, type CalendarDay, daysIn } from "../../state/zone.js";

const MONTHS: readonly RegExp[] = [
  /^(?:jan(?:uary)?|янв(?:ар[ья])?)$/,
  /^(?:feb(?:ruary)?|фев(?:р(?:ал[ья])?)?)$/,
  /^(?:mar(?:ch)?|мар(?:та?)?)$/,
  /^(?:apr(?:il)?|апр(?:ел[ья])?)$/,
  /^(?:may|ма[йя])$/,
  /^(?:june?|июн[ья]?)$/,
  /^(?:july?|июл[ья]?)$/,
  /^(?:aug(?:ust)?|авг(?:уста?)?)$/,
  /^(?:sept?(?:ember)?|сен(?:т(?:ябр[ья])?)?)$/,
  /^(?:oct(?:ober)?|окт(?:ябр[ья])?)$/,
  /^(?:nov(?:ember)?|ноя(?:б(?:р[ья])?)?)$/,
  /^(?:dec(?:ember)?|дек(?:абр[ья])?)$/,
];

/** Reads a day in lower case; a day without a year is the last one that has come. */
export function findDay(text: string, today: CalendarDay, isMonthFirst = false): CalendarDay | undefined {
  const ago = daysAgo(text, today);
  if (ago !== undefined) return addDays(today, -ago);
  const [first = "", ...others] = text.split(" ");
  // `Sat 21 Nov`: the date says it.
  const date = isWeekday(first) ? others.join(" ") : text;
  return findNumbers(date, today) ?? findSlashed(date, today, isMonthFirst) ?? findMonth(date, today);
}

/** `2026-11-12`, `2026/11/12`, `2026.11.12`, `12.11.`, `12.11.26`, `12.11.2026`. */
function findNumbers(text: string, today: CalendarDay): CalendarDay | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (iso !== null) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.?(\d{4}|\d\d)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  return year === undefined
    ? lastOne(Number(month), Number(day), today)
    : dayOf(fullYear(year), Number(month), Number(day));
}

/** `28/11/2026`, `28-11-2026`, `28/11`; where the month is first, `11/28/2026`. The other order where only that is a day. */
function findSlashed(text: string, today: CalendarDay, isMonthFirst: boolean): CalendarDay | undefined {
  const [, one, , other, year] = /^(\d{1,2})([/-])(\d{1,2})(?:\2(\d{4}|\d\d))?$/.exec(text) ?? [];
  if (one === undefined || other === undefined) return undefined;
  const dayFor = (month: string, day: string): CalendarDay | undefined =>
    year === undefined
      ? lastOne(Number(month), Number(day), today)
      : dayOf(fullYear(year), Number(month), Number(day));
  const [dayFirst, monthFirst] = [dayFor(other, one), dayFor(one, other)];
  return isMonthFirst ? (monthFirst ?? dayFirst) : (dayFirst ?? monthFirst);
}

/** `12 nov`, `nov 12 2026`, `12 ноября 2026`. */
function findMonth(text: string, today: CalendarDay): CalendarDay | undefined {
  const parts = text.split(" ").map((part) => part.replace(/(?<=\d)(?:st|nd|rd|th)$|\.$/, ""));
  const named = parts.findIndex((part) => MONTHS.some((name) => name.test(part)));
  if (named < 0 || named > 1 || parts.length < 2 || parts.length > 3) return undefined;
  const month = MONTHS.findIndex((name) => name.test(parts[named] ?? "")) + 1;
  const [day = "", year] = parts.filter((_part, index) => index !== named);
  if (!/^\d{1,2}$/.test(day) || (year !== undefined && !/^(?:\d{4}|\d\d)$/.test(year))) return undefined;
  return year === undefined ? lastOne(month, Number(day), today) : dayOf(fullYear(year), month, Number(day));
}

function fullYear(text: string): number {
  return text.length === 2 ? 2000 + Number(text) : Number(text);
}

function dayOf(year: number, month: number, day: number): CalendarDay | undefined {
  if (year < 1970 || year > 9999 || month < 1 || month > 12) return undefined;
  return day >= 1 && day <= daysIn({ year, month }) ? { year, month, day } : undefined;
}

/** The last such day up to today; of the 29th of February, within the last eight years. */
function lastOne(month: number, day: number, today: CalendarDay): CalendarDay | undefined {
  const isToCome = month > today.month || (month === today.month && day > today.day);
  const newest = isToCome ? today.year - 1 : today.year;
  for (let year = newest; year > newest - 8; year -= 1) {
    const found = dayOf(year, month, day);
    if (found !== undefined) return found;
  }
  return undefined;
}
