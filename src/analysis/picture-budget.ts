import type { Clock } from "../base/index.js";

const US_PER_HOUR = 3_600_000_000;
const HOURS_PER_DAY = 24;

/**
 * The bytes of pictures that the event log gets. Each hour adds its share of the day's, and what is not used is kept for a day.
 * A start has the share of one hour: nothing is stored, and a recorder that starts again and again gets little more.
 */
export class PictureBudget {
  readonly #clock: Clock;
  readonly #bytesPerDay: number;
  /** Negative after a picture that was larger than the rest. */
  #bytes: number;
  #countedUs: number;

  constructor(clock: Clock, bytesPerDay: number) {
    this.#clock = clock;
    this.#bytesPerDay = bytesPerDay;
    this.#bytes = bytesPerDay / HOURS_PER_DAY;
    this.#countedUs = clock.monotonicUs();
  }

  /** Whether another picture may be made. */
  get hasRoom(): boolean {
    this.#count();
    return this.#bytes > 0;
  }

  take(bytes: number): void {
    this.#count();
    this.#bytes -= bytes;
  }

  #count(): void {
    const nowUs = this.#clock.monotonicUs();
    const added = ((nowUs - this.#countedUs) / US_PER_HOUR) * (this.#bytesPerDay / HOURS_PER_DAY);
    this.#bytes = Math.min(this.#bytesPerDay, this.#bytes + added);
    this.#countedUs = nowUs;
  }
}
