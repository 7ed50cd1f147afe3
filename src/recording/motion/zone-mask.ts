import type { MotionZone, ZonePoint } from "./motion-zones.js";

/** Changes smaller than this many grey levels never count, at sensitivity 100 and at 1. */
const THRESHOLD_MOST_SENSITIVE = 5;
const THRESHOLD_LEAST_SENSITIVE = 40;
/** Fewer pixels than this are noise at any size of zone. */
const PIXELS_MIN = 4;
/** A pixel of no zone. */
export const OUTSIDE = 255;

/** The zones on the pixels of one size of picture. */
export interface ZoneMasks {
  /** For each pixel the least change, in grey levels, that counts there; `OUTSIDE` where there is no zone. */
  readonly thresholds: Uint8Array;
  /** For each zone, 1 on its pixels. */
  readonly masks: readonly Uint8Array[];
  /** For each zone the fewest pixels that count. */
  readonly minPixels: readonly number[];
}

/** Lays the zones over a picture; where zones overlap, the more sensitive one sets the pixels' threshold. */
export function zoneMasks(zones: readonly MotionZone[], width: number, height: number): ZoneMasks {
  const thresholds = new Uint8Array(width * height).fill(OUTSIDE);
  const masks = zones.map((zone) => {
    const mask = rasterized(zone, width, height);
    const threshold = thresholdOf(zone.sensitivity);
    for (let at = 0; at < mask.length; at++)
      if (mask[at] === 1 && threshold < (thresholds[at] ?? 0)) thresholds[at] = threshold;
    return mask;
  });
  const minPixels = zones.map((zone, index) => {
    const wanted = (zone.minSizePercent / 100) * width * height;
    // A zone hardly larger than the smallest object still detects an object that fills half of it.
    const half = (masks[index]?.reduce((sum, pixel) => sum + pixel, 0) ?? 0) / 2;
    return Math.max(PIXELS_MIN, Math.min(wanted, half));
  });
  return { thresholds, masks, minPixels };
}

function thresholdOf(sensitivity: number): number {
  const share = (100 - sensitivity) / 99;
  return Math.round(
    THRESHOLD_MOST_SENSITIVE * (THRESHOLD_LEAST_SENSITIVE / THRESHOLD_MOST_SENSITIVE) ** share,
  );
}

function rasterized(zone: MotionZone, width: number, height: number): Uint8Array {
  const { area } = zone;
  const mask = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const point = { x: (x + 0.5) / width, y: (y + 0.5) / height };
      if (area.kind === "picture" || isInside(area, point)) mask[y * width + x] = 1;
    }
  }
  return mask;
}

function isInside(area: Exclude<MotionZone["area"], { kind: "picture" }>, point: ZonePoint): boolean {
  if (area.kind === "polygon") return isInPolygon(area.points, point);
  const column = Math.floor(point.x * area.columns);
  const row = Math.floor(point.y * area.rows);
  return area.cells[row * area.columns + column] === "1";
}

/** Even-odd rule. */
function isInPolygon(points: readonly ZonePoint[], { x, y }: ZonePoint): boolean {
  let inside = false;
  let from = points.at(-1);
  for (const to of points) {
    if (from !== undefined && to.y > y !== from.y > y) {
      const crossing = from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
      if (x < crossing) inside = !inside;
    }
    from = to;
  }
  return inside;
}
