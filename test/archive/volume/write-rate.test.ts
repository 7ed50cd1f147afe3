import { expect, it } from "vitest";
import { WriteRate } from "../../../src/archive/volume/write-rate.js";

const SECOND_US = 1_000_000;

/** A counter's values, each with its second; the rate after each. */
function ratesOf(values: readonly (readonly [bytes: number, second: number])[]): number[] {
  const rate = new WriteRate();
  return values.map(([bytes, second]) => {
    rate.note(bytes, second * SECOND_US);
    return rate.bytesPerSecond;
  });
}

it("is reported after each ten seconds, the newest window counting as much as all before", () => {
  expect(
    ratesOf([
      [500, 3],
      [1500, 12.9],
      [1500, 13],
      [1500, 20],
      [5500, 23],
    ]),
  ).toEqual([0, 0, 50, 50, 225]);
});

it("of a longer window is its average", () => {
  expect(
    ratesOf([
      [0, 0],
      [4000, 20],
    ]),
  ).toEqual([0, 100]);
});

it("stays as it was where the counter begins again", () => {
  expect(
    ratesOf([
      [0, 0],
      [1000, 10],
      [200, 20],
      [1200, 30],
    ]),
  ).toEqual([0, 50, 50, 75]);
});
