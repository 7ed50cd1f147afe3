import { expect, it } from "vitest";
import type { WatchedZone, ZoneMotion } from "../../../src/picture/index.js";
import { motionWatch } from "../../support/recording/motion-watch.js";

/** The pieces that a picture is taken apart into: what is new before a grey wall. */

const WALL = 100;
const BRIGHT = 200;
/** Pictures this far apart need not be followed, and the scene is known after three. */
const STEP_US = 2_000_000;
const LEARNED = 3;

const everywhere = (minSizePercent = 0.05): WatchedZone => ({
  ...{ sensitivity: 50, minSizePercent },
  area: { kind: "picture" },
});

/** Where rows of equal length have a `#`. */
const marked = (rows: readonly string[]): WatchedZone => ({
  ...everywhere(),
  area: {
    kind: "grid",
    columns: rows[0]?.length ?? 0,
    rows: rows.length,
    cells: rows.join("").replaceAll("#", "1").replaceAll(".", "0"),
  },
});

/** What is found in pictures that show `#` brightly, after the empty scene is known. */
function found(shown: readonly (readonly string[])[], zones = [everywhere()]): (readonly ZoneMotion[])[] {
  const rows = shown[0] ?? [];
  const size = { width: rows[0]?.length ?? 0, height: rows.length };
  const empty = rows.map((row) => ".".repeat(row.length));
  const watch = motionWatch(zones);
  const all = [...Array<readonly string[]>(LEARNED).fill(empty), ...shown];
  return all
    .map((picture, index) => {
      const data = Uint8Array.from(picture.join(""), (mark) => (mark === "#" ? BRIGHT : WALL));
      return watch.analyze({ ...size, data }, index * STEP_US);
    })
    .slice(LEARNED);
}

/** Each piece as its box and its pixels, in the order of the zones. */
function pieces(rows: readonly string[], zones?: WatchedZone[]): unknown[] {
  const [width, height] = [rows[0]?.length ?? 0, rows.length];
  return (found([rows], zones)[0] ?? []).map((motion) => ({
    box: [
      Math.round(motion.left * width),
      Math.round(motion.top * height),
      Math.round((motion.left + motion.width) * width),
      Math.round((motion.top + motion.height) * height),
    ],
    pixels: Math.round(motion.strength * width * height),
  }));
}

const BLOCK = [
  "..........",
  "..........",
  "..####....",
  "..####....",
  "..####....",
  "..........",
  "..........",
  "..........",
  "..........",
  "..........",
];

it("a piece has a box one pixel around it, and its own pixels alone are counted, in each zone", () => {
  const left = marked(BLOCK.map(() => "####......"));
  const box = [1, 1, 7, 6];
  expect(pieces(BLOCK, [left, everywhere()])).toEqual([
    { box, pixels: 6 },
    { box, pixels: 12 },
  ]);
});

it("a piece in a corner stays within the picture, and does not go on at the other side of it", () => {
  expect(pieces(["##......", "##......", "........"])).toEqual([{ box: [0, 0, 3, 3], pixels: 4 }]);
  expect(pieces(["........", "......##", "......##"])).toEqual([{ box: [5, 0, 8, 3], pixels: 4 }]);
  expect(pieces(["........", "##....##", "##....##", "........"])).toHaveLength(2);
});

it("pieces with a gap of two pixels are one, those with a gap of three are two", () => {
  const margin = ".".repeat(12);
  const apart = (gap: number) =>
    Array.from({ length: 4 }, () => `${margin}###${".".repeat(gap)}###${margin}`);
  expect([1, 2, 3, 4].map((gap) => pieces(apart(gap)).length)).toEqual([1, 1, 2, 2]);
});

it("single pixels and streaks of one pixel's width are no piece", () => {
  expect(pieces(["#.......", "...#....", "......#.", "........"])).toEqual([]);
  expect(pieces(["........", "########", "........", "........"])).toEqual([]);
});

it("a piece of the least number of pixels counts, a smaller one does not", () => {
  expect(pieces(BLOCK, [everywhere(12)])).toHaveLength(1);
  expect(pieces(BLOCK, [everywhere(13)])).toEqual([]);
});

it("of very many pieces, the first ones are reported", () => {
  const row = "##...".repeat(70);
  const none = ".".repeat(row.length);
  expect(pieces([none, row, row, none])).toHaveLength(63);
});

it("what was found is not taken into the next picture", () => {
  const empty = BLOCK.map((row) => ".".repeat(row.length));
  expect(found([BLOCK, empty, empty]).map((motions) => motions.length)).toEqual([1, 0, 0]);
});
