import { formatApiTimeMs, MINUTES_PER_HOUR, US_PER_MINUTE } from "../../base/index.js";
import { zoneOffsetMinutes } from "../../route/index.js";

/** ZonedTimestamp: `dd.MM.yyyy HH:mm:ss.fff +03:00` in this machine's time zone at that moment. */
export function formatZonedTime(timeUs: number): string {
  const offsetMinutes = zoneOffsetMinutes(timeUs);
  const size = Math.abs(offsetMinutes);
  const hours = String(Math.floor(size / MINUTES_PER_HOUR)).padStart(2, "0");
  const minutes = String(size % MINUTES_PER_HOUR).padStart(2, "0");
  const local = formatApiTimeMs(timeUs + offsetMinutes * US_PER_MINUTE);
  return `${local} ${offsetMinutes < 0 ? "-" : "+"}${hours}:${minutes}`;
}
