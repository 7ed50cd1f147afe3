import { expect, it } from "vitest";
import { SegmentIdSet } from "../../../src/archive/segment/segment-id-set.js";

function setOf(ids: readonly number[]): SegmentIdSet {
  const set = new SegmentIdSet();
  for (const id of ids) set.add(id);
  return set;
}

it("knows the ids that were added, in whatever order, and no others", () => {
  const set = setOf([7, 1, 5, 3]);
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8].filter((id) => set.has(id))).toEqual([1, 3, 5, 7]);
  set.add(6);
  expect([set.has(6), set.has(7), set.has(8)]).toEqual([true, true, false]);
  expect(new SegmentIdSet().has(0)).toBe(false);
});

it("tells each id that was added more than once, once", () => {
  expect([...setOf([4, 2, 4, 9, 2, 4, 1]).repeated()]).toEqual([2, 4]);
  expect([...setOf([3, 3]).repeated()]).toEqual([3]);
  expect([...setOf([1, 2, 3]).repeated()]).toEqual([]);
  expect([...new SegmentIdSet().repeated()]).toEqual([]);
});

it("grows beyond its first room", () => {
  const ids = Array.from({ length: 5000 }, (_, at) => 2 * (5000 - at));
  const set = setOf(ids);
  expect(ids.every((id) => set.has(id))).toBe(true);
  expect(ids.some((id) => set.has(id + 1))).toBe(false);
  expect([...set.repeated()]).toEqual([]);
});
