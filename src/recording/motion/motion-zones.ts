import {
  type Decimal,
  motionZone,
  ZONE_GRID_SIDE_MAX,
  ZONE_POINTS_MAX,
  ZONE_SIDE_MIN,
  ZONES_MAX,
} from "../../contract/index.js";
import type { WatchedArea, WatchedZone } from "../../picture/index.js";

/**
 * The zones of a camera's motion detector (AnalyzeSettings.MotionDetectorSettings.Zones). The reference leaves their
 * members open; ours are documented in docs/ref/motion-zones.md. Coordinates are relative: 0, 0 is the picture's upper
 * left corner, 1, 1 its lower right one.
 */
export interface MotionZone extends WatchedZone {
  /** The name for users: its Name, else its Id, else its number from 1 on. No two zones of a camera share it. */
  readonly name: string;
  /** The id for programs: `Zoneid` of its events. */
  readonly id?: string;
}

export const WHOLE_PICTURE: MotionZone = {
  name: "",
  sensitivity: motionZone.Sensitivity.default,
  minSizePercent: motionZone.MinSize.default,
  area: { kind: "picture" },
};

export interface ZoneFault {
  /** Where: `[0].Points[2]`; empty: the list itself. */
  readonly at: string;
  /** What is accepted there. */
  readonly accepted: string;
}

export interface ZonesReading {
  /** The zones to watch: the whole picture where none are given. */
  readonly zones: readonly MotionZone[];
  /** Empty if it is valid. */
  readonly faults: readonly ZoneFault[];
  /** The value belongs to another program: it is stored unchanged, and the whole picture is watched. */
  readonly foreign: boolean;
}

/**
 * Reads the value of Zones. A list with at least one item that has Points or Grid counts as ours and is checked; any other value
 * belongs to another program and is stored. Names of members count in any case, further members do not. Never throws.
 */
export function readMotionZones(value: unknown): ZonesReading {
  const whole = [WHOLE_PICTURE];
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return { zones: whole, faults: [], foreign: false };
  const items: unknown[] = Array.isArray(value) ? value : [];
  const members = items.slice(0, ZONES_MAX).map(membersOf);
  if (!members.some(isOurs)) return { zones: whole, faults: [], foreign: true };
  const faults: ZoneFault[] = [];
  if (items.length > ZONES_MAX) fault(faults, "", `at most ${ZONES_MAX} zones`);
  const zones: MotionZone[] = [];
  for (const [index, item] of members.entries()) {
    const zone = readZone(item, index, faults);
    if (zone === undefined) continue;
    const namesake = zones.some(({ name }) => name === zone.name);
    if (namesake) fault(faults, `[${index}]`, `an earlier zone is named ${JSON.stringify(zone.name)}, too`);
    else zones.push(zone);
  }
  return { zones: zones.length === 0 ? whole : zones, faults, foreign: false };
}

/** Members of an object, by their names in lower case. */
type Members = ReadonlyMap<string, unknown>;

function membersOf(value: unknown): Members | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member ?? undefined]));
}

function isOurs(item: Members | undefined): boolean {
  return item?.get("points") !== undefined || item?.get("grid") !== undefined;
}

function readZone(item: Members | undefined, index: number, faults: ZoneFault[]): MotionZone | undefined {
  const at = `[${index}]`;
  if (item === undefined) return fault(faults, at, "an object with Points or Grid");
  const sensitivity = readFigure(item.get("sensitivity"), motionZone.Sensitivity);
  if (sensitivity === undefined) fault(faults, `${at}.Sensitivity`, rangeText(motionZone.Sensitivity));
  const minSize = readFigure(item.get("minsize"), motionZone.MinSize);
  if (minSize === undefined)
    fault(faults, `${at}.MinSize`, `${rangeText(motionZone.MinSize)} (percent of the picture)`);
  const area = readArea(item, at, faults);
  const id = readName(item, "Id", { at, faults });
  const name = readName(item, "Name", { at, faults });
  if (sensitivity === undefined || minSize === undefined || area === undefined) return undefined;
  const zone = { name: name ?? id ?? `${index + 1}`, sensitivity, minSizePercent: minSize, area };
  return id === undefined ? zone : { ...zone, id };
}

