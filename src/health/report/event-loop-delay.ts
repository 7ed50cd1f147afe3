import { createHistogram, type EventLoopUtilization, performance } from "node:perf_hooks";
import { type Clock, type ClockTimer, onTimerLate, US_PER_MS } from "../../base/index.js";

/** One part of the window; a figure is the worst of the parts, the one under way included. */
export const DELAY_PART_MS = 60_000;
export const DELAY_PARTS = 5;
/** A histogram holds no 0. */
const LATE_US_MIN = 1;

/** The delay of the event loop. */
export interface EventLoopFigures {
  /** Median, 99th percentile and greatest delay in the worst of the last five minutes. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Share of the time in which the loop was at work, 0 to 1, since the last minute began. */
  readonly busyShare: number;
}

export interface EventLoopDelayOptions {
  readonly clock: Clock;
  /** Calls back with how late each timer came, in ms; by default the one that the intervals of this thread share. */
  readonly lateness?: (listener: (lateMs: number) => void) => ClockTimer;
  readonly utilization?: (since?: EventLoopUtilization) => EventLoopUtilization;
}

interface Part {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Watches how late timers of this process are, over the last minutes. It sets none to find out: each would be a wake-up. */
export class EventLoopDelay {
  readonly #options: EventLoopDelayOptions;
  /** Of this minute, in microseconds. */
  readonly #histogram = createHistogram();
  readonly #utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
  #parts: Part[] = [];
  #busySince: EventLoopUtilization | undefined;
  #timers: ClockTimer[] = [];

  constructor(options: EventLoopDelayOptions) {
    this.#options = options;
    this.#utilization = options.utilization ?? ((since) => performance.eventLoopUtilization(since));
  }

  start(): void {
    const { clock, lateness = onTimerLate } = this.#options;
    this.#busySince = this.#utilization();
    this.#timers = [
      lateness((lateMs) => this.#histogram.record(Math.max(LATE_US_MIN, Math.round(lateMs * US_PER_MS)))),
      clock.setInterval(() => this.#turn(), DELAY_PART_MS),
    ];
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) timer.clear();
  }

  read(): EventLoopFigures {
    const parts = [...this.#parts, this.#part()];
    return {
      p50Ms: Math.max(...parts.map((part) => part.p50Ms)),
      p99Ms: Math.max(...parts.map((part) => part.p99Ms)),
      maxMs: Math.max(...parts.map((part) => part.maxMs)),
      busyShare: this.#utilization(this.#busySince).utilization,
    };
  }

  #turn(): void {
    this.#parts = [...this.#parts, this.#part()].slice(-(DELAY_PARTS - 1));
    this.#histogram.reset();
    this.#busySince = this.#utilization();
  }

  #part(): Part {
    if (this.#histogram.count === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0 };
    return {
      p50Ms: this.#histogram.percentile(50) / US_PER_MS,
      p99Ms: this.#histogram.percentile(99) / US_PER_MS,
      maxMs: this.#histogram.max / US_PER_MS,
    };
  }
}
