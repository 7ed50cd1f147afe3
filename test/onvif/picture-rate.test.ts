import { expect, it } from "vitest";
import { pictureRate } from "../../src/onvif/media/picture-rate.js";

const every = (stepUs: number, count: number) => Array.from({ length: count }, (_, at) => at * stepUs);

it.each([
  [40_000, 25],
  [33_333, 30],
  [1_000_000, 1],
  [5_000_000, 1],
])("pictures every %d µs are %d a second", (stepUs, rate) => {
  expect(pictureRate(every(stepUs, 10))).toBe(rate);
});

it("a picture that is missing, and one that came late, do not change it", () => {
  const times = every(40_000, 10).filter((_, at) => at !== 4);
  times[6] = (times[6] ?? 0) + 30_000;
  expect(pictureRate(times)).toBe(25);
});

it("one picture, or several of the same time, tell no rate", () => {
  expect(pictureRate([])).toBeUndefined();
  expect(pictureRate([7])).toBeUndefined();
  expect(pictureRate([7, 7, 7])).toBeUndefined();
});
