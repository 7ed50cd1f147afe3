import type { Clock, ClockTimer } from "../../../src/base/index.js";

/** A clock that stands until a test moves it. */
export class ManualClock implements Clock {
  #elapsedUs = 0;
  readonly #startUs: number;
  readonly #timers = new Set<{ dueUs: number; run: () => void }>();

  constructor(startUs = Date.UTC(2024, 0, 1) * 1000) {
    this.#startUs = startUs;
  }

  nowUs(): number {
    return this.#startUs + this.#elapsedUs;
  }

  monotonicUs(): number {
    return this.#elapsedUs;
  }

  setTimeout(run: () => void, delayMs: number): ClockTimer {
    const timer = { dueUs: this.#elapsedUs + delayMs * 1000, run };
    this.#timers.add(timer);
    return { clear: () => void this.#timers.delete(timer) };
  }

  setInterval(run: () => void, periodMs: number): ClockTimer {
    let timer: ClockTimer;
    const again = () => {
      timer = this.setTimeout(again, periodMs);
      run();
    };
    timer = this.setTimeout(again, periodMs);
    return { clear: () => timer.clear() };
  }

  /** Moves on by `ms`, running what falls due, in order. */
  advance(ms: number): void {
    const endUs = this.#elapsedUs + ms * 1000;
    for (;;) {
      const [next] = [...this.#timers]
        .filter((timer) => timer.dueUs <= endUs)
        .sort((a, b) => a.dueUs - b.dueUs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#elapsedUs = next.dueUs;
      next.run();
    }
    this.#elapsedUs = endUs;
  }
}
