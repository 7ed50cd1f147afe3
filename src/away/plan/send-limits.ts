import { BITS_PER_BYTE, MINUTES_PER_HOUR } from "../../base/index.js";
import { type AwayTarget, WEEK_DAYS } from "../../site/index.js";

const BITS_PER_KILOBIT = 1000;
const BYTES_PER_GB = 1e9;

/** Bytes a second that may be sent at a time of the week; undefined: as many as go, 0: none. `at` is local time. */
export function rateAt(target: Pick<AwayTarget, "kbpsMax" | "hours">, at: Date): number | undefined {
  const day = WEEK_DAYS[at.getDay()];
  const minute = at.getHours() * MINUTES_PER_HOUR + at.getMinutes();
  const hours = target.hours.find(
    (range) => range.day === day && range.fromMinute <= minute && minute < range.toMinute,
  );
  const kbps = hours === undefined ? target.kbpsMax : hours.kbpsMax;
  return kbps === null ? undefined : (kbps * BITS_PER_KILOBIT) / BITS_PER_BYTE;
}

/** `2026-01`, local time: a volume begins anew with it. */
export function monthOf(at: Date): string {
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}`;
}

/** Whether the month's volume is used up. */
export function isUsedUp({ gbPerMonthMax }: Pick<AwayTarget, "gbPerMonthMax">, monthBytes: number): boolean {
  return gbPerMonthMax !== null && monthBytes >= gbPerMonthMax * BYTES_PER_GB;
}
