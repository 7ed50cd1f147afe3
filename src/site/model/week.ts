import type { WeekDay, WeeklySchedule } from "../../contract/index.js";

export { type DayRange, WEEK_DAYS, type WeekDay, type WeeklySchedule } from "../../contract/index.js";

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
