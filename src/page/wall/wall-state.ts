import { computed, signal } from "@preact/signals";
import { type Channel, channels } from "../state/channels.js";
import { added, removed } from "./layout/free-layout.js";
import { freed, type Layout, layoutFor, layoutOf, neighbour } from "./layout/layout.js";

/** What the wall shows: a layout, and the camera of each of its tiles. */
export interface Wall {
  readonly layout: Layout;
  /** GUIDs of channels, in the order of the layout's places. */
  readonly cameras: readonly (string | undefined)[];
  /** The saved wall that it is. */
  readonly viewId?: string;
  /** Nobody chose it: it shows all cameras, and follows when some are added. */
  readonly isAutomatic?: boolean;
}

/** Most tiles that the wall fills by itself: more are too small to see anything. */
const AUTOMATIC_MAX = 16;

const chosen = signal<Wall | undefined>(undefined);

/** Cameras that this user may watch live; undefined until they are known. */
export const watchable = computed(() =>
  channels.value?.filter((channel) => channel.AllowedRealtime && !channel.IsDisabled),
);

export const wall = computed<Wall>(() => {
  const known = watchable.value ?? [];
  return chosen.value === undefined || isOfAnother(chosen.value, known) ? automatic(known) : chosen.value;
});

/** None of its cameras is there: the recorder was set up anew, or another one has its address. */
function isOfAnother({ cameras }: Wall, known: readonly Channel[]): boolean {
  const wanted = cameras.filter((id) => id !== undefined);
  return wanted.length > 0 && known.length > 0 && !known.some(({ Id }) => wanted.includes(Id));
}

/** The tile that keys and the camera list act on. */
export const selected = signal(0);
/** The tile that fills the wall. */
export const enlarged = signal<number | undefined>(undefined);
/** The tile whose sound is heard. */
export const heard = signal<number | undefined>(undefined);
/** The tile whose camera is moved. */
export const piloted = signal<number | undefined>(undefined);
/** Tiles that show their main stream, whatever their size. */
export const mainStreams = signal<ReadonlySet<string>>(new Set());
export const showsFigures = signal(false);
export const isEditing = signal(false);
export const listIsOpen = signal(false);

function automatic(cameras: readonly Channel[]): Wall {
  const shown = cameras.slice(0, AUTOMATIC_MAX).map(({ Id }) => Id);
  const layout = layoutFor(Math.max(1, shown.length));
  return { layout, cameras: layout.places.map((_, index) => shown[index]), isAutomatic: true };
}

export function channelOf(id: string | undefined): Channel | undefined {
  return id === undefined ? undefined : channels.value?.find((channel) => channel.Id === id);
}

/** Shows another wall. */
export function showWall(next: Wall): void {
  chosen.value = next.isAutomatic === true ? undefined : next;
  forgetTiles();
}

/** What belonged to a tile of the wall before. */
function forgetTiles(): void {
  const { length } = wall.value.layout.places;
  if (selected.value >= length) selected.value = 0;
  enlarged.value = undefined;
  heard.value = undefined;
  piloted.value = undefined;
}

/** With other tiles; the cameras keep their order, and cameras without a tile come back when there is one. */
export function chooseLayout(layout: Layout): void {
  const { cameras } = wall.value;
  const kept = cameras.filter((id) => id !== undefined);
  const more = wall.value.isAutomatic === true ? (watchable.value ?? []).map(({ Id }) => Id) : [];
  const all = cameras.length <= layout.places.length ? cameras : kept;
  const rest = more.filter((id) => !all.includes(id));
  const filled = layout.places.map((_, index) => all[index] ?? rest.shift());
  showWall({ layout, cameras: filled });
}

export function chooseTiles(count: number): void {
  isEditing.value = false;
  chooseLayout(layoutOf(count));
}

export function showCamera(tile: number, id: string | undefined): void {
  const { layout, cameras } = wall.value;
  if (tile < 0 || tile >= layout.places.length) return;
  chosen.value = { layout, cameras: layout.places.map((_, index) => (index === tile ? id : cameras[index])) };
}

/** Into the chosen tile; the next empty one is then chosen. */
export function addCamera(id: string): void {
  showCamera(selected.value, id);
  const { cameras, layout } = wall.value;
  const empty = layout.places.findIndex((_, index) => cameras[index] === undefined);
  if (empty >= 0) selected.value = empty;
}

export function swapTiles(one: number, other: number): void {
  const { layout, cameras } = wall.value;
  const next = layout.places.map((_, index) => cameras[index]);
  [next[one], next[other]] = [next[other], next[one]];
  chosen.value = { layout, cameras: next };
  selected.value = other;
}

/** Changes where the tiles are; cameras stay with their tiles. */
export function changeLayout(change: (layout: Layout) => Layout | undefined): boolean {
  const { layout, cameras } = wall.value;
  const next = change(freed(layout));
  if (next === undefined) return false;
  chosen.value = { layout: next, cameras: next.places.map((_, index) => cameras[index]) };
  return true;
}

export function addTile(): boolean {
  if (!changeLayout(added)) return false;
  selected.value = wall.value.layout.places.length - 1;
  return true;
}

export function removeTile(index: number): void {
  const { layout, cameras } = wall.value;
  const next = removed(freed(layout), index);
  if (next === undefined) return;
  chosen.value = { layout: next, cameras: cameras.filter((_, at) => at !== index) };
  forgetTiles();
}

export function selectBeside(dx: number, dy: number): void {
  if (enlarged.value !== undefined) {
    enlargeBeside(dx + dy);
    return;
  }
  const next = neighbour(wall.value.layout.places, selected.value, dx, dy);
  if (next !== undefined) selected.value = next;
}

/** The next camera, while one fills the wall. */
export function enlargeBeside(by: number): void {
  const { cameras } = wall.value;
  const shown = cameras.flatMap((id, index) => (id === undefined ? [] : [index]));
  const at = shown.indexOf(enlarged.value ?? selected.value);
  const next = shown[(at + by + shown.length) % shown.length];
  if (next === undefined) return;
  selected.value = next;
  enlarged.value = next;
  piloted.value = undefined;
}

export function enlarge(tile: number | undefined): void {
  if (tile !== undefined) selected.value = tile;
  enlarged.value = tile;
}

export function toggleMain(id: string): void {
  const next = new Set(mainStreams.value);
  if (!next.delete(id)) next.add(id);
  mainStreams.value = next;
}

export function toggle(tile: number, which: typeof heard): void {
  which.value = which.value === tile ? undefined : tile;
}
