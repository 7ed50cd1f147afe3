import { expect, it } from "vitest";
import { overlap, regionOf } from "../../src/analysis/index.js";

const WHOLE = { left: 0, top: 0, width: 1, height: 1 };

it("the region has a margin around all that moved", () => {
  const region = regionOf([
    { left: 0.2, top: 0.2, width: 0.2, height: 0.2 },
    { left: 0.4, top: 0.3, width: 0.2, height: 0.3 },
  ]);
  expect(region.left).toBeCloseTo(0.1);
  expect(region.top).toBeCloseTo(0.1);
  expect(region.width).toBeCloseTo(0.6);
  expect(region.height).toBeCloseTo(0.6);
});

it("a small thing at the edge gets its surroundings, within the picture", () => {
  const region = regionOf([{ left: 0.97, top: 0, width: 0.03, height: 0.02 }]);
  expect(region.left + region.width).toBeCloseTo(1);
  expect([region.width, region.height, region.top]).toEqual([0.3, 0.3, 0]);
});

it("where most of the picture moves, or nobody knows what, it is the whole", () => {
  expect(regionOf([])).toEqual(WHOLE);
  expect(regionOf([{ left: 0.1, top: 0.1, width: 0.8, height: 0.8 }])).toEqual(WHOLE);
});

it("overlap is the common part of what both cover", () => {
  const box = { left: 0, top: 0, width: 0.5, height: 0.5 };
  expect(overlap(box, box)).toBe(1);
  expect(overlap(box, { ...box, left: 0.25 })).toBeCloseTo(1 / 3);
  expect(overlap(box, { ...box, left: 0.5 })).toBe(0);
});
