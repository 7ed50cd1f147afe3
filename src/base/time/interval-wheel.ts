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
  /** Takes what a call has thrown; the others are made all the same. */
  fail(error: unknown): void;
  /** Takes how much later than asked for the timer came, in ms. */
  late(lateMs: number): void;
}

interface Spoke {
  readonly run: () => void;
  /** It is not run before this turn of its ring. */
  readonly fromMs: number;
}

/** All calls of one period. */
interface Ring {
  readonly periodMs: number;
  readonly spokes: Set<Spoke>;
  dueMs: number;
  /** In the turn under way. */
  isDue: boolean;
}

/**
 * Repeated calls that are due at multiples of their periods, all by one timer: those of 200, 400 and 1000 ms meet, and the
 * process wakes up once for them.
 */
export class IntervalWheel {
  readonly #machine: WheelMachine;
  readonly #rings = new Map<number, Ring>();
  #timer: { readonly dueMs: number; readonly timer: WheelTimer } | undefined;
  /** When the timer was asked to come: whole milliseconds after it was set. */
  #askedMs = 0;

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
    const spoke: Spoke = { run, fromMs: turns * periodMs };
    const ring = this.#ringOf(periodMs, spoke.fromMs);
    ring.spokes.add(spoke);
    this.#arm();
    return {
      clear: () => {
        ring.spokes.delete(spoke);
        if (ring.spokes.size > 0 || this.#rings.get(periodMs) !== ring) return;
        this.#rings.delete(periodMs);
        if (this.#rings.size === 0) this.#disarm();
      },
    };
  }

  /** How late the timer is that has not come yet, in ms. */
  get overdueMs(): number {
    return this.#timer === undefined ? 0 : Math.max(0, this.#machine.nowMs() - this.#askedMs);
  }

  #ringOf(periodMs: number, dueMs: number): Ring {
    const known = this.#rings.get(periodMs);
    if (known !== undefined) return known;
    const ring: Ring = { periodMs, spokes: new Set(), dueMs, isDue: false };
    this.#rings.set(periodMs, ring);
    return ring;
  }

  #turn(): void {
    this.#timer = undefined;
    const atMs = this.#machine.nowMs();
    this.#machine.late(Math.max(0, atMs - this.#askedMs));
    const nowMs = atMs + EARLY_MS;
    for (const ring of this.#rings.values()) {
      ring.isDue = ring.dueMs <= nowMs;
      if (ring.isDue) ring.dueMs = (Math.floor(nowMs / ring.periodMs) + 1) * ring.periodMs;
    }
    this.#arm();
    for (const ring of this.#rings.values()) if (ring.isDue) this.#run(ring, nowMs);
  }

  #run({ spokes }: Ring, nowMs: number): void {
    for (const spoke of spokes) {
      if (spoke.fromMs > nowMs) continue;
      try {
        spoke.run();
      } catch (error) {
        this.#machine.fail(error);
      }
    }
  }

  #arm(): void {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const ring of this.#rings.values()) dueMs = Math.min(dueMs, ring.dueMs);
    if (!Number.isFinite(dueMs) || (this.#timer !== undefined && this.#timer.dueMs <= dueMs)) return;
    this.#disarm();
    const nowMs = this.#machine.nowMs();
    const delayMs = Math.max(1, Math.ceil(dueMs - nowMs));
    this.#askedMs = nowMs + delayMs;
    this.#timer = { dueMs, timer: this.#machine.setTimeout(() => this.#turn(), delayMs) };
  }

  #disarm(): void {
    this.#timer?.timer.clear();
    this.#timer = undefined;
  }
}
