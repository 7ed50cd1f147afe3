import type { Clock } from "../base/index.js";

const US_PER_MINUTE = 60_000_000;

/** Lets so many through in any minute. */
export class MinuteRate {
  readonly #clock: Clock;
  readonly #times: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether one more is allowed now. */
  hasRoom(max: number): boolean {
    const fromUs = this.#clock.monotonicUs() - US_PER_MINUTE;
    while ((this.#times[0] ?? Number.POSITIVE_INFINITY) <= fromUs) this.#times.shift();
    return this.#times.length < max;
  }

  take(): void {
    this.#times.push(this.#clock.monotonicUs());
  }
}
