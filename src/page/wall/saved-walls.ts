import { signal } from "@preact/signals";
import { requestJson } from "../state/request.js";
import { session } from "../state/session.js";
import { layoutNamed } from "./layout/layout.js";
import { showWall, wall } from "./wall-state.js";

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
