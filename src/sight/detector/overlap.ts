/** A rectangle, relative to the sides of a picture. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What two boxes share of the area that they cover together, 0 to 1. */
export function overlapShare(one: Box, other: Box): number {
  const shared = sharedArea(one, other);
  return shared === 0 ? 0 : shared / (area(one) + area(other) - shared);
}

export function sharedArea(one: Box, other: Box): number {
  const width =
    Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

export function area({ width, height }: Box): number {
  return width * height;
}
