import { describe, expect, it } from "vitest";
import { rowsOf } from "../../../src/page/playback/timeline/rows.js";

describe("rows of the timeline", () => {
  it("are those of all cameras, where there is room", () => {
    expect(rowsOf({ count: 0, active: -1, most: 4, hasAll: false })).toEqual([]);
    expect(rowsOf({ count: 4, active: 2, most: 4, hasAll: false })).toEqual([0, 1, 2, 3]);
    expect(rowsOf({ count: 4, active: 2, most: 1, hasAll: false })).toEqual([2]);
  });

  it("are that of the active camera beyond, so that the pictures have room, until all are wanted", () => {
    expect(rowsOf({ count: 9, active: 4, most: 4, hasAll: false })).toEqual([4]);
    expect(rowsOf({ count: 9, active: -1, most: 4, hasAll: false })).toEqual([0]);
    expect(rowsOf({ count: 5, active: 4, most: 4, hasAll: true })).toEqual([0, 1, 2, 3, 4]);
  });
});
