import { type Clock, NvrdError, US_PER_SECOND } from "../../base/index.js";

/** Maximum sustained rate of events per second, per user and per address. */
export const EVENTS_PER_SECOND_MAX = 200;
/** Maximum burst of events after a pause. */
export const EVENTS_BURST_MAX = 1000;
/** Number of users and addresses tracked; the least recently used is evicted. */
const BUCKETS_MAX = 4096;

interface Bucket {
  tokens: number;
  atUs: number;
}

/** Limits the rate of POST /api/events, per user and per address. */
export class EventRate {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts `events` against each of `keys`. Throws NvrdError TOO_MANY_REQUESTS, without counting, if one has too few left.
   * `events` is at most EVENTS_BURST_MAX.
   */
  take(keys: readonly string[], events: number): void {
    const buckets = keys.map((key) => this.#bucket(key));
    const missing = Math.max(...buckets.map((bucket) => events - bucket.tokens));
    if (missing > 0) {
      throw new NvrdError("TOO_MANY_REQUESTS", `more than ${EVENTS_PER_SECOND_MAX} events a second`, {
        retryAfterMs: Math.ceil((missing / EVENTS_PER_SECOND_MAX) * 1000),
      });
    }
    for (const bucket of buckets) bucket.tokens -= events;
  }

  #bucket(key: string): Bucket {
    const nowUs = this.#clock.monotonicUs();
    const known = this.#buckets.get(key);
    const bucket = known ?? { tokens: EVENTS_BURST_MAX, atUs: nowUs };
    const gained = ((nowUs - bucket.atUs) / US_PER_SECOND) * EVENTS_PER_SECOND_MAX;
    bucket.tokens = Math.min(EVENTS_BURST_MAX, bucket.tokens + gained);
    bucket.atUs = nowUs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > BUCKETS_MAX) {
      const oldest = this.#buckets.keys().next();
      if (oldest.done !== true) this.#buckets.delete(oldest.value);
    }
    return bucket;
  }
}
