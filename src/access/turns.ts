import { NvrdError, Semaphore } from "../base/index.js";

/** Maximum number of waiting checks, in total and per address. */
const CHECKS_WAITING_MAX = 512;
const CHECKS_WAITING_PER_ADDRESS_MAX = 64;
/** Retry-After for a rejected login; the waiting checks are finished by then. */
const FULL_RETRY_MS = 5000;

/**
 * Queues work: one at a time per address, so that each failure counts before the next attempt, and a few at a time in total.
 */
export class Turns {
  readonly #places: Semaphore;
  readonly #lastByAddress = new Map<string, { readonly ended: Promise<void>; readonly waiting: number }>();
  #waiting = 0;

  constructor(options: { readonly atOnceMax: number }) {
    this.#places = new Semaphore({ atOnce: options.atOnceMax, waitingMax: CHECKS_WAITING_MAX });
  }

  /** Runs `work` in its turn. Rejects with TOO_MANY_REQUESTS if the queue is full. */
  async take<T>(address: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lastByAddress.get(address);
    const waiting = (before?.waiting ?? 0) + 1;
    if (this.#waiting >= CHECKS_WAITING_MAX || waiting > CHECKS_WAITING_PER_ADDRESS_MAX) {
      throw new NvrdError("TOO_MANY_REQUESTS", "too many logins are being checked", {
        retryAfterMs: FULL_RETRY_MS,
      });
    }
    this.#waiting += 1;
    const result = (before?.ended ?? Promise.resolve()).then(() => this.#places.run(work));
    const ended = result.then(
      () => this.#end(address),
      () => this.#end(address),
    );
    this.#lastByAddress.set(address, { ended, waiting });
    return await result;
  }

  #end(address: string): void {
    this.#waiting -= 1;
    const last = this.#lastByAddress.get(address);
    if (last === undefined) return;
    if (last.waiting <= 1) this.#lastByAddress.delete(address);
    else this.#lastByAddress.set(address, { ended: last.ended, waiting: last.waiting - 1 });
  }
}
