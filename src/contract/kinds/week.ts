/** Hours of a week, in the server's local time: on the wire as times of day, kept as minutes. */

/** Days of the week as `Date` counts them, by name. */
export const WEEK_DAYS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

export type WeekDay = (typeof WEEK_DAYS)[number];

/** Minutes of the local day, from 0 to 1440, `from` before `to`; ranges of a day are in order and do not overlap. */
export interface DayRange {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** A week in the server's local time: the time ranges of each day; a day without ranges is absent or empty. */
export type WeeklySchedule = Readonly<Partial<Record<WeekDay, readonly DayRange[]>>>;

/** The same on the wire: `08:00`, up to `24:00`. */
export type Schedule = Readonly<
  Partial<Record<WeekDay, readonly { readonly From: string; readonly To: string }[]>>
>;

export const DAY_RANGES_MAX = 48;
export const DAY_MINUTES = 1440;
const HOUR_MINUTES = 60;

/** Patterns of a range's beginning and end. */
export const RANGE_FROM = "^(?:[01]\\d|2[0-3]):[0-5]\\d$";
export const RANGE_TO = "^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$";

/** `08:30`; the end of a day is `24:00`. */
export function timeText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / HOUR_MINUTES))}:${two(minute % HOUR_MINUTES)}`;
}

/** The minute of a time that one of the patterns takes. */
export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * HOUR_MINUTES + minutes;
}

/** The week in answers; days without ranges are left out. */
export function shownWeek(week: WeeklySchedule): Schedule {
  const days = WEEK_DAYS.flatMap((day) => {
    const ranges = (week[day] ?? []).map((range) => ({
      From: timeText(range.fromMinute),
      To: timeText(range.toMinute),
    }));
    return ranges.length === 0 ? [] : [[day, ranges] as const];
  });
  return Object.fromEntries(days);
}
