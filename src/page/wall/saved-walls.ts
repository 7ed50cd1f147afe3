import { signal } from "@preact/signals";
import { requestJson } from "../state/request.js";
import { session } from "../state/session.js";
import { FREE_TILES_MAX, freed, gridTypeOf, layoutNamed, TILES_MAX } from "./layout/layout.js";
import { showWall, type Wall, wall } from "./wall-state.js";

/** A view of the configuration, as `GET /api/views` has it. */
export interface SavedWall {
  readonly Id: string;
  readonly Name: string;
  readonly GridType: string;
  /** In the order of the grid's tiles; null for a camera that this user may not see. */
  readonly ChannelIds: readonly (string | null)[];
}

/** Those that this user may open, by name; undefined until they are known. */
export const savedWalls = signal<readonly SavedWall[] | undefined>(undefined);

export async function readSavedWalls(): Promise<void> {
  const views = await requestJson<readonly SavedWall[]>("/api/views");
  savedWalls.value = views.toSorted((a, b) => a.Name.localeCompare(b.Name));
}

/** Views belong to the configuration: administrators change them, everybody else opens them. */
export function maySaveWalls(): boolean {
  return session.value?.IsAdministrator === true;
}

/** How many of its cameras have no tile, as a wall has at most 36. */
export function openSavedWall({ Id, GridType, ChannelIds }: SavedWall): number {
  const layout = layoutNamed(GridType, ChannelIds.length);
  showWall({ layout, cameras: layout.places.map((_, index) => ChannelIds[index] ?? undefined), viewId: Id });
  return Math.max(0, ChannelIds.length - Math.min(layout.places.length, TILES_MAX));
}

/** Opens the saved wall before or after the one that is shown. */
export function openBeside(by: 1 | -1): void {
  const walls = savedWalls.value ?? [];
  if (walls.length === 0) return;
  const at = walls.findIndex(({ Id }) => Id === wall.value.viewId);
  const next = walls[(at < 0 && by < 0 ? walls.length - 1 : at + by + walls.length) % walls.length];
  if (next !== undefined) openSavedWall(next);
}

/** A view has no empty tiles between its cameras: with some, its tiles are put down one by one, the empty ones last. */
export function asView(shown: Wall): Pick<SavedWall, "GridType" | "ChannelIds"> {
  const { layout, cameras } = shown;
  const ChannelIds = cameras.filter((id) => id !== undefined);
  const hasHoles = cameras.slice(0, ChannelIds.length).includes(undefined);
  if (!hasHoles || layout.places.length > FREE_TILES_MAX) return { GridType: gridTypeOf(layout), ChannelIds };
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
  const body = [{ ...(same === undefined ? {} : { Id: same.Id }), Name, ...asView(wall.value) }];
  const method = same === undefined ? "POST" : "PUT";
  const answer = await requestJson<{ readonly CreatedObjectsIds?: readonly string[] }>("/configure/views", {
    method,
    body,
  });
  await readSavedWalls();
  const viewId = same?.Id ?? answer.CreatedObjectsIds?.[0];
  showWall({ ...wall.value, isAutomatic: false, ...(viewId === undefined ? {} : { viewId }) });
}

export async function removeSavedWall(id: string): Promise<void> {
  await requestJson(`/configure/views/${id}`, { method: "DELETE" });
  await readSavedWalls();
}
