/** Shorter periods are of what is paced exactly; longer ones wake the processor seldom enough. */
const PERIOD_MS_MIN = 100;
const PERIOD_MS_MAX = 10_000;
/** Periods that are multiples of this meet. */
const PERIOD_MS_STEP = 100;
/** Node's timers may run so much early, by the clock of `performance`. */
const EARLY_MS = 1;

/** As ClockTimer. */
interface WheelTimer {
  clear(): void;
}

/** What the wheel needs of the machine. */
export interface WheelMachine {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Calls `run` once, after `delayMs`. */
  setTimeout(run: () => void, delayMs: number): WheelTimer;
  /** Throws an error where nobody catches it. */
  fail(error: unknown): void;
}

interface Spoke {
  readonly run: () => void;
  readonly periodMs: number;
  dueMs: number;
}

/**
 * Repeated calls that are due at multiples of their periods, all by one timer: those of 200, 400 and 1000 ms meet, and the
 * process wakes up once for them.
 */
export class IntervalWheel {
  readonly #machine: WheelMachine;
  readonly #spokes = new Set<Spoke>();
  #timer: { readonly dueMs: number; readonly timer: WheelTimer } | undefined;

  constructor(machine: WheelMachine) {
    this.#machine = machine;
  }

  /** Whether calls of this period gain by it. */
  static fits(periodMs: number): boolean {
    return periodMs >= PERIOD_MS_MIN && periodMs <= PERIOD_MS_MAX && periodMs % PERIOD_MS_STEP === 0;
  }

  /** Calls `run` each `periodMs`; the first time after half a period to one and a half. */
  add(run: () => void, periodMs: number): WheelTimer {
    const turns = Math.round(this.#machine.nowMs() / periodMs) + 1;
    const spoke: Spoke = { run, periodMs, dueMs: turns * periodMs };
    this.#spokes.add(spoke);
    this.#arm();
    return {
      clear: () => {
        if (this.#spokes.delete(spoke) && this.#spokes.size === 0) this.#disarm();
      },
    };
  }

  #turn(): void {
    this.#timer = undefined;
    const nowMs = this.#machine.nowMs() + EARLY_MS;
    const due = [...this.#spokes].filter(({ dueMs }) => dueMs <= nowMs);
    for (const spoke of due) spoke.dueMs = (Math.floor(nowMs / spoke.periodMs) + 1) * spoke.periodMs;
    this.#arm();
    for (const spoke of due) {
      // An earlier one may have ended it.
      if (!this.#spokes.has(spoke)) continue;
      try {
        spoke.run();
      } catch (error) {
        this.#machine.fail(error);
      }
    }
  }

  #arm(): void {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const spoke of this.#spokes) dueMs = Math.min(dueMs, spoke.dueMs);
    if (!Number.isFinite(dueMs) || (this.#timer !== undefined && this.#timer.dueMs <= dueMs)) return;
    this.#disarm();
    const delayMs = Math.max(1, Math.ceil(dueMs - this.#machine.nowMs()));
    this.#timer = { dueMs, timer: this.#machine.setTimeout(() => this.#turn(), delayMs) };
  }

  #disarm(): void {
    this.#timer?.timer.clear();
    this.#timer = undefined;
  }
}
