import { MINUTES_PER_DAY, MINUTES_PER_HOUR, US_PER_DAY, US_PER_MINUTE, US_PER_MS } from "../base/index.js";
import type { EventRecord } from "../event/index.js";
import {
  type AlarmTarget,
  isScheduled,
  type LocalClock,
  type LocalTime,
  type QuietHours,
  WEEK_DAYS,
  type WeeklySchedule,
} from "../site/index.js";

/** When messages are sent: at all hours, outside quiet hours, or in the hours of a week. */
export type SendingTimes = Pick<AlarmTarget, "quietHours" | "sendingHours">;

/** Category of errors. */
const ERROR = 2;
/**
 * Longest time until the hours are looked at again, milliseconds: the machine's clock, its zone and summer time may change while
 * something waits.
 */
export const LOOK_AGAIN_MS = 60_000;
/** An event that could not be sent for this long is omitted and counted. */
const AGE_US_MAX = US_PER_DAY;
/** The same where events wait for the hours of a week, which come round within seven days. */
const AGE_OF_WEEK_US_MAX = 8 * US_PER_DAY;

/** The machine's own local time. */
export const localTime: LocalClock = (timeUs) => {
  const date = new Date(timeUs / US_PER_MS);
  const day = WEEK_DAYS[date.getDay()];
  if (day === undefined) throw new RangeError(`no local time for ${timeUs}`);
  return { day, minute: date.getHours() * MINUTES_PER_HOUR + date.getMinutes() };
};

export function eventAgeUsMax({ sendingHours }: SendingTimes): number {
  return sendingHours?.areOthersKept === true ? AGE_OF_WEEK_US_MAX : AGE_US_MAX;
}

/** Whether an event is never sent, because it happened at another hour. */
export function isOutsideHours(
  { sendingHours }: SendingTimes,
  { category, timeUs }: EventRecord,
  local: LocalClock,
): boolean {
  if (sendingHours === undefined || sendingHours.areOthersKept) return false;
  if (sendingHours.areErrorsTold && category === ERROR) return false;
  return !isScheduled(sendingHours.week, local(timeUs));
}

/**
 * Milliseconds for which the events that wait are held back; 0: they may be sent. At most `LOOK_AGAIN_MS`: who waits asks again
 * then.
 */
export function heldBackForMs(
  { quietHours, sendingHours }: SendingTimes,
  waiting: readonly EventRecord[],
  { nowUs, local }: { readonly nowUs: number; readonly local: LocalClock },
): number {
  const areErrorsTold = (quietHours ?? sendingHours)?.areErrorsTold === true;
  if (areErrorsTold && waiting.some(({ category }) => category === ERROR)) return 0;
  const minutes =
    quietHours !== undefined
      ? quietMinutes(quietHours, local(nowUs))
      : sendingHours?.areOthersKept === true
        ? minutesToNext(sendingHours.week, local(nowUs))
        : 0;
  if (minutes === 0) return 0;
  const intoMinuteUs = nowUs % US_PER_MINUTE;
  return Math.min(Math.ceil((minutes * US_PER_MINUTE - intoMinuteUs) / US_PER_MS), LOOK_AGAIN_MS);
}

/** Minutes of the wall clock until quiet hours are over; 0 outside them. */
function quietMinutes({ fromMinute, toMinute }: QuietHours, { minute }: LocalTime): number {
  const passed = (minute - fromMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (toMinute - fromMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  return Math.max(0, length - passed);
}

/** Minutes of the wall clock until the next hours of the week begin; 0 within them. */
function minutesToNext(week: WeeklySchedule, now: LocalTime): number {
  if (isScheduled(week, now)) return 0;
  const today = WEEK_DAYS.indexOf(now.day);
  for (let days = 0; days <= WEEK_DAYS.length; days += 1) {
    const day = WEEK_DAYS[(today + days) % WEEK_DAYS.length] ?? now.day;
    const next = (week[day] ?? []).find(({ fromMinute }) => days > 0 || fromMinute > now.minute);
    if (next !== undefined) return days * MINUTES_PER_DAY + next.fromMinute - now.minute;
  }
  return MINUTES_PER_DAY;
}
