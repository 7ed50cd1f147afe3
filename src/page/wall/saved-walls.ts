import { signal } from "@preact/signals";
import { requestJson } from "../state/request.js";
import { session } from "../state/session.js";
import { FREE_TILES_MAX, freed, gridTypeOf, layoutNamed } from "./layout/layout.js";
import { change, changeCameras, chosenWall, showWall, type Wall, wall } from "./wall-state.js";

/** A view of the configuration, as `GET /api/views` has it. */
export interface SavedWall {
  readonly Id: string;
  readonly Name: string;
  readonly GridType: string;
  /** In the order of the grid's tiles, page after page; null for a camera that this user may not see. */
  readonly ChannelIds: readonly (string | null)[];
  readonly IsFilled: boolean;
  readonly RotationSeconds: number;
}

/** Those that this user may open, by name; undefined until they are known. */
export const savedWalls = signal<readonly SavedWall[] | undefined>(undefined);

export async function readSavedWalls(): Promise<void> {
  const views = await requestJson<readonly SavedWall[]>("/api/views");
  savedWalls.value = views.toSorted((a, b) => a.Name.localeCompare(b.Name));
}

/** The question for a name is open. */
export const saving = signal(false);
/** The wall that is to be deleted, while that is asked. */
export const removing = signal<SavedWall | undefined>(undefined);

/** Views belong to the configuration: administrators change them, everybody else opens them. */
export function maySaveWalls(): boolean {
  return session.value?.IsAdministrator === true;
}

export function openSavedWall({ Id, GridType, ChannelIds, IsFilled, RotationSeconds }: SavedWall): void {
  showWall({
    layout: layoutNamed(GridType, ChannelIds.length),
    cameras: ChannelIds.map((id) => id ?? undefined),
    viewId: Id,
    isFilled: IsFilled,
    rotationS: RotationSeconds,
  });
}

/** Opens the saved wall before or after the one that is shown. */
export function openBeside(by: 1 | -1): void {
  const walls = savedWalls.value ?? [];
  if (walls.length === 0) return;
  const at = walls.findIndex(({ Id }) => Id === wall.value.viewId);
  const next = walls[(at < 0 && by < 0 ? walls.length - 1 : at + by + walls.length) % walls.length];
  if (next !== undefined) openSavedWall(next);
}

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
