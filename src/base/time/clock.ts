import { NS_PER_US, US_PER_MS } from "../value/units.js";
import { HeldTime } from "./held-time.js";
import { IntervalWheel } from "./interval-wheel.js";
import { reportTimerFault } from "./timer-faults.js";

/**
 * The clocks of the service, passed in everywhere, so that a test plays a day in seconds.
 *
 * All times are numbers of microseconds. A double holds Unix microseconds exactly until the year 2255.
 */
export interface Clock {
  /** Wall clock, Unix time in microseconds (UTC). May step in either direction. */
  nowUs(): number;
  /** Monotonic clock in microseconds since an unspecified start. Never goes back. */
  monotonicUs(): number;
  /** How long something held this thread since the start, in microseconds: see `attentiveUs`. Never, when absent. */
  heldUs?(): number;
  /** Calls `run` once, at least `delayMs` milliseconds from now. */
  setTimeout(run: () => void, delayMs: number): ClockTimer;
  /** Calls `run` each `periodMs` milliseconds; the first time may be half a period earlier or later. */
  setInterval(run: () => void, periodMs: number): ClockTimer;
}

/**
 * `auto`: the clock is known when anything vouches for it. `network`: only a time server or a person does. `always`: it is
 * believed whatever it shows.
 */
export type ClockTrust = "auto" | "network" | "always";

export interface ClockTimer {
  /** Stops the timer; calling it twice is harmless. */
  clear(): void;
}

/** Time from the kernel's boot (zero of CLOCK_MONOTONIC) to the start of the process (zero of `performance`). */
const BOOT_TO_PROCESS_US =
  Number(process.hrtime.bigint() / BigInt(NS_PER_US)) - Math.round(performance.now() * US_PER_MS);

/**
 * The real clocks of the machine; the monotonic one counts from the kernel's boot, the same in each process of it. Its
 * timers do not keep the process alive.
 */
export class SystemClock implements Clock {
  nowUs(): number {
    return Date.now() * US_PER_MS;
  }

  monotonicUs(): number {
    return BOOT_TO_PROCESS_US + Math.round(performance.now() * US_PER_MS);
  }

  heldUs(): number {
    return Math.round(HELD.ms(WHEEL.overdueMs) * US_PER_MS);
  }

  setTimeout(run: () => void, delayMs: number): ClockTimer {
    const timer = setTimeout(runGuarded, delayMs, run);
    timer.unref();
    return { clear: () => clearTimeout(timer) };
  }

  setInterval(run: () => void, periodMs: number): ClockTimer {
    if (IntervalWheel.fits(periodMs)) return WHEEL.add(run, periodMs);
    const timer = setInterval(runGuarded, periodMs, run);
    timer.unref();
    return { clear: () => clearInterval(timer) };
  }
}

/** What one timer's function throws is not for the process to end of: it records. */
function runGuarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    reportTimerFault(error);
  }
}

/** With it full seconds are those of the wall clock, as it was when the process started: what is done at these meets the rest. */
const STARTED_MS = performance.timeOrigin;

const HELD = new HeldTime();
const latenessListeners = new Set<(lateMs: number) => void>();

/** Calls `listener` with how late the common timer of all intervals came, in ms: what held the thread. Costs no wake-up. */
export function onTimerLate(listener: (lateMs: number) => void): ClockTimer {
  latenessListeners.add(listener);
  return { clear: () => void latenessListeners.delete(listener) };
}

/** One for the thread: each wake-up of an idle process costs it a ten-thousandth of a core. */
const WHEEL = new IntervalWheel({
  nowMs: () => STARTED_MS + performance.now(),
  setTimeout: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return { clear: () => clearTimeout(timer) };
  },
  fail: reportTimerFault,
  late: (lateMs) => {
    HELD.add(lateMs);
    for (const listener of latenessListeners) listener(lateMs);
  },
});

/** The wall clock has become known to be set. */
export interface ClockSet {
  /** Wall clock less monotonic clock, now that it is known. */
  readonly offsetUs: number;
  /** Correction to add to a provisional time. */
  readonly shiftUs: number;
  /** The first provisional time of this boot, uncorrected. */
  readonly provisionalFromUs: number;
}

/** Who or what vouches for the wall clock: docs/design/time.md. */
export type ClockWitness = (typeof CLOCK_WITNESSES)[number];
export const CLOCK_WITNESSES = [
  "time-server",
  "battery-clock",
  "host",
  "set",
  "operator",
  "settings",
] as const;

/** Whether the wall clock is set, and when it steps. */
export interface ClockKnowledge {
  /** Whether the wall clock is known to be set. Once it is, it stays so. */
  readonly isKnown: boolean;
  /** Why it is known; undefined while it is not. */
  readonly knownBy: ClockWitness | undefined;
  /**
   * Provisional time less monotonic time, of this boot; undefined for a clock that was known from its start. It lasts:
   * frames that were stamped before the clock became known may still wait to be written.
   */
  readonly provisionalOffsetUs: number | undefined;
  /** How the clock became known in this boot; undefined before that, or where it was known from its start. */
  readonly set: ClockSet | undefined;
  onSet(listener: (set: ClockSet) => void): void;
  /** A known clock stepped by `shiftUs`; reported within a second. */
  onStepped(listener: (shiftUs: number) => void): void;
}

/** A clock that always counts as known: for checks, and for everything that does not record. */
export const CLOCK_KNOWN: ClockKnowledge = {
  isKnown: true,
  knownBy: "settings",
  provisionalOffsetUs: undefined,
  set: undefined,
  onSet: () => undefined,
  onStepped: () => undefined,
};
