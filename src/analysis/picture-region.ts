import type { MotionBox } from "../recording/index.js";

export const WHOLE: MotionBox = { left: 0, top: 0, width: 1, height: 1 };
/** Added on each side of what moved, as a share of its size. */
const MARGIN = 0.25;
/** Smallest side of a region: what stands around a thing helps to tell what it is. */
const SIDE_MIN = 0.3;
/** A region with a larger share of the picture is not worth cutting out. */
const SHARE_MAX = 0.7;

/** The part of the picture to look at: all that moved, with a margin; the whole where nobody knows what moved. */
export function regionOf(boxes: readonly MotionBox[]): MotionBox {
  if (boxes.length === 0) return WHOLE;
  const horizontal = sideOf(boxes.map(({ left, width }) => [left, left + width]));
  const vertical = sideOf(boxes.map(({ top, height }) => [top, top + height]));
  if (horizontal.length * vertical.length > SHARE_MAX) return WHOLE;
  return { left: horizontal.from, width: horizontal.length, top: vertical.from, height: vertical.length };
}

/** A box with a margin on each side, within the picture. */
export function withMargin({ left, top, width, height }: MotionBox, margin: number): MotionBox {
  const from = { left: Math.max(0, left - width * margin), top: Math.max(0, top - height * margin) };
  return {
    ...from,
    width: Math.min(1, left + width * (1 + margin)) - from.left,
    height: Math.min(1, top + height * (1 + margin)) - from.top,
  };
}

/** A box of a cut-out, as a box of the picture it was cut from. */
export function outOf(region: MotionBox, box: MotionBox): MotionBox {
  return {
    left: region.left + box.left * region.width,
    top: region.top + box.top * region.height,
    width: box.width * region.width,
    height: box.height * region.height,
  };
}

/** How much two boxes have in common: 0 to 1, of what both cover together. */
export function overlap(one: MotionBox, other: MotionBox): number {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const common = width * height;
  return common / (one.width * one.height + other.width * other.height - common);
}

function sideOf(spans: readonly (readonly [from: number, to: number])[]): { from: number; length: number } {
  const from = Math.max(0, Math.min(...spans.map(([start]) => start)));
  const to = Math.min(1, Math.max(...spans.map(([, end]) => end)));
  const length = Math.min(1, Math.max(SIDE_MIN, Math.max(0, to - from) * (1 + 2 * MARGIN)));
  const middle = (from + to) / 2;
  return { from: Math.min(1 - length, Math.max(0, middle - length / 2)), length };
}
