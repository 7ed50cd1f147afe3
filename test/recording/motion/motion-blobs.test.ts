import { expect, it } from "vitest";
import { BLOBS_MAX, BlobFinder } from "../../../src/recording/motion/motion-blobs.js";

/** What `#` marks in rows of equal length, as a mask of ones. */
function mask(rows: readonly string[]): Uint8Array {
  return Uint8Array.from(rows.join(""), (mark) => (mark === "#" ? 1 : 0));
}

/** The pieces of rows, each as its box, its pixels and those in the zones. */
function pieces(rows: readonly string[], pixelsMin = 1, zones: readonly Uint8Array[] = []): unknown[] {
  const size = { width: rows[0]?.length ?? 0, height: rows.length };
  const blobs = new BlobFinder(size, zones).find(mask(rows), pixelsMin);
  return blobs.map(({ left, top, right, bottom, pixels, zonePixels }) => ({
    ...{ box: [left, top, right, bottom], pixels },
    zones: [...zonePixels],
  }));
}

const BLOCK = ["........", "........", "..####..", "..####..", "..####..", "........", "........"];

it("a piece has a box one pixel around it, and its own pixels alone are counted, in each zone", () => {
  const left = mask(BLOCK.map(() => "###....."));
  expect(pieces(BLOCK, 1, [left, mask(BLOCK)])).toEqual([{ box: [1, 1, 7, 6], pixels: 12, zones: [3, 12] }]);
});

it("a piece in a corner stays within the picture, and does not go on at the other side of it", () => {
  expect(pieces(["##......", "##......", "........"])).toEqual([{ box: [0, 0, 3, 3], pixels: 4, zones: [] }]);
  expect(pieces(["........", "......##", "......##"])).toEqual([{ box: [5, 0, 8, 3], pixels: 4, zones: [] }]);
  const both = ["........", "##....##", "##....##", "........"];
  expect(pieces(both)).toHaveLength(2);
});

it("pieces with a gap of two pixels are one, those with a gap of three are two", () => {
  const apart = (gap: number) => Array.from({ length: 4 }, () => `###${".".repeat(gap)}###`);
  expect([1, 2, 3, 4].map((gap) => pieces(apart(gap)).length)).toEqual([1, 1, 2, 2]);
});

it("single pixels and streaks of one pixel's width are no piece", () => {
  expect(pieces(["#.......", "...#....", "......#.", "........"])).toEqual([]);
  expect(pieces(["........", "########", "........", "........"])).toEqual([]);
});

it("a piece of the least number of pixels counts, a smaller one does not", () => {
  expect(pieces(BLOCK, 12)).toHaveLength(1);
  expect(pieces(BLOCK, 13)).toEqual([]);
});

it("of very many pieces, the first ones are told", () => {
  const row = "##...".repeat(BLOBS_MAX + 6);
  expect(pieces(["", row, row, ""].map((text) => text || ".".repeat(row.length)))).toHaveLength(
    BLOBS_MAX - 1,
  );
});

it("what was found is not taken into the next picture", () => {
  const finder = new BlobFinder({ width: 8, height: 7 }, [mask(BLOCK)]);
  finder.find(mask(BLOCK), 1);
  const again = finder.find(mask(BLOCK), 1);
  expect(again.map(({ pixels, zonePixels }) => [pixels, ...zonePixels])).toEqual([[12, 12]]);
  expect(finder.find(new Uint8Array(56), 1)).toEqual([]);
});
