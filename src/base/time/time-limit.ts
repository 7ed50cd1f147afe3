import { US_PER_MS } from "../value/units.js";
import type { Clock, ClockTimer } from "./clock.js";

/**
 * Monotonic microseconds in which the main thread could take what it was sent: while something else held it, nobody it waits for
 * can be said to be late.
 */
export function attentiveUs(clock: Clock): number {
  return clock.monotonicUs() - (clock.heldUs?.() ?? 0);
}

/**
 * A time limit for somebody else: a disk, a camera, a server. Calls `run` once, when `ms` are over in which the main thread
 * was there to take the answer, and after it has looked for one.
 */
export function setTimeLimit(clock: Clock, run: () => void, ms: number): ClockTimer {
  const endUs = attentiveUs(clock) + ms * US_PER_MS;
  let timer = clock.setTimeout(look, ms);
  function look(): void {
    // Timers come before what lies in sockets: after a hold, a millisecond lets it be read.
    const leftMs = Math.ceil((endUs - attentiveUs(clock)) / US_PER_MS);
    if (leftMs > 0) timer = clock.setTimeout(look, leftMs);
    else run();
  }
  return { clear: () => timer.clear() };
}
