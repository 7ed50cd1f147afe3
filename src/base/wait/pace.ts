import type { Clock, ClockTimer } from "../time/clock.js";
import { US_PER_MS, US_PER_SECOND } from "../value/units.js";

/** Timers are late on a busy machine, and a request begins with none of its body: so much is made up for. */
const MADE_UP_US_MAX = 100 * US_PER_MS;

interface Waiter {
  readonly bytes: number;
  readonly go: () => void;
}

/** Holds what is sent to so many bytes a second, over all requests together; who waits longest goes first. */
export class Pace {
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  /** Requests that may not begin yet. */
  readonly #beginning: (() => void)[] = [];
  #timer: ClockTimer | undefined;
  #bytesPerSecond: number | undefined;
  #isHeld = false;
  /** When what was sent so far will have been paid for, monotonic. */
  #dueUs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Undefined: as fast as it goes. Counts at once for those that wait. 0: nothing new begins, and what has begun ends at the former
   * limit, because servers end a request that stands still.
   */
  limit(bytesPerSecond: number | undefined): void {
    this.#isHeld = bytesPerSecond === 0;
    if (this.#isHeld) return;
    for (const begin of this.#beginning.splice(0)) begin();
    this.#bytesPerSecond = bytesPerSecond;
    this.#dueUs = Math.min(this.#dueUs, this.#clock.monotonicUs() + US_PER_SECOND);
    this.#timer?.clear();
    this.#timer = undefined;
    this.#pump();
  }

  /** Resolves when another request may begin. */
  readonly begin = async (): Promise<void> => {
    if (this.#isHeld) await new Promise<void>((begin) => this.#beginning.push(begin));
  };

  /** Resolves when so many bytes may be sent. */
  readonly wait = async (bytes: number): Promise<void> => {
    if (this.#bytesPerSecond === undefined) return;
    await new Promise<void>((go) => {
      this.#waiting.push({ bytes, go });
      if (this.#timer === undefined) this.#pump();
    });
  };

  #pump(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const waitUs = this.#dueUs - this.#clock.monotonicUs();
      if (this.#bytesPerSecond !== undefined && waitUs > 0) {
        this.#timer = this.#clock.setTimeout(() => this.#goOn(), Math.ceil(waitUs / US_PER_MS));
        return;
      }
      this.#waiting.shift();
      this.#pay(next.bytes);
      next.go();
    }
  }

  #goOn(): void {
    this.#timer = undefined;
    this.#pump();
  }

  #pay(bytes: number): void {
    const rate = this.#bytesPerSecond;
    if (rate === undefined) return;
    // What was not used is not kept, but for what a late timer took: a pause does not end with a burst.
    const paidUs = Math.max(this.#dueUs, this.#clock.monotonicUs() - MADE_UP_US_MAX);
    this.#dueUs = paidUs + (bytes / Math.max(1, rate)) * US_PER_SECOND;
  }
}
