import { US_PER_DAY } from "../../base/index.js";

/** How far back the rate looks: a day, since cameras send less at night, and motion comes by day. */
export const RATE_WINDOW_US = 86_400_000_000;
/** Samples are so far apart, so that a day of them is short. */
export const RATE_SAMPLE_US = 600_000_000;
/** Before so much time has passed there is no rate. */
export const RATE_LEAST_US = 60_000_000;

/** The present rate of a counter: of the last 24 hours, or of the time since the first look where that is shorter. */
export class DayRate {
  /** Sums since the first look, by time, oldest first. */
  #samples: { readonly atUs: number; readonly sum: number }[] = [];
  #counted: number | undefined;
  #sum = 0;
  #lastUs = 0;

  /** Adds a sample of the counter; one that fell restarted at 0. */
  note(count: number, nowUs: number): void {
    const before = this.#counted ?? count;
    this.#sum += count >= before ? count - before : count;
    this.#counted = count;
    this.#lastUs = nowUs;
    const newest = this.#samples.at(-1);
    if (newest === undefined || nowUs - newest.atUs >= RATE_SAMPLE_US)
      this.#samples.push({ atUs: nowUs, sum: this.#sum });
    const [, second] = this.#samples;
    if (second !== undefined && nowUs - second.atUs >= RATE_WINDOW_US) this.#samples.shift();
  }

  /** Undefined in the first minute. */
  get perDay(): number | undefined {
    const [oldest] = this.#samples;
    const passedUs = oldest === undefined ? 0 : this.#lastUs - oldest.atUs;
    if (oldest === undefined || passedUs < RATE_LEAST_US) return undefined;
    return ((this.#sum - oldest.sum) / passedUs) * US_PER_DAY;
  }
}
