import { expect, it } from "vitest";
import { layoutNamed, layoutOf } from "../../../src/page/wall/layout/layout.js";
import { asView } from "../../../src/page/wall/save-wall.js";
import { openSavedWall } from "../../../src/page/wall/saved-walls.js";
import {
  addCamera,
  addPage,
  beginWith,
  chooseTiles,
  goToPage,
  selected,
  showCamera,
  showWall,
  swapTiles,
  undo,
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

const VIEW = { Id: "1", Name: "Doors", IsFilled: false, RotationSeconds: 0 };

it("a saved wall that is opened leaves the tiles of cameras empty that the user may not see", () => {
  openSavedWall({ ...VIEW, GridType: "GridType2", ChannelIds: [null, B ?? ""] });
  expect([wall.value.tiles, wall.value.viewId]).toEqual([[undefined, B], "1"]);
});

it("a saved wall of more cameras than tiles has all of them on its pages, and is saved with all", () => {
  const ids = Array.from(
    { length: 256 },
    (_, index) => `22222222-0000-4000-8000-${String(index).padStart(12, "0")}`,
  );
  openSavedWall({ ...VIEW, GridType: "GridType9", ChannelIds: ids, IsFilled: true, RotationSeconds: 20 });
  expect(wall.value).toMatchObject({ page: 0, pages: 29, isFilled: true, rotationS: 20 });
  const seen = Array.from({ length: 29 }, (_, page) => {
    goToPage(page);
    return wall.value.tiles;
  });
  expect(seen.flat().filter((id) => id !== undefined)).toEqual(ids);
  expect(asView(wall.value)).toEqual({ GridType: "GridType9", ChannelIds: ids });
});

it("after the last page comes the first, and before the first the last", () => {
  showWall({ layout: layoutOf(2), cameras: [A, B, C] });
  goToPage(-1);
  expect([wall.value.page, wall.value.tiles]).toEqual([1, [C, undefined]]);
  goToPage(2);
  expect(wall.value.page).toBe(0);
});

it("a camera is put into a tile of the page that is shown", () => {
  showWall({ layout: layoutOf(2), cameras: [A, B] });
  addPage();
  expect([wall.value.page, wall.value.tiles]).toEqual([1, [undefined, undefined]]);
  showCamera(1, C);
  swapTiles(1, 0);
  expect(wall.value.cameras).toEqual([A, B, C, undefined]);
});

it("a camera that is taken off the wall is brought back by undo, step by step", () => {
  beginWith({ layout: layoutOf(3), cameras: [A, B, C], viewId: "1", rotationS: 5, isFilled: true });
  showCamera(0, undefined);
  showCamera(2, undefined);
  expect(wall.value.tiles).toEqual([undefined, B, undefined]);
  undo();
  expect([wall.value.tiles, wall.value.viewId]).toEqual([[undefined, B, C], undefined]);
  undo();
  expect(wall.value).toMatchObject({ tiles: [A, B, C], viewId: "1", rotationS: 5, isFilled: true });
  expect(undo()).toBe(false);
});

it("cameras keep their order in a smaller layout, on pages, and changed tiles are no saved wall any more", () => {
  showWall({ layout: layoutOf(9), cameras: [A, undefined, B, undefined, undefined, C], viewId: "1" });
  chooseTiles(2);
  expect([wall.value.tiles, wall.value.pages]).toEqual([[A, B], 2]);
  chooseTiles(4);
  expect(wall.value.tiles).toEqual([A, B, C, undefined]);
  swapTiles(0, 3);
  expect(wall.value.tiles).toEqual([undefined, B, C, A]);
  expect(wall.value.viewId).toBeUndefined();
});

it("a camera of the list goes into the chosen tile, and the next empty one is then chosen", () => {
  showWall({ layout: layoutOf(4), cameras: [A, undefined, undefined, undefined] });
  selected.value = 2;
  addCamera(B ?? "");
  expect([wall.value.tiles, selected.value]).toEqual([[A, undefined, B, undefined], 1]);
});
