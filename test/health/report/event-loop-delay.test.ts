import { afterEach, beforeEach, expect, it } from "vitest";
import { DELAY_PART_MS, DELAY_PARTS, EventLoopDelay } from "../../../src/health/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

let clock: SimulatedClock;
let onLate: ((lateMs: number) => void) | undefined;
let delay: EventLoopDelay;

beforeEach(() => {
  clock = new SimulatedClock();
  const lateness = (listener: (lateMs: number) => void) => {
    onLate = listener;
    return {
      clear: () => {
        onLate = undefined;
      },
    };
  };
  delay = new EventLoopDelay({ clock, lateness });
  delay.start();
});

afterEach(() => {
  delay.stop();
  expect([clock.timers, onLate]).toEqual([0, undefined]);
});

const onTime = () => onLate?.(0);
const late = (ms: number) => onLate?.(ms);
/** Figures are exact to a thousandth. */
const about = (ms: number): unknown => expect.closeTo(ms, ms > 100 ? 0 : 1);

it("is 0 before anything was measured, and while all is on time", () => {
  expect(delay.read()).toMatchObject({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
  onTime();
  expect(delay.read()).toMatchObject({ p50Ms: about(0), p99Ms: about(0), maxMs: about(0) });
});

it("tells how late timers are, at once", () => {
  for (let count = 0; count < 98; count++) onTime();
  late(20);
  late(250);
  expect(delay.read()).toMatchObject({ p50Ms: about(0), p99Ms: about(20), maxMs: about(250) });
});

it("the worst of the last minutes stays for five, and goes then", () => {
  late(250);
  for (let part = 1; part < DELAY_PARTS; part++) {
    clock.advance(DELAY_PART_MS * 1000);
    onTime();
    expect(delay.read().maxMs).toEqual(about(250));
  }
  clock.advance(DELAY_PART_MS * 1000);
  onTime();
  expect(delay.read().maxMs).toEqual(about(0));
});
