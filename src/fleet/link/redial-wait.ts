/** The first wait, and the longest. */
export const FIRST_WAIT_MS = 2_000;
export const LONGEST_WAIT_MS = 300_000;
/** A connection that lasted so long was a good one: the waits begin anew. */
export const GOOD_AFTER_MS = 30_000;
const GROWTH = 2;
const GROWTHS_MAX = 16;

/** How long to wait before the next try: twice as long each time, and by chance, so that a thousand boxes do not come at once. */
export class RedialWait {
  readonly #random: () => number;
  #failures = 0;

  /** `random`: 0 to 1, each time another. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Between a quarter of the step and the whole of it. `lastedMs`: how long the last connection held; 0: there was none. */
  next(lastedMs: number): number {
    if (lastedMs >= GOOD_AFTER_MS) this.#failures = 0;
    const stepMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * GROWTH ** this.#failures);
    this.#failures = Math.min(GROWTHS_MAX, this.#failures + 1);
    return stepMs * (1 / 4 + (3 / 4) * this.#random());
  }
}
