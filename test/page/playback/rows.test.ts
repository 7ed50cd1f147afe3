import { describe, expect, it } from "vitest";
import { rowsOf } from "../../../src/page/playback/timeline/rows.js";

describe("rows of the timeline", () => {
  it("are those of all cameras, up to four", () => {
    expect(rowsOf(0, -1, false)).toEqual([]);
    expect(rowsOf(4, 2, false)).toEqual([0, 1, 2, 3]);
  });

  it("are that of the active camera beyond, so that the pictures have room, until all are wanted", () => {
    expect(rowsOf(9, 4, false)).toEqual([4]);
    expect(rowsOf(9, -1, false)).toEqual([0]);
    expect(rowsOf(5, 4, true)).toEqual([0, 1, 2, 3, 4]);
  });
});
