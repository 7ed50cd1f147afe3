import { motionZone } from "../../../../contract/index.js";
import { type Box, WHOLE } from "../../../playback/motion/box.js";

/* The zones of a camera's detector, as docs/ref/motion-zones.md has them. */

/** How small a change counts; those in between stay as they are until another is chosen. */
export const SENSITIVITIES = { low: 30, usual: motionZone.Sensitivity.default, high: 80 };
/** How large a moving thing must be, in percent of the picture. */
export const SIZES = { small: motionZone.MinSize.min, usual: motionZone.MinSize.default, large: 2 };

type Point = readonly [number, number];

/** All from 0 to 1 of the picture. */
export type Shape =
  | { readonly kind: "polygon"; readonly points: readonly Point[] }
  | { readonly kind: "grid"; readonly columns: number; readonly rows: number; readonly cells: string };

export interface Zone {
  readonly name: string;
  readonly sensitivity: number;
  readonly minSize: number;
  readonly shape: Shape;
  /** Members that the page does not know. */
  readonly rest: Readonly<Record<string, unknown>>;
}

const KNOWN = new Set(["name", "sensitivity", "minsize", "points", "grid"]);

/** The zones of the setting; none where the whole picture is watched, or it belongs to another program. */
export function zonesOf(value: unknown): readonly Zone[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => zoneOf(item) ?? []) : [];
}

function zoneOf(item: unknown): Zone | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const members = new Map(
    Object.entries(item).map(([name, member]) => [name.toLowerCase(), member as unknown]),
  );
  const shape = shapeOf(members.get("points"), members.get("grid"));
  if (shape === undefined) return undefined;
  const [name, sensitivity, minSize] = [
    members.get("name"),
    members.get("sensitivity"),
    members.get("minsize"),
  ];
  return {
    name: typeof name === "string" ? name : "",
    sensitivity: typeof sensitivity === "number" ? sensitivity : SENSITIVITIES.usual,
    minSize: typeof minSize === "number" ? minSize : SIZES.usual,
    shape,
    rest: Object.fromEntries(Object.entries(item).filter(([member]) => !KNOWN.has(member.toLowerCase()))),
  };
}

function shapeOf(points: unknown, grid: unknown): Shape | undefined {
  if (Array.isArray(points))
    return {
      kind: "polygon",
      points: points.map((point: unknown): Point => [numberIn(point, "x"), numberIn(point, "y")]),
    };
  if (typeof grid !== "object" || grid === null) return undefined;
  const cells = Object.entries(grid).find(([name]) => name.toLowerCase() === "cells")?.[1];
  return {
    ...{ kind: "grid", columns: numberIn(grid, "columns"), rows: numberIn(grid, "rows") },
    cells: typeof cells === "string" ? cells : "",
  };
}

function numberIn(object: unknown, name: string): number {
  if (typeof object !== "object" || object === null) return 0;
  const found: unknown = Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "number" ? found : 0;
}

/** As the recorder takes it; null: the whole picture. */
export function settingOf(zones: readonly Zone[]): unknown {
  if (zones.length === 0) return null;
  return zones.map(({ name, sensitivity, minSize, shape, rest }) => ({
    ...rest,
    ...{ Name: name, Sensitivity: sensitivity, MinSize: minSize },
    ...(shape.kind === "polygon"
      ? { Points: shape.points.map(([X, Y]) => ({ X, Y })) }
      : { Grid: { Columns: shape.columns, Rows: shape.rows, Cells: shape.cells } }),
  }));
}

/** A rectangle. */
export function shapeOfBox({ left, top, width, height }: Box): Shape {
  const [right, bottom] = [rounded(left + width), rounded(top + height)];
  return {
    kind: "polygon",
    points: [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ],
  };
}

/** The rectangle around a shape. */
export function boxOf(shape: Shape): Box {
  const points = shape.kind === "polygon" ? shape.points : cellsOf(shape).flatMap(cornersOf);
  if (points.length === 0) return WHOLE;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: rounded(Math.max(...xs) - left), height: rounded(Math.max(...ys) - top) };
}

/** Outlines of a shape, as SVG has them, in a picture of 1 by 1. */
export function outlineOf(shape: Shape): string {
  const path = (points: readonly Point[]): string => `M${points.map(([x, y]) => `${x} ${y}`).join("L")}Z`;
  return shape.kind === "polygon"
    ? path(shape.points)
    : cellsOf(shape)
        .map((cell) => path(cornersOf(cell)))
        .join("");
}

function cellsOf({ columns, rows, cells }: Extract<Shape, { kind: "grid" }>): readonly Box[] {
  return [...cells].flatMap((sign, index): Box[] => {
    if (sign !== "1") return [];
    const [left, top] = [(index % columns) / columns, Math.floor(index / columns) / rows];
    return [{ left, top, width: 1 / columns, height: 1 / rows }];
  });
}

function cornersOf({ left, top, width, height }: Box): readonly Point[] {
  return [
    [left, top],
    [left + width, top],
    [left + width, top + height],
    [left, top + height],
  ];
}

/** Thousandths are finer than any picture shows. */
function rounded(part: number): number {
  return Math.min(1, Math.round(part * 1000) / 1000);
}
