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

/** A local wall-clock time. */
export interface LocalTime {
  readonly day: WeekDay;
  /** Minute of the day, 0 to 1439. */
  readonly minute: number;
}

/** Returns local times of one time zone. */
export type LocalClock = (timeUs: number) => LocalTime;

/**
 * Whether a schedule covers a local time; no schedule covers all. It uses the local wall-clock time: an hour that daylight saving
 * time leaves out is not covered, one that it repeats is covered twice.
 */
export function isScheduled(schedule: WeeklySchedule | undefined, { day, minute }: LocalTime): boolean {
  if (schedule === undefined) return true;
  return (schedule[day] ?? []).some((range) => range.fromMinute <= minute && minute < range.toMinute);
}
