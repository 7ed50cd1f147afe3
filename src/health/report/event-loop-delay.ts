import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { type Clock, type ClockTimer, NS_PER_MS } from "../../base/index.js";

/** How often the loop is sampled: seldom, since each sample is a wake-up. */
export const DELAY_RESOLUTION_MS = 500;
/** One part of the window; a figure is the worst of the parts, the one under way included. */
export const DELAY_PART_MS = 60_000;
export const DELAY_PARTS = 5;

/** The delay of the event loop. */
export interface EventLoopFigures {
  /** Median, 99th percentile and greatest delay in the worst of the last five minutes. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Share of the time in which the loop was at work, 0 to 1, since the last minute began. */
  readonly busyShare: number;
}

/** As node:perf_hooks has it; nanoseconds between two tries. */
export interface DelayHistogram {
  enable(): boolean;
  disable(): boolean;
  reset(): void;
  percentile(percentile: number): number;
  readonly max: number;
  readonly count: number;
}

export interface EventLoopDelayOptions {
  readonly clock: Clock;
  /** One of node:perf_hooks when absent. */
  readonly histogram?: DelayHistogram;
  readonly utilization?: (since?: EventLoopUtilization) => EventLoopUtilization;
}

interface Part {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Watches how late timers of this process are, over the last minutes. */
export class EventLoopDelay {
  readonly #clock: Clock;
  readonly #histogram: DelayHistogram;
  readonly #utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
  #parts: Part[] = [];
  #busySince: EventLoopUtilization | undefined;
  #timer: ClockTimer | undefined;

  constructor({ clock, histogram, utilization }: EventLoopDelayOptions) {
    this.#clock = clock;
    this.#histogram = histogram ?? monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
    this.#utilization = utilization ?? ((since) => performance.eventLoopUtilization(since));
  }

  start(): void {
    this.#histogram.enable();
    this.#busySince = this.#utilization();
    this.#timer = this.#clock.setInterval(() => this.#turn(), DELAY_PART_MS);
  }

  stop(): void {
    this.#timer?.clear();
    this.#histogram.disable();
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
      p50Ms: delayMs(this.#histogram.percentile(50)),
      p99Ms: delayMs(this.#histogram.percentile(99)),
      maxMs: delayMs(this.#histogram.max),
    };
  }
}

/** The histogram holds the time from one sample to the next: what exceeds the interval is delay. */
function delayMs(betweenNs: number): number {
  return Math.max(0, betweenNs / NS_PER_MS - DELAY_RESOLUTION_MS);
}
