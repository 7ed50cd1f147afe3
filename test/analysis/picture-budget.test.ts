import { expect, it } from "vitest";
import { PictureBudget } from "../../src/analysis/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const HOUR_US = 3_600_000_000;

/** Takes pictures of 100 bytes until there is no more room; gives their bytes. */
function taken(budget: PictureBudget): number {
  let bytes = 0;
  for (; budget.hasRoom; bytes += 100) budget.take(100);
  return bytes;
}

it("a start has an hour's share, so that restarts do not multiply the day's bytes", () => {
  const clock = new SimulatedClock();
  expect(taken(new PictureBudget(clock, 24_000))).toBe(1000);
  expect(taken(new PictureBudget(clock, 24_000))).toBe(1000);
});

it("each hour adds its share, and what was not used is kept for a day", () => {
  const clock = new SimulatedClock();
  const budget = new PictureBudget(clock, 24_000);
  taken(budget);
  clock.advance(HOUR_US);
  expect(taken(budget)).toBe(1000);
  clock.advance(100 * HOUR_US);
  expect(taken(budget)).toBe(24_000);
});

it("a picture that was larger than the rest is paid for by the next", () => {
  const clock = new SimulatedClock();
  const budget = new PictureBudget(clock, 24_000);
  budget.take(3000);
  clock.advance(HOUR_US);
  expect(budget.hasRoom).toBe(false);
  clock.advance(1.5 * HOUR_US);
  expect(budget.hasRoom).toBe(true);
});

it("no bytes a day are no picture at all", () => {
  expect(new PictureBudget(new SimulatedClock(), 0).hasRoom).toBe(false);
});
