import * as v from "valibot";
import { MINUTES_PER_HOUR } from "../../base/index.js";

/** Times of day in bodies and answers: `22:00`. */

const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]";

function timeMatching(pattern: string, accepted: string) {
  return v.pipe(
    v.string(accepted),
    v.regex(new RegExp(pattern), accepted),
    v.metadata({ jsonSchema: { pattern } }),
  );
}

/** A beginning or an end, up to `24:00`. */
export const timeOfDay = timeMatching(`^(${TIME}|24:00)$`, "accepted: a time of day such as 22:00");
/** A moment of a day, which `24:00` is not. */
export const timeOfStart = timeMatching(`^${TIME}$`, "accepted: a time of day such as 22:00, up to 23:59");

export function minuteOf(time: string | null | undefined): number | undefined {
  if (time === null || time === undefined) return undefined;
  const [hours, minutes] = time.split(":");
  return Number(hours) * MINUTES_PER_HOUR + Number(minutes);
}

export function timeText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / MINUTES_PER_HOUR))}:${two(minute % MINUTES_PER_HOUR)}`;
}
