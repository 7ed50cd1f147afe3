import { area, around, type Box, centreOf, overlapShare, WHOLE_PICTURE } from "../thing/box.js";

/** Least sides of a part that is looked at, in pixels of the picture: the detector has no more. */
export const PART_SIDE_MIN = 300;
/** Parts of one picture. */
export const PARTS_MAX = 4;
/** What moves is looked at with so much around it, in its own sizes. */
const MARGIN = 0.4;
/** Parts that share more become one. */
const SAME_OVERLAP = 0.3;
/** What is larger than this part of the picture's height is found in the whole picture as well: 36 of the detector's 300 pixels. */
const LARGE_SHARE = 0.12;
/** Parts that together have more of the picture than this say no more than all of it. */
const FULL_SHARE = 0.8;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Where to look: parts around what moves and what is followed, where that is small, at least 300 pixels wide and high, at most four, and
 * then the whole picture, which finds what is large or was overlooked. The picture alone where nothing is small in it.
 */
export function lookRegions(places: readonly Box[], size: PictureSize): readonly Box[] {
  const least = { width: PART_SIDE_MIN / size.width, height: PART_SIDE_MIN / size.height };
  if (least.width * least.height >= FULL_SHARE || !(least.width > 0)) return [WHOLE_PICTURE];
  let parts: readonly Box[] = [];
  const small = places.filter(({ height }) => height < LARGE_SHARE);
  for (const place of small.toSorted((one, other) => area(other) - area(one))) {
    const part = partAround(place, size);
    const near = parts.find((other) => overlapShare(other, part) > SAME_OVERLAP);
    if (near === undefined) parts = [...parts, part];
    else parts = [...parts.filter((other) => other !== near), partAround(around(near, part), size, 0)];
  }
  parts = parts.slice(0, PARTS_MAX);
  const share = parts.reduce((sum, part) => sum + area(part), 0);
  return share >= FULL_SHARE ? [WHOLE_PICTURE] : [...parts, WHOLE_PICTURE];
}

/** What a look shows: every second one the whole picture, which shows all at once, and those between them the parts in turn. */
export function regionInTurn(regions: readonly Box[], turn: number): Box {
  const parts = regions.length - 1;
  if (turn % 2 === 0 || parts <= 0) return WHOLE_PICTURE;
  return regions[((turn - 1) / 2) % parts] ?? WHOLE_PICTURE;
}

/** Square in pixels where there is room, within the picture. */
function partAround(place: Box, { width, height }: PictureSize, margin = MARGIN): Box {
  const pixels = Math.max(
    PART_SIDE_MIN,
    place.width * width * (1 + 2 * margin),
    place.height * height * (1 + 2 * margin),
  );
  const [wide, high] = [Math.min(1, pixels / width), Math.min(1, pixels / height)];
  const { x, y } = centreOf(place);
  return {
    left: Math.min(1 - wide, Math.max(0, x - wide / 2)),
    top: Math.min(1 - high, Math.max(0, y - high / 2)),
    width: wide,
    height: high,
  };
}
