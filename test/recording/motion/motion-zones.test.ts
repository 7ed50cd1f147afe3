import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ZONE_POINTS_MAX, ZONES_MAX } from "../../../src/contract/index.js";
import { readMotionZones, WHOLE_PICTURE } from "../../../src/recording/index.js";
import { regionMotion } from "../../support/recording/motion-watch.js";

const TRIANGLE = [
  { X: 0, Y: 0 },
  { X: 1, Y: 0 },
  { X: 0, Y: 1 },
];
const GRID = { Columns: 2, Rows: 2, Cells: "1001" };

const faultsOf = (value: unknown): string[] =>
  readMotionZones(value).faults.map(({ at, accepted }) => `${at}: ${accepted}`);

describe("readMotionZones", () => {
  it.each([
    ["null", null],
    ["an empty list", []],
    ["another program's value", { Version: 1, Areas: [[1, 2]] }],
    ["a list of another program's", [{ Rectangle: "0,0,10,10" }, 1]],
  ])("watches the whole picture for %s", (_name, value) => {
    expect(readMotionZones(value)).toMatchObject({ zones: [WHOLE_PICTURE], faults: [] });
  });

  it("reads polygons and grids with their sensitivity, smallest size, name and id, in any case", () => {
    const { zones } = readMotionZones([
      { Id: "7", Name: "Door", Points: TRIANGLE, Sensitivity: 80, MinSize: 1, Colour: "red" },
      { id: 9, grid: { columns: 2, rows: 2, cells: "1001" } },
      { Points: TRIANGLE },
    ]);
    expect(zones).toMatchObject([
      { id: "7", name: "Door", sensitivity: 80, minSizePercent: 1, area: { kind: "polygon" } },
      { id: "9", name: "9", sensitivity: 50, minSizePercent: 0.2, area: { kind: "grid", cells: "1001" } },
      { name: "3" },
    ]);
  });

  it.each([
    ["a sensitivity of 0", { Points: TRIANGLE, Sensitivity: 0 }, "[0].Sensitivity: 1 to 100"],
    ["a sensitivity as text", { Points: TRIANGLE, Sensitivity: "50" }, "[0].Sensitivity: 1 to 100"],
    ["a size of 0", { Points: TRIANGLE, MinSize: 0 }, "[0].MinSize: 0.05 to 100 (percent of the picture)"],
    ["a long name", { Points: TRIANGLE, Name: "x".repeat(65) }, "[0].Name: a text of at most 64 characters"],
    ["an id that is a list", { Points: TRIANGLE, Id: [] }, "[0].Id: a text of at most 64 characters"],
    ["two points", { Points: TRIANGLE.slice(1) }, `[0].Points: 3 to ${ZONE_POINTS_MAX} points`],
    [
      "points on a line",
      { Points: [...TRIANGLE.slice(0, 2), { X: 0.5, Y: 0 }] },
      "[0].Points: at least 0.02 wide and high",
    ],
    [
      "points in pixels",
      { Points: [...TRIANGLE, { X: 320, Y: 0 }] },
      '[0].Points[3]: a point of the picture: {"X": 0 to 1, "Y": 0 to 1}',
    ],
    [
      "points as lists",
      {
        Points: [
          [0, 0],
          [1, 0],
          [0, 1],
        ],
      },
      '[0].Points[0]: a point of the picture: {"X": 0 to 1, "Y": 0 to 1}',
    ],
    ["points and a grid", { Points: TRIANGLE, Grid: GRID }, "[0]: either Points or Grid, not both"],
    ["a grid of 65 columns", { Grid: { ...GRID, Columns: 65 } }, "[0].Grid.Columns: 1 to 64"],
    ["half a row", { Grid: { ...GRID, Rows: 1.5 } }, "[0].Grid.Rows: 1 to 64"],
    ["too few cells", { Grid: { ...GRID, Cells: "100" } }, "[0].Grid.Cells: 4 characters 0 or 1, row by row"],
    ["no cell", { Grid: { ...GRID, Cells: "0000" } }, "[0].Grid.Cells: at least one 1"],
    ["a grid that is a text", { Grid: "1001" }, "[0].Grid: an object with Columns, Rows and Cells"],
  ])("names what is wrong by its path: %s", (_name, zone, fault) => {
    expect(faultsOf([zone])).toEqual([fault]);
  });

  it("takes zones at each limit: 64 columns, 64 rows, and a polygon 0.02 wide and high", () => {
    const corner = [
      { X: 0, Y: 0 },
      { X: 0.02, Y: 0 },
      { X: 0, Y: 0.02 },
    ];
    const grid = { Columns: 64, Rows: 64, Cells: "1".repeat(64 * 64) };
    expect(faultsOf([{ Points: corner }, { Grid: grid }])).toEqual([]);
    const thin = corner.map(({ X, Y }) => ({ X: X * 0.99, Y }));
    expect(faultsOf([{ Points: thin }])).toEqual(["[0].Points: at least 0.02 wide and high"]);
  });

  it("refuses items without an area beside zones, names given twice, and too many zones", () => {
    expect(faultsOf([{ Points: TRIANGLE }, {}])).toEqual(["[1]: Points or Grid is required"]);
    expect(faultsOf([{ Points: TRIANGLE }, 1])).toEqual(["[1]: an object with Points or Grid"]);
    expect(
      faultsOf([
        { Points: TRIANGLE, Name: "A" },
        { Grid: GRID, Name: "A" },
      ]),
    ).toEqual(['[1]: an earlier zone is named "A", too']);
    const many = Array.from({ length: ZONES_MAX + 1 }, () => ({ Grid: GRID }));
    expect(faultsOf(many)).toEqual([`: at most ${ZONES_MAX} zones`]);
  });

  it("never throws, and always leaves a zone to watch", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readMotionZones(value).zones.length).toBeGreaterThan(0);
        expect(readMotionZones([{ Points: value, Grid: null }, value]).zones.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe("zones", () => {
  /** 1 where the middle of a cell of 8 x 4 lies in the zone. */
  const drawn = (value: unknown): string[] => {
    const motion = regionMotion(readMotionZones(value).zones);
    const isIn = (x: number, y: number): boolean =>
      motion.touches({ left: (x + 0.5) / 8, top: (y + 0.5) / 4, width: 0.001, height: 0.001 });
    return [0, 1, 2, 3].map((y) => Array.from({ length: 8 }, (_, x) => (isIn(x, y) ? 1 : 0)).join(""));
  };

  it("lay a grid's cells over the picture, row by row", () => {
    expect(drawn([{ Grid: GRID }])).toEqual(["11110000", "11110000", "00001111", "00001111"]);
  });

  it("lay a polygon over the pixels whose middle is inside", () => {
    expect(drawn([{ Points: TRIANGLE }])).toEqual(["11111110", "11111000", "11100000", "10000000"]);
  });

  it("lay a polygon of slanting sides over them, from whichever corner it is drawn", () => {
    const diamond = [
      { X: 0.5, Y: 0 },
      { X: 1, Y: 0.5 },
      { X: 0.5, Y: 1 },
      { X: 0, Y: 0.5 },
    ];
    for (let first = 0; first < diamond.length; first++) {
      const points = [...diamond.slice(first), ...diamond.slice(0, first)];
      for (const Points of [points, points.toReversed()])
        expect(drawn([{ Points }])).toEqual(["00011000", "01111110", "01111110", "00011000"]);
    }
  });

  it("take the more sensitive zone's threshold where two overlap, and none outside", () => {
    const { zones } = readMotionZones([
      { Name: "a", Grid: { Columns: 2, Rows: 1, Cells: "10" }, Sensitivity: 1 },
      { Name: "b", Grid: { Columns: 4, Rows: 1, Cells: "1000" }, Sensitivity: 100 },
    ]);
    /** Whether a square of 4 x 4 pixels that became so much brighter counts, in the middle of a quarter. */
    const counts = (quarter: number, levels: number): boolean => {
      const size = { width: 64, height: 16 };
      const shown = (more: number) =>
        Uint8Array.from({ length: size.width * size.height }, (_, at) => {
          const [x, y] = [at % size.width, Math.floor(at / size.width)];
          return Math.abs(x - quarter * 16 - 7.5) < 2 && Math.abs(y - 7.5) < 2 ? 100 + more : 100;
        });
      const motion = regionMotion(zones);
      motion.take({ ...size, data: shown(0) });
      return motion.take({ ...size, data: shown(levels) });
    };
    // The noise of a scene that is not known yet, 9 levels, comes on top of 5 and 40.
    expect([14, 15].map((levels) => counts(0, levels))).toEqual([false, true]);
    expect([49, 50].map((levels) => counts(1, levels))).toEqual([false, true]);
    expect([counts(2, 155), counts(3, 155)]).toEqual([false, false]);
  });
});
