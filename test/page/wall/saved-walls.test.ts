import { expect, it } from "vitest";
import { layoutNamed, layoutOf } from "../../../src/page/wall/layout/layout.js";
import { asView, openSavedWall } from "../../../src/page/wall/saved-walls.js";
import {
  addCamera,
  chooseTiles,
  selected,
  showWall,
  swapTiles,
  wall,
} from "../../../src/page/wall/wall-state.js";

const [A, B, C] = ["a", "b", "c"].map((sign) => `22222222-0000-4000-8000-00000000000${sign}`);

it("a wall without empty tiles between its cameras is saved as the layout that it has", () => {
  const view = asView({ layout: layoutOf(4), cameras: [A, B, C, undefined] });
  expect(view).toEqual({ GridType: "GridType4", ChannelIds: [A, B, C] });
});

it("one with empty tiles between them is saved with the place of each, and opens the same", () => {
  const { GridType, ChannelIds } = asView({ layout: layoutOf(4), cameras: [undefined, A, undefined, B] });
  expect(ChannelIds).toEqual([A, B]);
  const { places } = layoutNamed(GridType, 0);
  expect(places.slice(0, 2).map(({ x, y }) => [x, y])).toEqual([
    [6, 0],
    [6, 6],
  ]);
});

it("a saved wall that is opened leaves the tiles of cameras empty that the user may not see", () => {
  const left = openSavedWall({ Id: "1", Name: "Doors", GridType: "GridType2", ChannelIds: [null, B ?? ""] });
  expect([left, wall.value.cameras, wall.value.viewId]).toEqual([0, [undefined, B], "1"]);
});

it("a saved wall of more than 36 cameras says how many have no tile", () => {
  const ChannelIds = Array.from({ length: 40 }, () => A ?? "");
  expect(openSavedWall({ Id: "1", Name: "All", GridType: "GridType12X11", ChannelIds })).toBe(4);
});

it("cameras keep their order in a smaller layout, and changed tiles are no saved wall any more", () => {
  showWall({ layout: layoutOf(9), cameras: [A, undefined, B, undefined, undefined, C], viewId: "1" });
  chooseTiles(4);
  expect(wall.value.cameras).toEqual([A, B, C, undefined]);
  swapTiles(0, 3);
  expect(wall.value.cameras).toEqual([undefined, B, C, A]);
  expect(wall.value.viewId).toBeUndefined();
});

it("a camera of the list goes into the chosen tile, and the next empty one is then chosen", () => {
  showWall({ layout: layoutOf(4), cameras: [A, undefined, undefined, undefined] });
  selected.value = 2;
  addCamera(B ?? "");
  expect([wall.value.cameras, selected.value]).toEqual([[A, undefined, B, undefined], 1]);
});
