import type Sharp from "sharp";
import { hasSpareThreads, NvrdError, Semaphore } from "../../base/index.js";

/** Time limit for one picture. */
export const WORK_SECONDS_MAX = 5;
/**
 * Most pictures that sharp works on at a time. It uses libuv's threads, four by default, which file access and password
 * checks need too.
 */
export const SHARP_JOBS_AT_ONCE_MAX = 2;
/** A safeguard: `Stills` has a lower limit. */
const SHARP_JOBS_WAITING_MAX = 1024;

/** Threads that libvips may start for a picture; without one it ends the process. */
const SPARE_THREADS_MIN = 8;

let loading: Promise<typeof Sharp> | undefined;

/** Loaded on demand, because it takes some 30 MB of memory. */
export function loadSharp(): Promise<typeof Sharp> {
  loading ??= import("sharp").then(({ default: sharp }) => {
    // No cache, so that the service's memory does not grow. libvips may open only JPEG, because the bytes are a
    // camera's.
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: ["VipsForeignLoadJpegBuffer"] });
    return sharp;
  });
  return loading;
}

/** sharp's turns: a few pictures at a time. */
export class SharpTurns {
  readonly #turns = new Semaphore({ atOnce: SHARP_JOBS_AT_ONCE_MAX, waitingMax: SHARP_JOBS_WAITING_MAX });

  /** Runs `work` in its turn. Rejects with NOT_AVAILABLE where the system has no threads for it. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(() => {
      if (hasSpareThreads(SPARE_THREADS_MIN)) return work();
      throw new NvrdError("NOT_AVAILABLE", "the system has no threads for pictures", {
        hint: "raise the limit of threads (TasksMax, pids.max, RLIMIT_NPROC)",
      });
    });
  }
}
