import { type Clock, NvrdError, pauseUnlessAborted } from "../../base/index.js";

/** Devices that are read in one go: as many as are asked at the same time, so that cancelling takes effect between two. */
export const BATCH_DEVICES = 16;
const AGAIN_MS = 1000;
/** How often a batch waits for others who add devices: they take at most a minute. */
const TRIES_MAX = 90;

export function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / BATCH_DEVICES);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * BATCH_DEVICES, (index + 1) * BATCH_DEVICES),
  );
}

/** Repeats work while somebody else reads devices. */
export async function whenFree<T>(work: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof NvrdError && error.code === "NOT_AVAILABLE";
      if (!isBusy || tries >= TRIES_MAX || signal.aborted) throw error;
      await pauseUnlessAborted(clock, AGAIN_MS, signal);
    }
  }
}
