/** A part of a picture; all from 0 to 1 of its width or height. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const WHOLE: Box = { left: 0, top: 0, width: 1, height: 1 };

/** Smaller ones have no motion that can be distinguished from noise. */
const SIDE_MIN = 0.02;

/** The box between two corners, within the picture. */
export function boxBetween(a: readonly [number, number], b: readonly [number, number]): Box {
  const [left, right] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])];
  const [top, bottom] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
  return withinPicture({ left, top, width: right - left, height: bottom - top }, left, top);
}

/** The nearest box that lies within the picture: its size counts more than its place. */
export function settled(box: Box): Box {
  const width = rounded(Math.min(Math.max(box.width, SIDE_MIN), 1));
  const height = rounded(Math.min(Math.max(box.height, SIDE_MIN), 1));
  return {
    left: rounded(Math.min(Math.max(box.left, 0), 1 - width)),
    top: rounded(Math.min(Math.max(box.top, 0), 1 - height)),
    width,
    height,
  };
}

/** The box moved, or with `isSized` made wider and higher, by parts of the picture. */
export function boxBy(box: Box, [x, y]: readonly [number, number], isSized: boolean): Box {
  if (!isSized) return settled({ ...box, left: box.left + x, top: box.top + y });
  const width = Math.min(box.width + x, 1 - box.left);
  const height = Math.min(box.height + y, 1 - box.top);
  return settled({ ...box, width, height });
}

/** A box that was drawn beyond the picture is cut there. */
function withinPicture(box: Box, left: number, top: number): Box {
  const [clearLeft, clearTop] = [Math.min(Math.max(left, 0), 1), Math.min(Math.max(top, 0), 1)];
  return settled({
    left: clearLeft,
    top: clearTop,
    width: Math.min(left + box.width, 1) - clearLeft,
    height: Math.min(top + box.height, 1) - clearTop,
  });
}

/** Thousandths are finer than any picture shows. */
function rounded(part: number): number {
  return Math.round(part * 1000) / 1000;
}
