import { computed, signal } from "@preact/signals";
import { type Channel, channels } from "../state/channels.js";
import { groups } from "../state/groups.js";
import { happening } from "./happening/happening.js";
import { EVEN_TILES_MAX, evenLayout, type Layout, layoutOf, neighbour } from "./layout/layout.js";
import { pictureShape, stageShape } from "./layout/shapes.js";

/** Cameras that nobody chose one by one: all, those of a group of the configuration, or those where something happens. */
export type Source = "all" | "happening" | `group:${string}`;

/** What somebody chose to see. */
export interface Chosen {
  /** Absent: the cameras are those of `cameras`. */
  readonly source?: Source;
  /** Absent: tiles alike, as many as there are cameras, up to EVEN_TILES_MAX. */
  readonly layout?: Layout;
  /** GUIDs of channels, in the order of the layout's places, page after page. */
  readonly cameras: readonly (string | undefined)[];
  /** The saved wall that it is. */
  readonly viewId?: string;
  /** Seconds until the next page comes; 0: none comes by itself. */
  readonly rotationS: number;
  /** Pictures fill their tiles, and what is beyond them is cut. */
  readonly isFilled: boolean;
}

/** The wall as it is shown: one page of what was chosen. */
export interface Wall extends Chosen {
  readonly layout: Layout;
  /** Of the page, for each of the layout's places. */
  readonly tiles: readonly (string | undefined)[];
  /** From 0. */
  readonly page: number;
  readonly pages: number;
}

export const ALL_CAMERAS: Chosen = { source: "all", cameras: [], rotationS: 0, isFilled: false };

const chosen = signal<Chosen>(ALL_CAMERAS);
const page = signal(0);

/** Cameras that this user may watch live; undefined until they are known. */
export const watchable = computed(() =>
  channels.value?.filter((channel) => channel.AllowedRealtime && !channel.IsDisabled),
);

/** What was chosen, while any of it is there. */
export const chosenWall = computed<Chosen>(() =>
  isOfAnother(chosen.value, watchable.value ?? []) ? ALL_CAMERAS : chosen.value,
);

export const wall = computed<Wall>(() => {
  const wanted = chosenWall.value;
  const cameras =
    wanted.source === undefined ? wanted.cameras : camerasOf(wanted.source, watchable.value ?? []);
  const layout = fitting(wanted.layout, cameras.length);
  const { length } = layout.places;
  const pages = Math.max(1, Math.ceil(cameras.length / length));
  const shown = Math.min(page.value, pages - 1);
  const tiles = layout.places.map((_, index) => cameras[shown * length + index]);
  return { ...wanted, cameras, layout, tiles, page: shown, pages };
});

/** None of its cameras is there: the recorder was set up anew, or another one has its address. */
function isOfAnother({ source, cameras }: Chosen, known: readonly Channel[]): boolean {
  if (source?.startsWith("group:") === true)
    return known.length > 0 && !groups.value.some(({ id }) => source === `group:${id}`);
  const wanted = cameras.filter((id) => id !== undefined);
  return wanted.length > 0 && known.length > 0 && !known.some(({ Id }) => wanted.includes(Id));
}

function camerasOf(source: Source, known: readonly Channel[]): readonly (string | undefined)[] {
  if (source === "happening") return happening.value;
  const group = groups.value.find(({ id }) => source === `group:${id}`);
  const within = group === undefined ? known : known.filter(({ Id }) => group.channels.includes(Id));
  return within.map(({ Id }) => Id);
}

