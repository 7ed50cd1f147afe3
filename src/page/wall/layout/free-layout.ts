import { FREE_CELLS, FREE_TILES_MAX, type Layout, overlap, type Place } from "./layout.js";

/** Smallest tile: below it no control fits. */
const CELLS_MIN = 1;

/** The layout with one place changed; undefined where it cannot be so. */
export type Changed = Layout | undefined;

/** Moves a tile; over another one the two change places. */
export function moved(layout: Layout, index: number, x: number, y: number): Changed {
  const old = layout.places[index];
  if (old === undefined) return undefined;
  const place = inside({ ...old, x, y });
  const hit = layout.places.flatMap((other, at) => (at !== index && overlap(place, other) ? [at] : []));
  if (hit.length === 0) return withPlace(layout, index, place);
  const [under] = hit;
  const other = under === undefined ? undefined : layout.places[under];
  if (hit.length > 1 || under === undefined || other === undefined || !covers(place, other)) return undefined;
  return withPlace(withPlace(layout, index, other), under, old);
}

/** Changes a tile's size; the tiles beside it give way, as far as they can. */
export function resized(layout: Layout, index: number, width: number, height: number): Changed {
  const old = layout.places[index];
  if (old === undefined) return undefined;
  const place = {
    ...old,
    width: clamp(width, CELLS_MIN, FREE_CELLS - old.x),
    height: clamp(height, CELLS_MIN, FREE_CELLS - old.y),
  };
  let next = withPlace(layout, index, place);
  for (const [at, other] of layout.places.entries()) {
    if (at === index || !overlap(place, other)) continue;
    const rest = restOf(other, place);
    if (rest === undefined) return undefined;
    next = withPlace(next, at, rest);
  }
  return next;
}

/** With another tile in the largest room that is free; undefined where there is none. */
export function added(layout: Layout): Changed {
  if (layout.places.length >= FREE_TILES_MAX) return undefined;
  const room = largestRoom(layout.places);
  return room === undefined ? undefined : { ...layout, places: [...layout.places, room] };
}

export function removed(layout: Layout, index: number): Changed {
  if (layout.places.length <= 1) return undefined;
  return { ...layout, places: layout.places.filter((_, at) => at !== index) };
}

function withPlace(layout: Layout, index: number, place: Place): Layout {
  return { ...layout, places: layout.places.map((old, at) => (at === index ? place : old)) };
}

function inside(place: Place): Place {
  return {
    ...place,
    x: clamp(place.x, 0, FREE_CELLS - place.width),
    y: clamp(place.y, 0, FREE_CELLS - place.height),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Math.round(value)));
}

/** Whether one lies over the middle of the other. */
function covers(place: Place, { x, y, width, height }: Place): boolean {
  const middle = { x: x + width / 2 - 0.5, y: y + height / 2 - 0.5, width: 1, height: 1 };
  return overlap(place, middle);
}

/** What is left of a tile beside another one that takes of its room: the largest part. */
function restOf(tile: Place, taken: Place): Place | undefined {
  const [right, bottom] = [tile.x + tile.width, tile.y + tile.height];
  const [takenRight, takenBottom] = [taken.x + taken.width, taken.y + taken.height];
  const parts = [
    { ...tile, width: taken.x - tile.x },
    { ...tile, height: taken.y - tile.y },
    { ...tile, x: takenRight, width: right - takenRight },
    { ...tile, y: takenBottom, height: bottom - takenBottom },
  ];
  return parts
    .filter(({ width, height }) => width >= CELLS_MIN && height >= CELLS_MIN)
    .sort((a, b) => b.width * b.height - a.width * a.height)[0];
}

function largestRoom(places: readonly Place[]): Place | undefined {
  let best: Place | undefined;
  for (let y = 0; y < FREE_CELLS; y++)
    for (let x = 0; x < FREE_CELLS; x++) {
      const room = roomAt(places, x, y);
      if (room.width * room.height > (best === undefined ? 0 : best.width * best.height)) best = room;
    }
  return best;
}

/** The largest free rectangle from a cell on, not wider than half the wall. */
function roomAt(places: readonly Place[], x: number, y: number): Place {
  let best = { x, y, width: 0, height: 0 };
  let widest = Math.min(FREE_CELLS - x, FREE_CELLS / 2);
  for (let height = 1; height <= Math.min(FREE_CELLS - y, FREE_CELLS / 2); height++) {
    const row = { x, y: y + height - 1, height: 1 };
    while (widest > 0 && places.some((place) => overlap({ ...row, width: widest }, place))) widest -= 1;
    if (widest * height > best.width * best.height) best = { x, y, width: widest, height };
  }
  return best;
}
