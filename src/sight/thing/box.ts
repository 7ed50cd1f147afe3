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
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

export function area({ width, height }: Box): number {
  return width * height;
}

/** The box alone of something that has one. */
export function boxOf({ left, top, width, height }: Box): Box {
  return { left, top, width, height };
}

/** The part of a box that another covers, 0 to 1. */
export function coveredShare(box: Box, by: Box): number {
  return sharedArea(box, by) / area(box);
}

/** The smallest box around both. */
export function around(one: Box, other: Box): Box {
  const [left, top] = [Math.min(one.left, other.left), Math.min(one.top, other.top)];
  const right = Math.max(one.left + one.width, other.left + other.width);
  const bottom = Math.max(one.top + one.height, other.top + other.height);
  return { left, top, width: right - left, height: bottom - top };
}

export function centreOf({ left, top, width, height }: Box): Point {
  return { x: left + width / 2, y: top + height / 2 };
}

/** Where a thing stands: the middle of its lower edge. */
export function footOf({ left, top, width, height }: Box): Point {
  return { x: left + width / 2, y: top + height };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const WHOLE_PICTURE: Box = { left: 0, top: 0, width: 1, height: 1 };
