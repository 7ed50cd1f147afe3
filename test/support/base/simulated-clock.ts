import type { Clock, ClockTimer } from "../../../src/base/index.js";

interface Entry {
  readonly run: () => void;
  readonly periodUs: number | undefined;
  readonly order: number;
  dueUs: number;
}

/** 2024-01-01T00:00:00Z, where a simulated day starts unless told otherwise. */
export const SIMULATED_START_US = 1_704_067_200_000_000;

const MICROSECONDS_PER_MILLISECOND = 1000;

/**
 * A clock that stands still until it is advanced. Timers run in the order of their due times, each with the
 * clock at its own due time; the wall clock can be stepped apart from the monotonic one.
 */
export class SimulatedClock implements Clock {
  #monotonicUs = 0;
  #wallOffsetUs: number;
  #order = 0;
  readonly #entries = new Set<Entry>();
  /** So much before they are due timers run from now on, as those of a real machine may. */
  earlyMs = 0;

  constructor(startUs: number = SIMULATED_START_US) {
    this.#wallOffsetUs = startUs;
  }

  nowUs(): number {
    return this.#wallOffsetUs + this.#monotonicUs;
  }

  monotonicUs(): number {
    return this.#monotonicUs;
  }

  /** Timers that are still set: a component that has stopped leaves none. */
  get timers(): number {
    return this.#entries.size;
  }

  setTimeout(run: () => void, delayMs: number): ClockTimer {
    return this.#add(run, delayMs - this.earlyMs, undefined);
  }

  setInterval(run: () => void, periodMs: number): ClockTimer {
    return this.#add(run, periodMs, Math.max(1, periodMs) * MICROSECONDS_PER_MILLISECOND);
  }

  /** Moves both clocks on by `us` microseconds and runs what falls due on the way. */
  advance(us: number): void {
    const endUs = this.#monotonicUs + us;
    for (let next = this.#next(endUs); next !== undefined; next = this.#next(endUs)) this.#run(next);
    this.#monotonicUs = endUs;
  }

  /**
   * As `advance`, in steps of `stepUs`, letting promises and sockets run between the steps. Answers early when
   * `until` holds.
   */
  async advanceSlowly(us: number, stepUs = 50_000, until?: () => boolean): Promise<void> {
    const endUs = this.#monotonicUs + us;
    while (this.#monotonicUs < endUs && until?.() !== true) {
      this.advance(Math.min(stepUs, endUs - this.#monotonicUs));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Steps the wall clock alone, as an administrator or NTP does; negative steps go back. */
  stepWall(us: number): void {
    this.#wallOffsetUs += us;
  }

  #add(run: () => void, delayMs: number, periodUs: number | undefined): ClockTimer {
    const dueUs = this.#monotonicUs + Math.max(0, delayMs) * MICROSECONDS_PER_MILLISECOND;
    const entry: Entry = { run, periodUs, order: this.#order++, dueUs };
    this.#entries.add(entry);
    return { clear: () => this.#entries.delete(entry) };
  }

  #next(endUs: number): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.dueUs > endUs) continue;
      if (
        first === undefined ||
        entry.dueUs < first.dueUs ||
        (entry.dueUs === first.dueUs && entry.order < first.order)
      )
        first = entry;
    }
    return first;
  }

  #run(entry: Entry): void {
    this.#monotonicUs = Math.max(this.#monotonicUs, entry.dueUs);
    if (entry.periodUs === undefined) this.#entries.delete(entry);
    else entry.dueUs += entry.periodUs;
    entry.run();
  }
}
