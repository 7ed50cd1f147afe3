import type { ClockTimer } from "../../../src/base/index.js";
import { SystemClock } from "../../../src/base/index.js";

/** A clock on which time passes so many times as fast: what takes minutes is seen in seconds. */
export class QuickClock extends SystemClock {
  readonly #times: number;
  readonly #beganUs = super.monotonicUs();

  constructor(times: number) {
    super();
    this.#times = times;
  }

  override monotonicUs(): number {
    return this.#beganUs + (super.monotonicUs() - this.#beganUs) * this.#times;
  }

  override setTimeout(run: () => void, delayMs: number): ClockTimer {
    return super.setTimeout(run, delayMs / this.#times);
  }

  override setInterval(run: () => void, periodMs: number): ClockTimer {
    return super.setInterval(run, periodMs / this.#times);
  }
}
