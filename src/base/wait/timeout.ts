import type { Clock } from "../time/clock.js";
import { setTimeLimit } from "../time/time-limit.js";

/** How long to wait for work that cannot be cancelled. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
}

/**
 * Settles as `work` does, or rejects with `error()` once the time is over. The work is not cancelled; its later outcome
 * is ignored.
 */
export function withTimeout<T>(
  work: PromiseLike<T>,
  { clock, ms, error }: TimeLimit & { readonly error: () => Error },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeLimit(clock, () => reject(error()), ms);
    work.then(resolve, reject).then(() => timer.clear());
  });
}

/** Whether `work` ends within the time. Rejects as it does, if that comes in time. */
export function endsWithin(work: PromiseLike<unknown>, { clock, ms }: TimeLimit): Promise<boolean> {
  return new Promise<boolean>((resolve, reject) => {
    const timer = setTimeLimit(clock, () => resolve(false), ms);
    work.then(() => resolve(true), reject).then(() => timer.clear());
  });
}

/** As `withTimeout`, until `signal` is or gets aborted. */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal, error: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(error());
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).then(() => signal.removeEventListener("abort", onAbort));
  });
}

/** As `endsWithin`, until `signal` is or gets aborted. */
export function endsUnlessAborted(work: PromiseLike<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise<boolean>((resolve, reject) => {
    const onAbort = (): void => resolve(false);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(() => resolve(true), reject).then(() => signal.removeEventListener("abort", onAbort));
  });
}
