import { type Clock, NvrdError, pauseUnlessAborted } from "../../base/index.js";

const WAIT_MS = 1000;

/** Does work of the codec in its turn: where this is busy, again after a while, until nobody wants it any more. */
export type Patience = <T>(work: () => Promise<T>) => Promise<T>;

export function patience(clock: Clock, signal: AbortSignal): Patience {
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isBusy = error instanceof NvrdError && error.code === "NOT_AVAILABLE";
        if (!isBusy || signal.aborted) throw error;
        await pauseUnlessAborted(clock, error.retryAfterMs ?? WAIT_MS, signal);
      }
    }
  };
}
