import type { FailureKind } from "./rtsp-failure.js";

/**
 * How long to wait before the next attempt. A port that does not answer is tried at least every two seconds: such
 * attempts are cheap, and a camera that comes back is recorded at once. A camera that answers with a refusal is asked
 * less often, and one that refuses the password only once a minute, because many cameras lock the account otherwise.
 */

/** Delay after the first failure; doubled with each further one. */
export const RETRY_DELAY_MS_MIN = 250;
/** Least delay between attempts after a refused password. */
export const UNAUTHORIZED_DELAY_MS = 60_000;
/** Delays vary by this fraction either way, so that 64 cameras on one switch do not reconnect at the same time. */
const JITTER = 0.25;
const DELAY_MS_MAX_DEFAULT = 1500;

/** Longest delay by kind, before jitter. */
const DELAY_MS_MAX: Partial<Record<FailureKind, number>> = {
  tls: 10_000,
  "key-changed": 10_000,
  "not-found": 5000,
  rejected: 5000,
  // Some cameras drop a working session when another one is requested too often.
  busy: 15_000,
  transport: 10_000,
  protocol: 5000,
  unsupported: 30_000,
};

/**
 * For this long after a loss, or after the camera's port was last silent, the camera may still be booting: refusals do
 * not lengthen the delay.
 */
export const BOOT_MS_MAX = 60_000;

/** Failures that mean that the camera is, or was, absent. */
const AWAY: ReadonlySet<FailureKind> = new Set([
  "refused",
  "unreachable",
  "closed",
  "no-answer",
  "no-data",
  "no-frames",
  "stalled",
]);

/** Whether the failure means that the camera is absent, so that it may be booting when it answers next. */
export function isAway(kind: FailureKind): boolean {
  return AWAY.has(kind);
}

/** Milliseconds to wait after `failures` failures in a row (1 or more), the last one of `kind`. `random`: 0 to 1. `booting`: within
 * BOOT_MS_MAX of a loss. */
export function retryDelayMs(
  kind: FailureKind,
  failures: number,
  random: () => number,
  booting = false,
): number {
  if (kind === "unauthorized") return UNAUTHORIZED_DELAY_MS * (1 + JITTER * random());
  const doublings = Math.min(Math.max(failures - 1, 0), 16);
  const delayMsMax = booting ? DELAY_MS_MAX_DEFAULT : (DELAY_MS_MAX[kind] ?? DELAY_MS_MAX_DEFAULT);
  const delayMs = Math.min(RETRY_DELAY_MS_MIN * 2 ** doublings, delayMsMax);
  return delayMs * (1 - JITTER + 2 * JITTER * random());
}
