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

/** A link under a limit below this is slow. */
const SLOW_BELOW = (2000 * BITS_PER_KILOBIT) / BITS_PER_BYTE;
/** A part takes about so long on a slow link: what a cut loses is sent twice. */
const PART_SECONDS = 300;
/** Servers take no smaller parts, but for the last. */
const PART_BYTES_MIN = 5 * 1024 * 1024;
const PART_BYTES_MAX = 16 * 1024 * 1024;

/** How segments go at a rate, bytes a second. */
export interface Sends {
  readonly atOnce: number;
  /** Larger segments go in parts of this; undefined: as large as they go on a quick link. */
  readonly partBytes: number | undefined;
}

/** On a slow link one segment at a time has all of it: more would each take the longer, and none would arrive. */
export function sendsAt(rate: number | undefined, atOnceMax: number): Sends {
  if (rate === undefined || rate >= SLOW_BELOW) return { atOnce: atOnceMax, partBytes: undefined };
  const bytes = Math.floor(rate * PART_SECONDS);
  return { atOnce: 1, partBytes: Math.min(PART_BYTES_MAX, Math.max(PART_BYTES_MIN, bytes)) };
}
