import { added, removed } from "../layout/free-layout.js";
import { freed, type Layout } from "../layout/layout.js";
import { changeCameras, forgetTiles, selected, wall } from "../wall-state.js";

/** Changes where the tiles are; cameras stay with their tiles. False where it cannot be so. */
export function changeLayout(change: (layout: Layout) => Layout | undefined): boolean {
  const { layout, cameras } = wall.value;
  const next = change(freed(layout));
  if (next === undefined) return false;
  changeCameras(cameras, next);
  return true;
}

export function addTile(): boolean {
  if (!changeLayout(added)) return false;
  selected.value = wall.value.layout.places.length - 1;
  return true;
}

/** The tile and the camera in it; false where it is the last one. */
export function removeTile(index: number): boolean {
  const { layout, cameras, page } = wall.value;
  const next = removed(freed(layout), index);
  if (next === undefined) return false;
  const place = page * layout.places.length + index;
  changeCameras(
    cameras.filter((_, at) => at !== place),
    next,
  );
  forgetTiles();
  return true;
}
