import { MINUTES_PER_HOUR, US_PER_MS } from "../../base/index.js";

/** Minutes of a local day; the first may be later than the second. */
export interface FillHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Reads `22:00-06:00`, which the settings have checked. */
export function fillHours(text: string): FillHours {
  const [fromMinute = 0, toMinute = 0] = text.split("-").map((time) => {
    const [hours = 0, minutes = 0] = time.split(":").map(Number);
    return hours * MINUTES_PER_HOUR + minutes;
  });
  return { fromMinute, toMinute };
}

/** Whether a time lies in the hours, by the machine's time zone. */
export function isWithin({ fromMinute, toMinute }: FillHours, timeUs: number): boolean {
  const date = new Date(timeUs / US_PER_MS);
  const minute = date.getHours() * MINUTES_PER_HOUR + date.getMinutes();
  return fromMinute < toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}
