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
  /** Attempts that were turned away unseen since. */
  readonly refusals: number;
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
    return failures === undefined ? 0 : Math.max(0, this.#penaltyMs(failures) - this.#sinceMs(failures));
  }

  /** The whole wait that the failures of `key` bring. */
  penaltyMs(key: string): number {
    const failures = this.#current(key);
    return failures === undefined ? 0 : this.#penaltyMs(failures);
  }

  /** Since the last failure of `key`; undefined when there was none lately. */
  sinceFailureMs(key: string): number | undefined {
    const failures = this.#current(key);
    return failures === undefined || failures.count === 0 ? undefined : this.#sinceMs(failures);
  }

  /** How many attempts of `key` were turned away unseen. */
  refusals(key: string): number {
    return this.#current(key)?.refusals ?? 0;
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
    const { count, refusals } = this.#current(key) ?? { count: 0, refusals: 0 };
    this.#failures.set(key, { count: count + 1, refusals, lastUs: this.#clock.monotonicUs() });
  }

  /** Does not lengthen the wait. */
  addRefusal(key: string): void {
    const failures = this.#current(key) ?? { count: 0, refusals: 0, lastUs: this.#clock.monotonicUs() };
    this.#failures.set(key, { ...failures, refusals: failures.refusals + 1 });
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #penaltyMs({ count }: Failures): number {
    if (count <= this.#limits.freeFailures) return 0;
    const doublings = count - this.#limits.freeFailures - 1;
    return Math.min(this.#limits.firstWaitMs * 2 ** doublings, this.#limits.longestWaitMs);
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
