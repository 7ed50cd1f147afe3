import { requestJson } from "../state/request.js";
import { FREE_TILES_MAX, freed, gridTypeOf } from "./layout/layout.js";
import { readSavedWalls, type SavedWall, savedWalls } from "./saved-walls.js";
import { change, changeCameras, chosenWall, type Wall, wall } from "./wall-state.js";

/**
 * A view has no empty tiles between its cameras: of a wall with some, on one page, the tiles are put down one by one, the empty ones
 * last; on several pages the cameras move up.
 */
export function asView(shown: Pick<Wall, "layout" | "cameras">): Pick<SavedWall, "GridType" | "ChannelIds"> {
  const { layout, cameras } = shown;
  const { length } = layout.places;
  const ChannelIds = cameras.filter((id) => id !== undefined);
  const hasHoles = cameras.slice(0, ChannelIds.length).includes(undefined);
  if (!hasHoles || cameras.length > length || length > FREE_TILES_MAX)
    return { GridType: gridTypeOf(layout), ChannelIds };
  const free = freed(layout);
  const isEmpty = (index: number): boolean => cameras[index] === undefined;
  const places = [
    ...free.places.filter((_, index) => !isEmpty(index)),
    ...free.places.filter((_, index) => isEmpty(index)),
  ];
  return { GridType: gridTypeOf({ ...free, places }), ChannelIds };
}

/** Saves the wall that is shown under a name, over the one that has it. */
export async function saveWall(Name: string): Promise<void> {
  const same = savedWalls.value?.find((saved) => saved.Name.toLowerCase() === Name.toLowerCase());
  const { isFilled: IsFilled, rotationS: RotationSeconds } = wall.value;
  const saved = { Name, ...asView(wall.value), IsFilled, RotationSeconds };
  const body = [same === undefined ? saved : { Id: same.Id, ...saved }];
  const method = same === undefined ? "POST" : "PUT";
  const answer = await requestJson<{ readonly CreatedObjectsIds?: readonly string[] }>("/configure/views", {
    method,
    body,
  });
  await readSavedWalls();
  const viewId = same?.Id ?? answer.CreatedObjectsIds?.[0];
  // What was saved are these cameras, whatever the wall followed before.
  changeCameras(wall.value.cameras);
  if (viewId !== undefined) change({ ...chosenWall.value, viewId });
}

export async function removeSavedWall(id: string): Promise<void> {
  await requestJson(`/configure/views/${id}`, { method: "DELETE" });
  await readSavedWalls();
}
