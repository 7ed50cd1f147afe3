import { type Clock, type ClockTimer, US_PER_MS } from "../../base/index.js";
import type { PlayerRequest } from "./source.js";

interface Waiter {
  readonly isMet: () => boolean;
  readonly untilUs: number;
  readonly resolve: (met: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Requests that wait for something of a stream, each with a time limit of its own and all with one timer: with hundreds of players
 * as many requests come, wait and go with each part.
 */
export class Waiters {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #timer: ClockTimer | undefined;
  #timerUs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /**
   * Resolves with whether `isMet` became true in time, before its player left; it is asked with each `look`. Rejects with what `isMet`
   * throws.
   */
  add(request: PlayerRequest, isMet: () => boolean, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const untilUs = this.#clock.monotonicUs() + timeoutMs * US_PER_MS;
      const waiter = { isMet, untilUs, resolve, reject };
      this.#waiters.add(waiter);
      if (untilUs < this.#timerUs) this.#setTimer(untilUs);
      request.onClose(() => this.#leave(waiter));
    });
  }

  /** Ends the waiting of those who have what they waited for. */
  look(): void {
    for (const waiter of this.#waiters) this.#settle(waiter);
    if (this.#waiters.size === 0) this.#clearTimer();
  }

  /** Ends all waiting by an error. */
  fail(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters.clear();
    this.#clearTimer();
  }

  #leave(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return;
    waiter.resolve(false);
    if (this.#waiters.size === 0) this.#clearTimer();
  }

  #settle(waiter: Waiter): void {
    try {
      if (!waiter.isMet()) return;
      waiter.resolve(true);
    } catch (error) {
      waiter.reject(error);
    }
    this.#waiters.delete(waiter);
  }

  #onTime(): void {
    this.#clearTimer();
    const nowUs = this.#clock.monotonicUs();
    let nextUs = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) {
      if (waiter.untilUs <= nowUs) {
        this.#waiters.delete(waiter);
        waiter.resolve(false);
      } else if (waiter.untilUs < nextUs) nextUs = waiter.untilUs;
    }
    if (this.#waiters.size > 0) this.#setTimer(nextUs);
  }

  #setTimer(untilUs: number): void {
    this.#timer?.clear();
    this.#timerUs = untilUs;
    const ms = Math.max(0, Math.ceil((untilUs - this.#clock.monotonicUs()) / US_PER_MS));
    this.#timer = this.#clock.setTimeout(() => this.#onTime(), ms);
  }

  #clearTimer(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#timerUs = Number.POSITIVE_INFINITY;
  }
}
