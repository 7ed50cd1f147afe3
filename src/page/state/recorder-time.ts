import { signal } from "@preact/signals";

/** The recorder's clock less this device's, in milliseconds. The recorder sends its time with who is logged in: before any screen. */
export const aheadMs = signal(0);

/** How far it may be off. */
let offMs = Number.POSITIVE_INFINITY;

/** The recorder's clock, Unix milliseconds. */
export function recorderNow(): number {
  return Date.now() + aheadMs.peek();
}

/**
 * Takes the recorder's time, asked for and answered at these moments of the device's clock. It is as exact as the way there
 * and back is even, so a slow answer counts only where it contradicts a faster one: one of the clocks was set.
 */
export function takeRecorderTime(recorderMs: number, askedMs: number, answeredMs: number): void {
  const ahead = recorderMs - (askedMs + answeredMs) / 2;
  const off = Math.abs(answeredMs - askedMs) / 2 + 1;
  if (off > offMs && Math.abs(ahead - aheadMs.peek()) <= off + offMs) return;
  offMs = off;
  aheadMs.value = ahead;
}
