import { describe, expect, it } from "vitest";
import { added, moved, removed, resized } from "../../../src/page/wall/layout/free-layout.js";
import {
  EVEN_TILES_MAX,
  evenLayout,
  FREE_TILES_MAX,
  freed,
  gridTypeOf,
  type Layout,
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
    expect(layoutNamed("GridType12X11", 5)).toEqual(evenLayout(5));
    for (const name of ["", "GridType0", "GridType99", "Mosaic", "Free", "Free§§", "Free00Z"])
      expect(isSound(layoutNamed(name, 4)), name).toBe(true);
    expect(layoutNamed("Mosaic", 4)).toEqual(evenLayout(4));
    expect(layoutNamed("Mosaic", 200).places).toHaveLength(EVEN_TILES_MAX);
  });

  it.each(ALL)(
    "of %i tiles alike have exactly so many, all of one size, and are the same after they were saved",
    (tiles) => {
      const layout = evenLayout(tiles);
      expect(layout.places).toHaveLength(tiles);
      expect(isSound(layout) && isSound(freed(layout))).toBe(true);
      expect(new Set(layout.places.map(({ width, height }) => `${width} ${height}`)).size).toBe(1);
      expect(layoutNamed(gridTypeOf(layout), 0)).toEqual(layout);
    },
  );

  it.each(ALL)("of %i tiles alike leave no row and no column empty, whatever the screen", (tiles) => {
    for (const screen of [0.5, 1, 16 / 9, 4]) {
      const { columns, rows } = evenLayout(tiles, screen);
      const across = columns / 2;
      expect([rows * across - tiles < across, rows * across - tiles < rows], `${screen}`).toEqual([
        true,
        true,
      ]);
    }
  });

  it("of five tiles alike are rows of three and two, the second in the middle", () => {
    const { columns, rows, places } = evenLayout(5);
    expect([columns, rows]).toEqual([6, 2]);
    expect(places.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [2, 0],
      [4, 0],
      [1, 1],
      [3, 1],
    ]);
  });

  it("of tiles alike go by the shapes of the screen and of the pictures", () => {
    const shape = ({ columns, rows }: Layout) => [columns / 2, rows];
    expect(shape(evenLayout(4, 9 / 16))).toEqual([1, 4]);
    expect(shape(evenLayout(4, 32 / 9))).toEqual([4, 1]);
    expect(shape(evenLayout(6, 16 / 9, 16 / 9))).toEqual([3, 2]);
    expect(shape(evenLayout(2, 16 / 9, 9 / 16))).toEqual([2, 1]);
    expect(shape(evenLayout(8, 16 / 9, 3 / 4))).toEqual([4, 2]);
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
