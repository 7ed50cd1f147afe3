import { type Clock, NvrdError, pauseUnlessAborted } from "../../base/index.js";

const RETRY_MS = 10_000;

/**
 * Tries to open an environment until it succeeds: a failing disk may recover. Resolves with undefined if `signal` is
 * aborted first. Rejects with FORMAT_NEWER only; any other error goes to `onRefused`, and `isFirst` is true once.
 */
export async function openWhenPossible<T>(options: {
  readonly attempt: () => Promise<T>;
  readonly onRefused: (error: unknown, isFirst: boolean) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<T | undefined> {
  const { attempt, onRefused, clock, signal } = options;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof NvrdError && error.code === "FORMAT_NEWER") throw error;
      onRefused(error, isFirst);
    }
    await pauseUnlessAborted(clock, RETRY_MS, signal);
  }
  return undefined;
}