/** A number is read as text. An empty text counts as absent. */
function readName(
  item: Members,
  member: "Id" | "Name",
  { at, faults }: { at: string; faults: ZoneFault[] },
): string | undefined {
  const given = item.get(member.toLowerCase()) ?? "";
  const text = typeof given === "number" ? `${given}` : given;
  const { max } = motionZone[member];
  if (typeof text !== "string" || text.length > max)
    return fault(faults, `${at}.${member}`, `a text of at most ${max} characters`);
  return text === "" ? undefined : text;
}

function readArea(item: Members, at: string, faults: ZoneFault[]): WatchedArea | undefined {
  const points = item.get("points");
  const grid = item.get("grid");
  if (points !== undefined && grid !== undefined) return fault(faults, at, "either Points or Grid, not both");
  if (points !== undefined) return readPolygon(points, `${at}.Points`, faults);
  if (grid !== undefined) return readGrid(grid, `${at}.Grid`, faults);
  return fault(faults, at, "Points or Grid is required");
}

function readPolygon(value: unknown, at: string, faults: ZoneFault[]): WatchedArea | undefined {
  if (!Array.isArray(value) || value.length < 3 || value.length > ZONE_POINTS_MAX)
    return fault(faults, at, `3 to ${ZONE_POINTS_MAX} points`);
  const points: { x: number; y: number }[] = [];
  for (const [index, point] of value.entries()) {
    const members = membersOf(point);
    const x = readNumber(members?.get("x"), 0, 1);
    const y = readNumber(members?.get("y"), 0, 1);
    if (x === undefined || y === undefined)
      return fault(faults, `${at}[${index}]`, 'a point of the picture: {"X": 0 to 1, "Y": 0 to 1}');
    points.push({ x, y });
  }
  const isThin =
    extent(points.map(({ x }) => x)) < ZONE_SIDE_MIN || extent(points.map(({ y }) => y)) < ZONE_SIDE_MIN;
  return isThin ? fault(faults, at, `at least ${ZONE_SIDE_MIN} wide and high`) : { kind: "polygon", points };
}

function readGrid(value: unknown, at: string, faults: ZoneFault[]): WatchedArea | undefined {
  const members = membersOf(value);
  if (members === undefined) return fault(faults, at, "an object with Columns, Rows and Cells");
  const columns = readWhole(members.get("columns"), ZONE_GRID_SIDE_MAX);
  const rows = readWhole(members.get("rows"), ZONE_GRID_SIDE_MAX);
  if (columns === undefined) return fault(faults, `${at}.Columns`, `1 to ${ZONE_GRID_SIDE_MAX}`);
  if (rows === undefined) return fault(faults, `${at}.Rows`, `1 to ${ZONE_GRID_SIDE_MAX}`);
  const cells = members.get("cells");
  if (typeof cells !== "string" || cells.length !== columns * rows || !/^[01]+$/.test(cells))
    return fault(faults, `${at}.Cells`, `${columns * rows} characters 0 or 1, row by row`);
  if (!cells.includes("1")) return fault(faults, `${at}.Cells`, "at least one 1");
  return { kind: "grid", columns, rows, cells };
}

function extent(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

function readFigure(value: unknown, kind: Decimal & { readonly default: number }): number | undefined {
  return readNumber(value ?? kind.default, kind.min, kind.max);
}

const rangeText = ({ min, max }: Decimal): string => `${min} to ${max}`;

function readNumber(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

function readWhole(value: unknown, most: number): number | undefined {
  return Number.isInteger(value) ? readNumber(value, 1, most) : undefined;
}

function fault(faults: ZoneFault[], at: string, accepted: string): undefined {
  faults.push({ at, accepted });
  return undefined;
}
