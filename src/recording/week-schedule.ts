import { MINUTES_PER_HOUR, US_PER_MS } from "../base/index.js";
import { WEEK_DAYS, type WeekDay, type WeeklySchedule } from "../site/index.js";

/** A local wall-clock time. */
export interface LocalTime {
  readonly day: WeekDay;
  /** Minute of the day, 0 to 1439. */
  readonly minute: number;
}

/** Returns local times of one time zone. Throws RangeError for an unknown zone. */
export type LocalClock = (timeUs: number) => LocalTime;

/**
 * The local clock of an IANA time zone (`Europe/Berlin`); default: this machine's, which is loaded on first use,
 * because that takes 20 ms on a fast processor and 200 ms on a small one, and most recorders have no schedule.
 */
export function localClock(zone?: string): LocalClock {
  let format = zone === undefined ? undefined : formatOf(zone);
  let machineZone = process.env.TZ;
  return (timeUs) => {
    // The owner of a box chooses its zone while it runs.
    if (zone === undefined && machineZone !== process.env.TZ) format = undefined;
    machineZone = process.env.TZ;
    format ??= formatOf(undefined);
    const parts = new Map<string, string>();
    const date = new Date(Math.floor(timeUs / US_PER_MS));
    for (const { type, value } of format.formatToParts(date)) parts.set(type, value);
    const day = WEEK_DAYS.find((name) => name === parts.get("weekday"));
    if (day === undefined) throw new RangeError(`no local time for ${timeUs}`);
    return { day, minute: Number(parts.get("hour")) * MINUTES_PER_HOUR + Number(parts.get("minute")) };
  };
}

function formatOf(zone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    ...(zone === undefined ? {} : { timeZone: zone }),
    weekday: "long",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  });
}

/**
 * Whether a schedule covers a local time. It uses the local wall-clock time: an hour that daylight saving time
 * leaves out is not recorded, one that it repeats is recorded twice.
 */
export function isScheduled(schedule: WeeklySchedule | undefined, { day, minute }: LocalTime): boolean {
  if (schedule === undefined) return true;
  return (schedule[day] ?? []).some((range) => range.fromMinute <= minute && minute < range.toMinute);
}
