import { type Interval, US_PER_MS, union } from "../../base/index.js";
import type { ScheduleBefore } from "../../recording/index.js";
import { WEEK_DAYS, type WeeklySchedule } from "../../site/index.js";

/** A time in which one schedule held. */
export interface ScheduleTime extends Interval, ScheduleBefore {}

/** When recording was scheduled within a time, by the schedules that held. One that is not known leaves nothing out. */
export function scheduledTimes(schedules: readonly ScheduleTime[], within: Interval): Interval[] {
  const times = schedules.flatMap((held) => {
    const part = { fromUs: Math.max(held.fromUs, within.fromUs), toUs: Math.min(held.toUs, within.toUs) };
    if (part.toUs <= part.fromUs) return [];
    const on = held.isKnown ? scheduleTimes(held.schedule, part) : [part];
    return on.map(({ fromUs, toUs }) => ({
      fromUs: Math.max(fromUs, part.fromUs),
      toUs: Math.min(toUs, part.toUs),
    }));
  });
  return union(times);
}

/**
 * When a weekly schedule is on within a time, in this machine's time zone. An hour that daylight saving time leaves out is not
 * there, one that it repeats is there twice, as in `isScheduled`.
 */
export function scheduleTimes(schedule: WeeklySchedule | undefined, { fromUs, toUs }: Interval): Interval[] {
  if (schedule === undefined) return [{ fromUs, toUs }];
  const times: Interval[] = [];
  const first = new Date(Math.floor(fromUs / US_PER_MS));
  for (let day = 0; ; day++) {
    const [year, month, date] = [first.getFullYear(), first.getMonth(), first.getDate() + day];
    const midnight = new Date(year, month, date);
    if (midnight.getTime() * US_PER_MS >= toUs) break;
    const name = WEEK_DAYS[midnight.getDay()];
    for (const { fromMinute, toMinute } of name === undefined ? [] : (schedule[name] ?? [])) {
      const begin = new Date(year, month, date, 0, fromMinute).getTime() * US_PER_MS;
      const end = new Date(year, month, date, 0, toMinute).getTime() * US_PER_MS;
      if (end > fromUs && begin < toUs) times.push({ fromUs: begin, toUs: end });
    }
  }
  return union(times);
}
