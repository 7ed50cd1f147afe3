import { MINUTES_PER_DAY, MINUTES_PER_HOUR, US_PER_MINUTE, US_PER_MS } from "../base/index.js";
import type { QuietHours } from "../site/index.js";

/** Local time where it is asked for; the machine's own. */
export type MinuteOfDay = (timeUs: number) => number;

export const localMinute: MinuteOfDay = (timeUs) => {
  const date = new Date(timeUs / US_PER_MS);
  return date.getHours() * MINUTES_PER_HOUR + date.getMinutes();
};

/**
 * Milliseconds until quiet hours are over; 0 outside them. Where clocks are changed meanwhile it is an hour off: who waits asks
 * again then.
 */
export function quietForMs(
  { fromMinute, toMinute }: QuietHours,
  nowUs: number,
  minuteOfDay: MinuteOfDay = localMinute,
): number {
  const minute = minuteOfDay(nowUs);
  const passed = (minute - fromMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (toMinute - fromMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (passed >= length) return 0;
  const intoMinuteUs = nowUs % US_PER_MINUTE;
  return Math.ceil(((length - passed) * US_PER_MINUTE - intoMinuteUs) / US_PER_MS);
}
