import { describe, expect, it } from "vitest";
import { zoneHas } from "../../../src/recording/index.js";

/** Of two columns and two rows. */
const cells = (marked: string) => ({ kind: "grid", columns: 2, rows: 2, cells: marked }) as const;
const polygon = (...points: readonly (readonly [number, number])[]) =>
  ({ kind: "polygon", points: points.map(([x, y]) => ({ x, y })) }) as const;

const LOWER_HALF = polygon([0, 0.5], [1, 0.5], [1, 1], [0, 1]);
const UPPER_HALF = polygon([0, 0], [1, 0], [1, 0.5], [0, 0.5]);

describe("a zone", () => {
  it.each([
    ["the left", { x: 0, y: 0.7 }],
    ["the right", { x: 1, y: 0.7 }],
    ["the lower", { x: 0.5, y: 1 }],
  ])("that is drawn to %s edge of the picture has that edge", (_edge, point) => {
    expect(zoneHas(LOWER_HALF, point)).toBe(true);
  });

  it.each([
    ["to the left", { x: -0.01, y: 0.7 }],
    ["to the right", { x: 1.02, y: 0.7 }],
    ["below", { x: 0.5, y: 1.05 }],
  ])("has what is a little beyond the picture %s of it, as its edge", (_side, point) => {
    expect([zoneHas(LOWER_HALF, point), zoneHas(cells("0011"), point)]).toEqual([true, true]);
    expect([zoneHas(UPPER_HALF, point), zoneHas(cells("1100"), point)]).toEqual([false, false]);
  });

  it("shares no point with one that touches it", () => {
    for (const y of [0.4999, 0.5, 0.5001])
      expect([LOWER_HALF, UPPER_HALF].filter((zone) => zoneHas(zone, { x: 0.3, y }))).toHaveLength(1);
  });
});
