import type { Clock } from "../base/index.js";

/** Maps media time to stream time; outlives the sessions of its stream. */
export class StreamClock {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wall clock as the stream sees it, Unix microseconds. */
  nowUs(): number {
    return this.#clock.nowUs();
  }
}
