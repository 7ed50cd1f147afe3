import { expect, test } from "vitest";
import { SlabFiller, SlabPool, type SlabRange } from "../../src/live/index.js";

const SLAB_BYTES = 1000;

function filled(pool: SlabPool, ...lengths: readonly number[]): SlabRange[][] {
  const filler = new SlabFiller(pool);
  const all: SlabRange[][] = [];
  for (const [at, length] of lengths.entries()) {
    filler.add(new Uint8Array(length).fill(at + 1), (ranges) => {
      for (const { slab } of ranges) slab.retain();
      all.push(ranges);
    });
  }
  filler.close();
  return all;
}

const makePool = (slabs: number) =>
  new SlabPool({ slabBytes: SLAB_BYTES, totalBytesMax: slabs * SLAB_BYTES });

test("bytes lie one behind the other, and go on in the next slab", () => {
  const all = filled(makePool(10), 400, 400, 400);
  expect(all.map((ranges) => ranges.map(({ start, byteLength }) => [start, byteLength]))).toEqual([
    [[0, 400]],
    [[400, 400]],
    [
      [800, 200],
      [0, 200],
    ],
  ]);
  for (const [at, ranges] of all.entries())
    for (const { bytes } of ranges) expect(new Set(bytes)).toEqual(new Set([at + 1]));
});

test("bytes longer than a slab take several", () => {
  const [ranges = []] = filled(makePool(10), 2500);
  expect(ranges.map(({ byteLength }) => byteLength)).toEqual([1000, 1000, 500]);
});

test("slabs that nobody kept are back when the filler is closed", () => {
  const pool = makePool(10);
  const all = filled(pool, 2500, 2500);
  for (const { slab } of all.flat()) slab.release();
  expect(pool.idleBytes).toBe(pool.allocatedBytes);
});

test("without a slab nothing is used, and what was begun is given back", () => {
  const pool = makePool(2);
  const filler = new SlabFiller(pool);
  let used = false;
  const isThere = filler.add(new Uint8Array(2500), () => {
    used = true;
  });
  filler.close();
  expect([isThere, used, pool.idleBytes]).toEqual([false, false, 2 * SLAB_BYTES]);
});
