import type { Clock, ClockTimer } from "../../base/index.js";
import { ReadBudget } from "./read-allowance.js";

/** One connection that is served on the shared tick. */
export interface TickMember {
  /** Start reading, and do what is due. True: what was started needs the event loop, and `onTickEnd` after it. */
  onTick(): boolean;
  /** Stop reading that began with the tick and found nothing. */
  onTickEnd(): void;
}

export interface ReadTickerOptions {
  readonly clock: Clock;
  /** 10 to 1000 ms; it delays the archive's newest frames, but never live view. */
  readonly periodMs?: number;
  /** Calls `run` once sockets that are readable now have been read; default: `setImmediate`. */
  readonly afterPoll?: (run: () => void) => void;
}

export const READ_TICK_MS_DEFAULT = 200;
const READ_TICK_MS_MIN = 10;
const READ_TICK_MS_MAX = 1000;

/**
 * The one timer of all connections without live viewers. All are read at the same instant, so that the process wakes up
 * once per tick and not once per packet. Keep-alives, reports and watchdogs also run on it.
 */
export class ReadTicker {
  readonly periodMs: number;
  /** Of all connections, also of those that are not read on the tick. */
  readonly budget: ReadBudget;
  readonly #clock: Clock;
  readonly #afterPoll: (run: () => void) => void;
  readonly #members = new Set<TickMember>();
  #timer: ClockTimer | undefined;

  constructor(options: ReadTickerOptions) {
    const periodMs = options.periodMs ?? READ_TICK_MS_DEFAULT;
    if (!(periodMs >= READ_TICK_MS_MIN && periodMs <= READ_TICK_MS_MAX)) {
      throw new RangeError(
        `read tick of ${periodMs} ms: must be ${READ_TICK_MS_MIN} to ${READ_TICK_MS_MAX} ms`,
      );
    }
    this.periodMs = periodMs;
    this.#clock = options.clock;
    this.budget = new ReadBudget(options.clock);
    this.#afterPoll = options.afterPoll ?? ((run) => setImmediate(run));
  }

  add(member: TickMember): void {
    this.#members.add(member);
    this.#timer ??= this.#clock.setInterval(() => this.#tick(), this.periodMs);
  }

  /** Removing an unknown member is harmless. */
  remove(member: TickMember): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #tick(): void {
    let isReading = false;
    for (const member of this.#members) isReading = member.onTick() || isReading;
    // Usually all was read at once; another turn of the event loop would only cost.
    if (!isReading) return;
    this.#afterPoll(() => {
      for (const member of this.#members) member.onTickEnd();
    });
  }
}
