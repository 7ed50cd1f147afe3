import { type Clock, MS_PER_SECOND, US_PER_MS, US_PER_SECOND } from "../../base/index.js";

/** Longest single pause: a limit that is lifted meanwhile counts soon. */
const PAUSE_MS_MAX = MS_PER_SECOND;
/** Timers are late on a busy machine, and a request begins with none of its body: so much is made up for. */
const MADE_UP_US_MAX = 100 * US_PER_MS;

/** Holds what is sent to so many bytes a second, over all requests together. */
export class Pace {
  readonly #clock: Clock;
  #bytesPerSecond: number | undefined;
  /** When what was sent so far will have been paid for, monotonic. */
  #dueUs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: as fast as it goes. */
  limit(bytesPerSecond: number | undefined): void {
    this.#bytesPerSecond = bytesPerSecond;
    this.#dueUs = Math.min(this.#dueUs, this.#clock.monotonicUs() + US_PER_SECOND);
  }

  /** Resolves when so many bytes may be sent. */
  readonly wait = async (bytes: number): Promise<void> => {
    for (;;) {
      const rate = this.#bytesPerSecond;
      if (rate === undefined) return;
      const nowUs = this.#clock.monotonicUs();
      if (this.#dueUs <= nowUs) {
        // What was not used is not kept, but for what a late timer took: a pause does not end with a burst.
        const paidUs = Math.max(this.#dueUs, nowUs - MADE_UP_US_MAX);
        this.#dueUs = paidUs + (bytes / Math.max(1, rate)) * US_PER_SECOND;
        return;
      }
      const waitMs = Math.min(PAUSE_MS_MAX, Math.ceil((this.#dueUs - nowUs) / US_PER_MS));
      await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, waitMs));
    }
  };
}
