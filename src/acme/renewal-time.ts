import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from "../base/index.js";

/** From when to when a certificate is valid, Unix µs. */
export interface Validity {
  readonly validFromUs: number;
  readonly validToUs: number;
}

/** When the authority wants it renewed (RFC 9773), Unix µs. */
export interface RenewalWindow {
  readonly startUs: number;
  readonly endUs: number;
}

/** Without a word of the authority: when a third of the lifetime is left, and up to a thirtieth of it earlier. */
const LEFT_SHARE = 1 / 3;
const EARLIER_SHARE = 1 / 30;
/** Whatever the authority says, it is renewed when less than this is left, */
const LEFT_SHARE_MIN = 1 / 6;
/** and never so soon after the last time. */
const AGE_SHARE_MIN = 1 / 6;
const AGE_US_MAX = US_PER_DAY;

/** How long a failure is waited for, by how many there were in a row; the last holds for all further ones. */
const WAITS_US = [10 * US_PER_MINUTE, US_PER_HOUR, 4 * US_PER_HOUR, 12 * US_PER_HOUR, US_PER_DAY];
const WAIT_SPREAD = 0.2;
/** A limit of the authority counts up to this: its clock, or this one, may be wrong. */
const LIMIT_US_MAX = 8 * US_PER_DAY;

/** When the authority is asked next, unless it says. */
export const WINDOW_LOOK_US = { least: US_PER_HOUR, usual: 6 * US_PER_HOUR, most: US_PER_DAY } as const;

/** When a certificate is to be renewed. `share`, 0 to 1: this recorder's place among all that renew at about this time. */
export function renewalTimeUs(
  { validFromUs, validToUs }: Validity,
  window: RenewalWindow | undefined,
  share: number,
): number {
  const lifetimeUs = validToUs - validFromUs;
  if (window === undefined || !(window.startUs < window.endUs))
    return validToUs - lifetimeUs * LEFT_SHARE - share * lifetimeUs * EARLIER_SHARE;
  const wantedUs = window.startUs + share * (window.endUs - window.startUs);
  const leastUs = validFromUs + Math.min(AGE_US_MAX, lifetimeUs * AGE_SHARE_MIN);
  return Math.min(Math.max(wantedUs, leastUs), validToUs - lifetimeUs * LEFT_SHARE_MIN);
}

/** When it is tried again after the `failures`-th failure in a row. */
export function nextTryUs(
  nowUs: number,
  {
    failures,
    untilUs,
    share,
  }: { readonly failures: number; readonly untilUs: number | undefined; readonly share: number },
): number {
  const waitUs = WAITS_US[Math.min(failures, WAITS_US.length) - 1] ?? 0;
  const againUs = nowUs + waitUs * (1 + share * WAIT_SPREAD);
  return Math.max(againUs, Math.min(untilUs ?? 0, nowUs + LIMIT_US_MAX));
}

/** The last of those times, for a clock that was set back meanwhile. */
export function latestTryUs(nowUs: number): number {
  return nowUs + LIMIT_US_MAX;
}
