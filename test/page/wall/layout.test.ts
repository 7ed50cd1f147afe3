import { describe, expect, it } from "vitest";
import { added, moved, removed, resized } from "../../../src/page/wall/layout/free-layout.js";
import {
  FREE_TILES_MAX,
  freed,
  gridTypeOf,
  type Layout,
  layoutFor,
  layoutNamed,
  layoutOf,
  neighbour,
  overlap,
  TILE_COUNTS,
} from "../../../src/page/wall/layout/layout.js";

function isSound({ columns, rows, places }: Layout): boolean {
  return places.every(
    (place, index) =>
      place.x >= 0 &&
      place.y >= 0 &&
      place.width >= 1 &&
      place.height >= 1 &&
      place.x + place.width <= columns &&
      place.y + place.height <= rows &&
      places.every((other, at) => at === index || !overlap(place, other)),
  );
}

const ALL = Array.from({ length: 36 }, (_, index) => index + 1);

describe("layouts", () => {
  it.each(ALL)("of %i tiles has at least so many, none over another", (tiles) => {
    const layout = layoutOf(tiles);
    expect(layout.places.length).toBeGreaterThanOrEqual(tiles);
    expect(isSound(layout)).toBe(true);
    expect(isSound(freed(layout))).toBe(true);
  });

  it("of the menu have exactly the tiles that they say", () => {
    expect(TILE_COUNTS.map((count) => layoutOf(count).places.length)).toEqual([...TILE_COUNTS]);
  });

  it.each(ALL)("of %i tiles is the same after it was saved, also as a free one", (tiles) => {
    const layout = layoutOf(tiles);
    expect(layoutNamed(gridTypeOf(layout), 0)).toEqual(layout);
    const free = freed(layout);
    expect(gridTypeOf(free).length).toBeLessThanOrEqual(64);
    expect(layoutNamed(gridTypeOf(free), 0)).toEqual(free);
  });

  it("of other programs are understood; an unknown one is a grid for its cameras", () => {
    expect(layoutNamed("GridType3X2", 0)).toMatchObject({ columns: 3, rows: 2 });
    expect(layoutNamed("GridType12X11", 5).places).toHaveLength(9);
    for (const name of ["", "GridType0", "GridType99", "Mosaic", "Free", "Free§§", "Free00Z"])
      expect(isSound(layoutNamed(name, 4)), name).toBe(true);
    expect(layoutNamed("Mosaic", 4)).toEqual(layoutOf(4));
  });

  it("for a number of cameras are the next even grid", () => {
    expect([1, 3, 5, 17, 99].map((cameras) => layoutFor(cameras).places.length)).toEqual([1, 4, 9, 20, 36]);
  });

  it("lead from a tile to the one beside it", () => {
    const { places } = layoutOf(9);
    expect([neighbour(places, 4, 1, 0), neighbour(places, 4, -1, 0)]).toEqual([5, 3]);
    expect([neighbour(places, 4, 0, 1), neighbour(places, 4, 0, -1)]).toEqual([7, 1]);
    expect(neighbour(places, 0, -1, 0)).toBeUndefined();
  });
});

describe("a free layout", () => {
  const four = freed(layoutOf(4));

  it("moves a tile where there is room", () => {
    const free = removed(four, 3);
    expect(free && moved(free, 0, 6, 6)?.places[0]).toEqual({ x: 6, y: 6, width: 6, height: 6 });
    expect(free && moved(free, 0, -5, 0)?.places[0]).toEqual(four.places[0]);
  });

  it("changes two tiles where one is moved over the other", () => {
    const next = moved(four, 0, 6, 0);
    expect(next?.places.slice(0, 2)).toEqual([four.places[1], four.places[0]]);
    expect(moved(four, 0, 3, 3)).toBeUndefined();
  });

  it("lets the tiles beside it give way to a larger one", () => {
    const next = resized(four, 0, 8, 6);
    expect(next?.places[0]).toMatchObject({ width: 8, height: 6 });
    expect(next?.places[1]).toEqual({ x: 8, y: 0, width: 4, height: 6 });
    expect(next && isSound(next)).toBe(true);
    expect(resized(four, 0, 12, 6)).toBeUndefined();
    expect(resized(four, 0, 0, 99)?.places[0]).toMatchObject({ width: 1, height: 12 });
  });

  it("stays sound whatever is done to it", () => {
    let layout = four;
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let step = 0; step < 600; step++) {
      const index = random(layout.places.length);
      const act = [
        () => moved(layout, index, random(14) - 1, random(14) - 1),
        () => resized(layout, index, random(9), random(9)),
        () => added(layout),
        () => (random(4) === 0 ? removed(layout, index) : undefined),
      ][random(4)];
      layout = act?.() ?? layout;
      expect(isSound(layout)).toBe(true);
      expect(layout.places.length).toBeLessThanOrEqual(FREE_TILES_MAX);
    }
  });

  it("adds a tile in the largest room, and none where there is none", () => {
    const free = removed(four, 1);
    expect(free && added(free)?.places.at(-1)).toEqual(four.places[1]);
    expect(added(four)).toBeUndefined();
  });
});
