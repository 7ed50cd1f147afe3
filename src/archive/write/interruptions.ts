import { type Clock, US_PER_SECOND } from "../../base/index.js";

/** Interruptions in a row that each end the fragment. */
const BURST = 20;
/** After these, one in so long. */
const INTERVAL_US = 600 * US_PER_SECOND;

/**
 * Counts how often a stream is interrupted. Each interruption ends a fragment, and with it a segment, so a camera that comes and
 * goes every few seconds would make 20,000 files a day where others make 1,440. Once it has had so many interruptions that they
 * are not reported, short ones are recorded as a step of time within the fragment.
 */
export class Interruptions {
  readonly #clock: Pick<Clock, "monotonicUs">;
  #left = BURST;
  #countedUs: number;

  constructor(clock: Pick<Clock, "monotonicUs">) {
    this.#clock = clock;
    this.#countedUs = clock.monotonicUs();
  }

  /** Counts one; true when it ends the fragment. */
  endsFragment(): boolean {
    const nowUs = this.#clock.monotonicUs();
    this.#left = Math.min(BURST, this.#left + (nowUs - this.#countedUs) / INTERVAL_US);
    this.#countedUs = nowUs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
