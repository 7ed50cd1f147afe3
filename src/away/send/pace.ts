import { type Clock, MS_PER_SECOND, US_PER_MS, US_PER_SECOND } from "../../base/index.js";

/** Longest single pause: a limit that is lifted meanwhile counts soon. */
const PAUSE_MS_MAX = MS_PER_SECOND;

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
        // What was not used is not kept: a pause does not end with a burst.
        this.#dueUs = nowUs + (bytes / Math.max(1, rate)) * US_PER_SECOND;
        return;
      }
      const waitMs = Math.min(PAUSE_MS_MAX, Math.ceil((this.#dueUs - nowUs) / US_PER_MS));
      await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, waitMs));
    }
  };
}
