import { cameraObjects, OBJECT_LINE_LENGTH_MIN, objectLine } from "../../../../contract/index.js";
import { OBJECT_LABELS, type ObjectLabel } from "./labels.js";

/* Lines that things cross, as the form has them. */

export const LINES_MAX = cameraObjects.Lines.max;
export const LINE_NAME_MAX = objectLine.Name.max;
export const DIRECTIONS = objectLine.Direction.of;
export type Direction = (typeof DIRECTIONS)[number];

/** From 0 to 1 of the picture. */
export type Point = readonly [number, number];

export interface Line {
  readonly name: string;
  readonly from: Point;
  readonly to: Point;
  readonly direction: Direction;
  readonly labels: ReadonlySet<ObjectLabel>;
}

/** As the recorder has one. */
export interface KnownLine {
  readonly Name: string;
  readonly X1: number;
  readonly Y1: number;
  readonly X2: number;
  readonly Y2: number;
  readonly Direction: Direction;
  readonly Kinds: readonly ObjectLabel[] | null;
}

export function lineOf({ Name, X1, Y1, X2, Y2, Direction, Kinds }: KnownLine): Line {
  return {
    ...{ name: Name, from: [X1, Y1], to: [X2, Y2], direction: Direction },
    labels: new Set(Kinds ?? OBJECT_LABELS),
  };
}

/** What the recorder is sent. */
export function lineSetting({ name, from, to, direction, labels }: Line): KnownLine {
  const isAll = labels.size === OBJECT_LABELS.length;
  return {
    ...{ Name: name.trim(), X1: from[0], Y1: from[1], X2: to[0], Y2: to[1], Direction: direction },
    Kinds: isAll ? null : OBJECT_LABELS.filter((label) => labels.has(label)),
  };
}

/** Across the middle of the picture. */
export function newLine(name: string): Line {
  return { name, from: [0.2, 0.6], to: [0.8, 0.6], direction: "Both", labels: new Set(OBJECT_LABELS) };
}

export function isTooShort({ from, to }: Pick<Line, "from" | "to">): boolean {
  return Math.hypot(to[0] - from[0], to[1] - from[1]) < OBJECT_LINE_LENGTH_MIN;
}

/** Within the picture; thousandths are finer than any picture shows. */
export function pointNear([x, y]: Point): Point {
  const clear = (part: number): number => Math.round(Math.min(1, Math.max(0, part)) * 1000) / 1000;
  return [clear(x), clear(y)];
}

/** How long an arrow is, in heights of the picture. */
const ARROW = 0.09;
const HEAD = 0.4;

/** The line with an arrow for each direction that counts, as SVG has paths, in a picture of 1 by 1. `ratio`: its width by its height. */
export function lineOutline({ from, to, direction }: Line, ratio: number): string {
  const arrows = [
    ...(direction === "RightToLeft" ? [] : [1]),
    ...(direction === "LeftToRight" ? [] : [-1]),
  ].map((side) => arrowOutline(from, to, side, ratio));
  return `M${from.join(" ")}L${to.join(" ")}${arrows.join("")}`;
}

/** From the middle, square to the line; `side`: 1 is to its right, seen from its first point to its second. */
function arrowOutline(from: Point, to: Point, side: number, ratio: number): string {
  const [along, down] = [(to[0] - from[0]) * ratio, to[1] - from[1]];
  const length = Math.hypot(along, down);
  if (length === 0) return "";
  // In heights of the picture; y grows downwards, so that this is the right.
  const [x, y] = [(-side * down) / length, (side * along) / length];
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const at = (out: number, aside: number): string =>
    `${middle[0] + ((out * x - aside * y) * ARROW) / ratio} ${middle[1] + (out * y + aside * x) * ARROW}`;
  return `M${at(0, 0)}L${at(1, 0)}M${at(1 - HEAD, HEAD)}L${at(1, 0)}L${at(1 - HEAD, -HEAD)}`;
}
