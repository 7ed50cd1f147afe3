import { US_PER_MS } from "../value/units.js";
import type { Clock } from "./clock.js";

/** Milliseconds that requests have of one turn of the event loop; then what else waits has its turn, recording first of all. */
export const REQUESTS_A_TURN_MS = 5;

/**
 * Answers requests as they come, and those that come beyond their part of a turn in the next ones, in order. One turn may hand out
 * thousands: all that was read of a connection, or the first bytes of many connections.
 */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  /** When the first request of this turn came, monotonic µs; undefined: none has. */
  #beganUs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request that comes now has to wait. */
  get isUsedUp(): boolean {
    return this.#waiting.length > 0 || this.#isOver();
  }

  /** Runs `work`, which must not throw, now or in one of the next turns. */
  run(work: () => void): void {
    const isLater = this.isUsedUp;
    this.#begin();
    if (isLater) this.#waiting.push(work);
    else work();
  }

  #begin(): void {
    if (this.#beganUs !== undefined) return;
    this.#beganUs = this.#clock.monotonicUs();
    setImmediate(() => void this.#next());
  }

  async #next(): Promise<void> {
    this.#beganUs = undefined;
    if (this.#waiting.length === 0) return;
    this.#begin();
    // One at least, however slow the machine is: those that wait come to their end.
    do {
      const work = this.#waiting.shift();
      if (work === undefined) return;
      work();
      // What follows of it without a wait is of this turn, too.
      await undefined;
    } while (!this.#isOver());
  }

  #isOver(): boolean {
    return (
      this.#beganUs !== undefined &&
      this.#clock.monotonicUs() - this.#beganUs >= REQUESTS_A_TURN_MS * US_PER_MS
    );
  }
}
