import { ZONE_POINTS_MAX, ZONE_SIDE_MIN, ZONES_MAX } from "../../contract/index.js";
import { type MotionZone, readMotionZones, WHOLE_PICTURE } from "../../recording/index.js";
import type { BodyReader, Faults } from "../../route/index.js";

/**
 * The body's `Region` and `Sensitivity` as zones of a motion detector (`readMotionZones`): a rectangle becomes a polygon. Adds
 * their faults.
 */
export function readRegion(body: BodyReader, faults: Faults): readonly object[] {
  const sensitivity = body.number("Sensitivity", 1, 100);
  const given = body.value("Region") ?? [];
  if (!Array.isArray(given) || given.length > ZONES_MAX) {
    body.fault("Region", `a list of at most ${ZONES_MAX} areas`);
    return [];
  }
  const areas = given.length === 0 ? [WHOLE] : given;
  const zones = areas.map((area: unknown, index) => {
    return {
      ...polygonOf(area),
      Id: `${index}`,
      ...(sensitivity === undefined ? {} : { Sensitivity: sensitivity }),
    };
  });
  for (const { at, accepted } of readMotionZones(zones).faults) faults.add(`Region${at}`, accepted);
  return zones;
}

/** A little more than the least, which a difference of decimal fractions may miss. */
const SIDE_GROWN = ZONE_SIDE_MIN * 1.01;
const WHOLE = { Left: 0, Top: 0, Width: 1, Height: 1 };

/** Only what a region may have: its points. An area that is none has no points, which the zones report. */
function polygonOf(area: unknown): { readonly Points: unknown } {
  const members = membersOf(area);
  const sides = ["left", "top", "width", "height"].map((name) => share(members.get(name)));
  const isRectangle = sides.every((side) => !Number.isNaN(side));
  if (members.has("points") && !isRectangle) return { Points: wideEnough(members.get("points")) };
  const [left = 0, top = 0, width = 0, height = 0] = sides;
  const [right, bottom] = [Math.min(1, left + width), Math.min(1, top + height)];
  return { Points: wideEnough(corners({ left, top, right, bottom })) };
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member as unknown]));
}

/** A place or a length within the picture; NaN for anything else. */
function share(value: unknown): number {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : Number.NaN;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function corners({ left, top, right, bottom }: Box): readonly object[] {
  return [
    { X: left, Y: top },
    { X: right, Y: top },
    { X: right, Y: bottom },
    { X: left, Y: bottom },
  ];
}

/**
 * Motion in less than a zone's least side cannot be distinguished from none: points that lie closer become a box around them that is wide
 * enough, within the picture. What is no polygon is passed on, for the zones to report.
 */
function wideEnough(points: unknown): unknown {
  if (!Array.isArray(points) || points.length < 3 || points.length > ZONE_POINTS_MAX) return points;
  const places = points.map(membersOf);
  const across = grown(places.map((place) => share(place.get("x"))));
  const down = grown(places.map((place) => share(place.get("y"))));
  if (across.isWide && down.isWide) return points;
  return corners({ left: across.from, right: across.to, top: down.from, bottom: down.to });
}

/** The least and the greatest of places, at least a zone's least side apart. */
function grown(places: readonly number[]): {
  readonly from: number;
  readonly to: number;
  readonly isWide: boolean;
} {
  const [from, to] = [Math.min(...places), Math.max(...places)];
  // What is not a number is not narrow either.
  if (!(to - from < ZONE_SIDE_MIN)) return { from, to, isWide: true };
  const start = Math.min(from, 1 - SIDE_GROWN);
  return { from: start, to: start + SIDE_GROWN, isWide: false };
}

/** Percent of the picture: what is smaller is noise. */
const SIZE_PERCENT_MIN = 0.03;

/** The least size is a part of the region, and no part of the whole picture: somebody who passes a door is as large as the door. */
export function searchedZones(zones: readonly MotionZone[]): readonly MotionZone[] {
  return zones.map((zone) => ({
    ...zone,
    minSizePercent: Math.max(SIZE_PERCENT_MIN, zone.minSizePercent * areaOf(zone)),
  }));
}

/** All of the picture, as closely as the zones are looked at. */
export function wholePictureOf(zones: readonly MotionZone[]): readonly MotionZone[] {
  const sensitivity = Math.max(...zones.map((zone) => zone.sensitivity));
  const minSizePercent = Math.min(...zones.map((zone) => zone.minSizePercent));
  return [{ ...WHOLE_PICTURE, sensitivity, minSizePercent }];
}

/** The part of the picture that a zone is. */
function areaOf({ area }: MotionZone): number {
  if (area.kind !== "polygon") return 1;
  const { points } = area;
  const sum = points.reduce((all, { x, y }, at) => {
    const next = points[(at + 1) % points.length] ?? { x, y };
    return all + x * next.y - next.x * y;
  }, 0);
  return Math.min(1, Math.abs(sum) / 2);
}
