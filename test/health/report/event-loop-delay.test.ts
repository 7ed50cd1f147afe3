import { afterEach, beforeEach, expect, it } from "vitest";
import {
  DELAY_PART_MS,
  DELAY_PARTS,
  DELAY_RESOLUTION_MS,
  type DelayHistogram,
  EventLoopDelay,
} from "../../../src/health/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

/** What was measured since the last reset: times between two tries, in milliseconds. */
class Histogram implements DelayHistogram {
  times: number[] = [];
  enabled = false;

  enable(): boolean {
    this.enabled = true;
    return true;
  }

  disable(): boolean {
    this.enabled = false;
    return true;
  }

  reset(): void {
    this.times = [];
  }

  percentile(percentile: number): number {
    const sorted = this.times.toSorted((one, other) => one - other);
    return (sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? 0) * 1e6;
  }

  get max(): number {
    return Math.max(...this.times) * 1e6;
  }

  get count(): number {
    return this.times.length;
  }
}

let clock: SimulatedClock;
let histogram: Histogram;
let delay: EventLoopDelay;

beforeEach(() => {
  clock = new SimulatedClock();
  histogram = new Histogram();
  delay = new EventLoopDelay({ clock, histogram });
  delay.start();
});

afterEach(() => {
  delay.stop();
  expect([clock.timers, histogram.enabled]).toEqual([0, false]);
});

const onTime = () => histogram.times.push(DELAY_RESOLUTION_MS);
const late = (ms: number) => histogram.times.push(DELAY_RESOLUTION_MS + ms);

it("is 0 before anything was measured, and while all is on time", () => {
  expect(delay.read()).toMatchObject({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
  onTime();
  expect(delay.read()).toMatchObject({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
});

it("tells what is beyond the wanted time, at once", () => {
  for (let count = 0; count < 98; count++) onTime();
  late(20);
  late(250);
  expect(delay.read()).toMatchObject({ p50Ms: 0, p99Ms: 20, maxMs: 250 });
});

it("the worst of the last minutes stays for five, and goes then", () => {
  late(250);
  for (let part = 1; part < DELAY_PARTS; part++) {
    clock.advance(DELAY_PART_MS * 1000);
    onTime();
    expect(delay.read().maxMs).toBe(250);
  }
  clock.advance(DELAY_PART_MS * 1000);
  onTime();
  expect(delay.read().maxMs).toBe(0);
});
