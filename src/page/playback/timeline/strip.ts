import type { StripHeader } from "../../../contract/answer/index.js";
import type { Span } from "./span.js";

/** Pictures of one strip; they are asked for together. */
export const STRIP_PICTURES = 10;
/** So many pixels of the timeline have one picture. */
const PICTURE_PIXELS = 24;
/** Key frames are seldom closer. */
const PICTURE_MS_MIN = 1000;

/** The strip that has the picture of a moment: always the same ones for a scale, so that they are found again. */
export function stripAt(at: number, msPerPixel: number): Span {
  const wanted = Math.max(msPerPixel * PICTURE_PIXELS, PICTURE_MS_MIN);
  const pictureMs = PICTURE_MS_MIN * 2 ** Math.ceil(Math.log2(wanted / PICTURE_MS_MIN));
  const length = pictureMs * STRIP_PICTURES;
  const from = Math.floor(at / length) * length;
  return { from, to: from + length };
}

export interface StripCell {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
}

/** Where the picture of a moment is in its strip; undefined where nothing is recorded of it. */
export function cellAt(
  { from, to }: Span,
  { Times, Columns }: StripHeader,
  at: number,
): StripCell | undefined {
  const index = Math.floor(((at - from) / (to - from)) * Times.length);
  const time = Times[index];
  if (time === undefined || time === null) return undefined;
  const columns = Math.min(Columns, Times.length);
  return {
    column: index % columns,
    row: Math.floor(index / columns),
    columns,
    rows: Math.ceil(Times.length / columns),
  };
}
