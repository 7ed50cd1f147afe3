import { type Clock, US_PER_MS } from "../base/index.js";
import { RecentMap } from "./recent-map.js";

export interface FailureTableLimits {
  /** Number of failures without a wait. */
  readonly freeFailures: number;
  /** The wait after the first failure beyond these; each further failure doubles it. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** After this long without a failure the count starts again. */
  readonly forgetAfterMs: number;
  /** Maximum number of keys; the least recently failed is evicted. */
  readonly entriesMax: number;
}

interface Failures {
  readonly count: number;
  readonly lastUs: number;
}

/** Counts failed attempts by key and computes the wait before the next one. Uses the monotonic clock. */
export class FailureTable {
  readonly #clock: Clock;
  readonly #limits: FailureTableLimits;
  readonly #failures: RecentMap<string, Failures>;

  constructor(options: { readonly clock: Clock; readonly limits: FailureTableLimits }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#failures = new RecentMap(options.limits.entriesMax);
  }

  /** Milliseconds until `key` may try again; 0 when it may now. */
  waitMs(key: string): number {
    const failures = this.#current(key);
    if (failures === undefined || failures.count <= this.#limits.freeFailures) return 0;
    const doublings = failures.count - this.#limits.freeFailures - 1;
    const waitMs = Math.min(this.#limits.firstWaitMs * 2 ** doublings, this.#limits.longestWaitMs);
    return Math.max(0, waitMs - this.#sinceMs(failures));
  }

  /** There are no recent failures. */
  get isEmpty(): boolean {
    return this.#failures.size === 0;
  }

  /** Whether `key` has failed recently. */
  has(key: string): boolean {
    return this.#current(key) !== undefined;
  }

  add(key: string): void {
    const count = (this.#current(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, lastUs: this.#clock.monotonicUs() });
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #current(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    if (failures === undefined || this.#sinceMs(failures) < this.#limits.forgetAfterMs) return failures;
    this.#failures.delete(key);
    return undefined;
  }

  #sinceMs(failures: Failures): number {
    return (this.#clock.monotonicUs() - failures.lastUs) / US_PER_MS;
  }
}
