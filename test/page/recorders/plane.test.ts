import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  heaps,
  moved,
  placeOf,
  pointOf,
  scaleLength,
  viewOf,
  zoomed,
} from "../../../src/page/recorders/map/plane.js";

const SIZE = { width: 800, height: 600 };
const place = fc.record({
  Latitude: fc.double({ min: -80, max: 80, noNaN: true }),
  Longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const nearby = (base: { Latitude: number; Longitude: number }) =>
  fc.array(
    fc.record({
      Latitude: fc.double({ min: -3, max: 3, noNaN: true }).map((by) => base.Latitude + by),
      Longitude: fc.double({ min: -3, max: 3, noNaN: true }).map((by) => base.Longitude + by),
    }),
    { minLength: 1, maxLength: 20 },
  );

describe("the plane of the map", () => {
  it("shows all places in the picture, wherever on the earth they are", () => {
    fc.assert(
      fc.property(place.chain(nearby), (places) => {
        const view = viewOf(places, SIZE);
        for (const one of places) {
          const { x, y } = pointOf(one, view, SIZE);
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(SIZE.width);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(SIZE.height);
        }
      }),
    );
  });

  it("finds the place of a point, and holds it where it is when it comes nearer", () => {
    const point = fc.record({
      x: fc.integer({ min: 0, max: SIZE.width }),
      y: fc.integer({ min: 0, max: SIZE.height }),
    });
    fc.assert(
      fc.property(place.chain(nearby), point, (places, at) => {
        const view = viewOf(places, SIZE);
        const held = placeOf(at, view, SIZE);
        fc.pre(Math.abs(held.Latitude) < 84);
        expect(pointOf(held, view, SIZE).x).toBeCloseTo(at.x, 2);
        const near = pointOf(held, zoomed(view, SIZE, { by: 1.01, at }), SIZE);
        expect(Math.hypot(near.x - at.x, near.y - at.y)).toBeLessThan(5);
      }),
    );
  });

  it("is pushed by as much as the hand goes", () => {
    const view = viewOf([{ Latitude: 59.9, Longitude: 179.999 }], SIZE);
    const pushed = moved(view, SIZE, { x: 300, y: -200 });

    const { x, y } = pointOf(view.center, pushed, SIZE);
    expect([x, y]).toEqual([expect.closeTo(700, 1), expect.closeTo(100, 1)]);
    expect(Math.abs(pushed.center.Longitude)).toBeLessThanOrEqual(180);
  });

  it("makes heaps of what would lie on each other, and loses none", () => {
    const points = fc.array(
      fc.record({ x: fc.integer({ min: 0, max: 400 }), y: fc.integer({ min: 0, max: 400 }) }),
    );
    fc.assert(
      fc.property(points, (items) => {
        const made = heaps(items, (item) => item, 36);
        expect(made.flatMap(({ items: of }) => of)).toHaveLength(items.length);
        for (const [at, one] of made.entries())
          for (const other of made.slice(at + 1))
            expect(Math.hypot(one.at.x - other.at.x, one.at.y - other.at.y)).toBeGreaterThanOrEqual(36);
      }),
    );
  });

  it.each([
    [1, 100],
    [0.3, 20],
    [47, 5000],
    [0.02, 2],
  ])("has a scale of a round length: %d m a pixel", (metresPerPixel, metres) => {
    const view = { center: { Latitude: 0, Longitude: 0 }, metresPerPixel };
    expect(scaleLength(view, 140).metres).toBeCloseTo(metres, 6);
  });
});