/** A layout of tiles alike is that of this screen and of these cameras' pictures. */
function fitting(layout: Layout | undefined, cameras: number): Layout {
  if (layout !== undefined && layout.isEven !== true) return layout;
  const tiles = layout?.places.length ?? Math.min(EVEN_TILES_MAX, cameras);
  return evenLayout(tiles, stageShape.value, pictureShape.value);
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
/** Where something is seen is drawn over the pictures. */
export const showsBoxes = signal(false);
export const isEditing = signal(false);
export const listIsOpen = signal(false);
export const layoutMenuOpen = signal(false);
export const wallMenuOpen = signal(false);

export function channelOf(id: string | undefined): Channel | undefined {
  return id === undefined ? undefined : channels.value?.find((channel) => channel.Id === id);
}

/** Walls before the last changes, the newest last. */
let before: readonly Chosen[] = [];
const STEPS_MAX = 20;

/** Another wall, or the same one changed; `undo` brings back what was. */
export function change(next: Chosen): void {
  before = [...before, chosen.peek()].slice(-STEPS_MAX);
  chosen.value = next;
}

/** Brings back the wall before the last change; false where there is none. */
export function undo(): boolean {
  const last = before.at(-1);
  if (last === undefined) return false;
  before = before.slice(0, -1);
  chosen.value = last;
  forgetTiles();
  return true;
}

/** Whether `undo` undoes the change that is the last one now: what came after it is undone first. */
export function isLastChange(): () => boolean {
  const changed = chosen.peek();
  return () => chosen.value === changed;
}

/** The wall that the page opens with. */
export function beginWith(first: Chosen): void {
  showWall(first);
  before = [];
}

/** Shows another wall, from its first page. */
export function showWall(next: Partial<Chosen>): void {
  change({ cameras: [], rotationS: 0, isFilled: wall.peek().isFilled, ...next });
  page.value = 0;
  forgetTiles();
}

/** What is no saved wall any more: somebody changed its cameras or its tiles. */
export function changeCameras(cameras: readonly (string | undefined)[], layout = wall.peek().layout): void {
  const { rotationS, isFilled } = wall.peek();
  change({ cameras, layout, rotationS, isFilled });
}

/** What belonged to a tile of the wall before. */
export function forgetTiles(): void {
  const { length } = wall.value.layout.places;
  if (selected.value >= length) selected.value = 0;
  enlarged.value = undefined;
  heard.value = undefined;
  piloted.value = undefined;
}

/** Goes to another page; after the last one comes the first. */
export function goToPage(next: number): void {
  const { pages } = wall.peek();
  page.value = (next + pages) % pages;
  forgetTiles();
}

/** An empty page after the last one. */
export function addPage(): void {
  const { cameras, layout, pages } = wall.peek();
  const { length } = layout.places;
  changeCameras(Array.from({ length: (pages + 1) * length }, (_, index) => cameras[index]));
  goToPage(pages);
}

/** With other tiles; undefined: as fits. Cameras keep their order. */
export function chooseLayout(layout: Layout | undefined): void {
  const { source, cameras, rotationS, isFilled } = wall.value;
  const kept = { rotationS, isFilled };
  if (source !== undefined) showWall({ ...kept, source, ...(layout && { layout }) });
  else {
    const shown = cameras.filter((id) => id !== undefined);
    const next = layout ?? evenLayout(Math.min(EVEN_TILES_MAX, shown.length));
    showWall({ ...kept, cameras: cameras.length <= next.places.length ? cameras : shown, layout: next });
  }
}

export function chooseTiles(count: number): void {
  isEditing.value = false;
  chooseLayout(layoutOf(count));
}

/** How the wall is shown; which cameras and where stays. */
export function chooseLook(look: Partial<Pick<Chosen, "rotationS" | "isFilled">>): void {
  change({ ...chosenWall.value, ...look });
}

/** The place of a tile among all cameras. */
function placeOf(tile: number): number {
  const { page: shown, layout } = wall.peek();
  return shown * layout.places.length + tile;
}

export function showCamera(tile: number, id: string | undefined): void {
  const { layout, cameras } = wall.value;
  if (tile < 0 || tile >= layout.places.length) return;
  const place = placeOf(tile);
  const length = Math.max(cameras.length, place + 1);
  changeCameras(Array.from({ length }, (_, at) => (at === place ? id : cameras[at])));
}

/** Into the chosen tile; the next empty one is then chosen. */
export function addCamera(id: string): void {
  showCamera(selected.value, id);
  const empty = wall.value.tiles.indexOf(undefined);
  if (empty >= 0) selected.value = empty;
}

export function swapTiles(one: number, other: number): void {
  const { cameras } = wall.value;
  const [first, second] = [placeOf(one), placeOf(other)];
  const next = Array.from(
    { length: Math.max(cameras.length, first + 1, second + 1) },
    (_, at) => cameras[at],
  );
  [next[first], next[second]] = [next[second], next[first]];
  changeCameras(next);
  selected.value = other;
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
  const { tiles } = wall.value;
  const shown = tiles.flatMap((id, index) => (id === undefined ? [] : [index]));
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
