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
  /** Calls `run` once, at least `delayMs` milliseconds from now. */
  setTimeout(run: () => void, delayMs: number): ClockTimer;
  /** Calls `run` each `periodMs` milliseconds. */
  setInterval(run: () => void, periodMs: number): ClockTimer;
}

export interface ClockTimer {
  /** Stops the timer; calling it twice is harmless. */
  clear(): void;
}

const MICROSECONDS_PER_MILLISECOND = 1000;

/** The real clocks of the machine. Its timers do not keep the process alive. */
export class SystemClock implements Clock {
  nowUs(): number {
    return Date.now() * MICROSECONDS_PER_MILLISECOND;
  }

  monotonicUs(): number {
    return Math.round(performance.now() * MICROSECONDS_PER_MILLISECOND);
  }

  setTimeout(run: () => void, delayMs: number): ClockTimer {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return { clear: () => clearTimeout(timer) };
  }

  setInterval(run: () => void, periodMs: number): ClockTimer {
    const timer = setInterval(run, periodMs);
    timer.unref();
    return { clear: () => clearInterval(timer) };
  }
}
