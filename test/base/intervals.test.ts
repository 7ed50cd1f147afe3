import { describe, expect, it } from "vitest";
import { firstBehind, outside, overlaps, union } from "../../src/base/index.js";

const of = (...pairs: readonly (readonly [number, number])[]) =>
  pairs.map(([fromUs, toUs]) => ({ fromUs, toUs }));

describe("intervals", () => {
  it("that overlap or touch are made one, in order", () => {
    const apart = of([30, 40], [0, 10], [10, 15], [12, 13], [41, 50]);
    expect(union(apart)).toEqual(of([0, 15], [30, 40], [41, 50]));
    expect(apart[0]).toEqual({ fromUs: 30, toUs: 40 });
  });

  it("are found by the moment that they end behind", () => {
    const intervals = of([0, 10], [20, 30]);
    expect([0, 9, 10, 25, 30].map((timeUs) => firstBehind(intervals, timeUs))).toEqual([0, 0, 1, 1, 2]);
  });

  it("leave of another what they do not hold", () => {
    const others = of([0, 5], [8, 10], [20, 40]);
    expect(outside({ fromUs: 3, toUs: 25 }, others)).toEqual(of([5, 8], [10, 20]));
    expect(outside({ fromUs: 21, toUs: 30 }, others)).toEqual([]);
    expect(outside({ fromUs: 50, toUs: 60 }, others)).toEqual(of([50, 60]));
  });

  it("overlap where they share a moment, and not where they touch", () => {
    const [one] = of([10, 20]);
    const at = (fromUs: number, toUs: number) => one !== undefined && overlaps(one, { fromUs, toUs });
    expect([at(19, 30), at(0, 11), at(20, 30), at(0, 10)]).toEqual([true, true, false, false]);
  });
});
