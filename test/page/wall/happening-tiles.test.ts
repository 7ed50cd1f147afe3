import { beforeEach, describe, expect, it } from "vitest";
import { HappeningTiles, STAYS_MS } from "../../../src/page/wall/happening/happening-tiles.js";

describe("the tiles of a wall that shows where something happens", () => {
  let tiles: HappeningTiles;
  beforeEach(() => {
    tiles = new HappeningTiles(3);
  });

  it("have the cameras in the order in which it began, and each keeps its place", () => {
    expect(tiles.arrange(["a"], 0)).toEqual(["a"]);
    expect(tiles.arrange(["b", "a"], 1000)).toEqual(["a", "b"]);
    expect(tiles.arrange(["b"], 2000)).toEqual(["a", "b"]);
  });

  it("keep a camera for a while after the last that was seen there", () => {
    tiles.arrange(["a"], 0);
    expect(tiles.arrange([], STAYS_MS - 1)).toEqual(["a"]);
    expect(tiles.arrange(["a"], STAYS_MS - 1)).toEqual(["a"]);
    expect(tiles.arrange([], 2 * STAYS_MS - 2)).toEqual(["a"]);
    expect(tiles.arrange([], 2 * STAYS_MS - 1)).toEqual([]);
  });

  it("give the place of the camera that is quiet for the longest to another one when all are taken", () => {
    tiles.arrange(["a", "b", "c"], 0);
    tiles.arrange(["a", "c"], 1000);
    tiles.arrange(["c"], 2000);
    expect(tiles.arrange(["c", "d"], 3000)).toEqual(["a", "d", "c"]);
  });

  it("wait with another camera while something happens at all that they have", () => {
    tiles.arrange(["a", "b", "c"], 0);
    expect(tiles.arrange(["a", "b", "c", "d"], 1000)).toEqual(["a", "b", "c"]);
    expect(tiles.arrange(["a", "c", "d"], 2000)).toEqual(["a", "d", "c"]);
  });

  it("lose a camera that is gone at once, and its place is free", () => {
    tiles.arrange(["a", "b", "c"], 0);
    tiles.keepOnly((id) => id !== "b");
    expect(tiles.arrange(["a", "c", "d"], 1)).toEqual(["a", "c", "d"]);
  });
});
