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
