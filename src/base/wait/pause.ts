import type { Clock } from "../time/clock.js";

/** Resolves after `delayMs`, or at once when `signal` is or gets aborted. */
export function pauseUnlessAborted(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.clear();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimeout(end, delayMs);
    signal?.addEventListener("abort", end);
  });
}
