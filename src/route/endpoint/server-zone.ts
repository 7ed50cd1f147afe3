import { MINUTES_PER_HOUR } from "../../base/index.js";

/** Offset of this machine's time zone from UTC at that time, in minutes. */
export function zoneOffsetMinutes(timeUs: number): number {
  const minutes = new Date(Math.floor(timeUs / 1000)).getTimezoneOffset();
  // UTC is 0, not -0, which XML would spell out.
  return minutes === 0 ? 0 : -minutes;
}

/** The same in hours; may be fractional. */
export function zoneOffsetHours(timeUs: number): number {
  return zoneOffsetMinutes(timeUs) / MINUTES_PER_HOUR;
}
