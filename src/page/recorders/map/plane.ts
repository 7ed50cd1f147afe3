/** A plane around a place: degrees become metres and pixels. Exact enough for what one company has; nothing is fetched for it. */

export interface Degrees {
  readonly Latitude: number;
  readonly Longitude: number;
}

/** What part of the earth is shown. */
export interface View {
  readonly center: Degrees;
  readonly metresPerPixel: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const METRES_PER_DEGREE = 111_320;
const METRES_PER_PIXEL_MIN = 0.02;
const METRES_PER_PIXEL_MAX = 60_000;
/** Around all that is shown, in shares of the picture. */
const MARGIN = 0.15;
/** A single place is shown with this many metres around it. */
const METRES_AROUND = 200;
const LATITUDE_MAX = 85;

/** How much narrower a degree of longitude is than one of latitude. */
const narrowing = ({ Latitude }: Degrees): number =>
  Math.cos((Math.min(LATITUDE_MAX, Math.abs(Latitude)) * Math.PI) / 180);

/** Longitudes the short way around. */
const turn = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;

/** Where a place is on the picture, from its left upper corner. */
export function pointOf(place: Degrees, { center, metresPerPixel }: View, { width, height }: Size): Point {
  const scale = METRES_PER_DEGREE / metresPerPixel;
  return {
    x: width / 2 + turn(place.Longitude - center.Longitude) * narrowing(center) * scale,
    y: height / 2 - (place.Latitude - center.Latitude) * scale,
  };
}

export function placeOf({ x, y }: Point, { center, metresPerPixel }: View, { width, height }: Size): Degrees {
  const scale = METRES_PER_DEGREE / metresPerPixel;
  const latitude = center.Latitude - (y - height / 2) / scale;
  return {
    Latitude: Math.max(-90, Math.min(90, latitude)),
    Longitude: turn(center.Longitude + (x - width / 2) / scale / narrowing(center)),
  };
}

/** The view that has all places in it. */
export function viewOf(places: readonly Degrees[], { width, height }: Size): View {
  const [first] = places;
  if (first === undefined)
    return { center: { Latitude: 0, Longitude: 0 }, metresPerPixel: METRES_PER_PIXEL_MAX };
  const latitudes = places.map(({ Latitude }) => Latitude);
  const longitudes = places.map(({ Longitude }) => first.Longitude + turn(Longitude - first.Longitude));
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const center = { Latitude: (south + north) / 2, Longitude: turn((west + east) / 2) };
  const room = 1 - 2 * MARGIN;
  const metres = {
    x: Math.max(METRES_AROUND, (east - west) * METRES_PER_DEGREE * narrowing(center)),
    y: Math.max(METRES_AROUND, (north - south) * METRES_PER_DEGREE),
  };
  const metresPerPixel = Math.max(metres.x / (width * room), metres.y / (height * room));
  return { center, metresPerPixel: bounded(metresPerPixel) };
}

function bounded(metresPerPixel: number): number {
  return Math.max(METRES_PER_PIXEL_MIN, Math.min(METRES_PER_PIXEL_MAX, metresPerPixel));
}

/** Nearer or farther; the place at `point` stays where it is. */
export function zoomed(
  view: View,
  size: Size,
  { by, at }: { readonly by: number; readonly at: Point },
): View {
  const metresPerPixel = bounded(view.metresPerPixel / by);
  const held = placeOf(at, view, size);
  const now = pointOf(held, { ...view, metresPerPixel }, size);
  return moved({ ...view, metresPerPixel }, size, { x: at.x - now.x, y: at.y - now.y });
}

/** The picture pushed by so many pixels. */
export function moved(view: View, size: Size, { x, y }: Point): View {
  return { ...view, center: placeOf({ x: size.width / 2 - x, y: size.height / 2 - y }, view, size) };
}

/** Places that would lie on each other, as one. */
export interface Heap<Item> {
  readonly at: Point;
  readonly items: readonly Item[];
}

/** Items nearer than `near` pixels to the first of a heap are in it. */
export function heaps<Item>(
  items: readonly Item[],
  at: (item: Item) => Point,
  near: number,
): readonly Heap<Item>[] {
  const cells = new Map<string, { at: Point; items: Item[] }[]>();
  const all: { at: Point; items: Item[] }[] = [];
  for (const item of items) {
    const point = at(item);
    const [column, row] = [Math.floor(point.x / near), Math.floor(point.y / near)];
    const around = [-1, 0, 1].flatMap((dx) =>
      [-1, 0, 1].flatMap((dy) => cells.get(`${column + dx} ${row + dy}`) ?? []),
    );
    const found = around.find((heap) => Math.hypot(heap.at.x - point.x, heap.at.y - point.y) < near);
    if (found !== undefined) {
      found.items.push(item);
      continue;
    }
    const heap = { at: point, items: [item] };
    all.push(heap);
    cells.set(`${column} ${row}`, [...(cells.get(`${column} ${row}`) ?? []), heap]);
  }
  return all;
}

/** A length to be shown as a scale, of about `pixels` at most: 1, 2 or 5 of a power of ten. */
export function scaleLength(
  { metresPerPixel }: View,
  pixels: number,
): { readonly metres: number; readonly pixels: number } {
  const most = metresPerPixel * pixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = ([5, 2, 1].find((step) => step * power <= most) ?? 1) * power;
  return { metres, pixels: metres / metresPerPixel };
}
