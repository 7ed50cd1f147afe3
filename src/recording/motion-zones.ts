/**
 * The zones of a camera's motion detector (AnalyzeSettings.MotionDetectorSettings.Zones). rest-api.md leaves their members
 * open; ours are documented in docs/ref/motion-zones.md. Coordinates are relative: 0, 0 is the picture's upper left
 * corner, 1, 1 its lower right one.
 */
export interface MotionZone {
  /** What events name it by: its Id, else its Name, else its number from 1 on. */
  readonly name: string;
  /** 1 (least) to 100. */
  readonly sensitivity: number;
  /** Smallest thing that counts, in percent of the picture. */
  readonly minSizePercent: number;
  readonly area: ZoneArea;
}

export type ZoneArea =
  | { readonly kind: "picture" }
  | { readonly kind: "polygon"; readonly points: readonly ZonePoint[] }
  | { readonly kind: "grid"; readonly columns: number; readonly rows: number; readonly cells: string };

export interface ZonePoint {
  readonly x: number;
  readonly y: number;
}

export const ZONES_MAX = 16;
export const ZONE_POINTS_MAX = 64;
export const ZONE_GRID_SIDE_MAX = 64;
export const SENSITIVITY_DEFAULT = 50;
export const MIN_SIZE_PERCENT_DEFAULT = 0.2;
const NAME_LENGTH_MAX = 64;

export const WHOLE_PICTURE: MotionZone = {
  name: "",
  sensitivity: SENSITIVITY_DEFAULT,
  minSizePercent: MIN_SIZE_PERCENT_DEFAULT,
  area: { kind: "picture" },
};

export interface ZonesReading {
  /** The zones to watch: the whole picture where none are given. */
  readonly zones: readonly MotionZone[];
  /** What is wrong, as `[0].Points[2].X: …`; empty when all is well. */
  readonly faults: readonly string[];
  /** The value is of another program's making: it is kept as it is, and the whole picture is watched. */
  readonly foreign: boolean;
}

/**
 * Reads the value of Zones. A list with at least one item that has Points or Grid is taken for ours and checked; any
 * other value is another program's and kept. Never throws.
 */
export function readMotionZones(value: unknown): ZonesReading {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return { zones: [WHOLE_PICTURE], faults: [], foreign: false };
  if (!Array.isArray(value) || !value.some(isOurs))
    return { zones: [WHOLE_PICTURE], faults: [], foreign: true };
  const faults: string[] = [];
  if (value.length > ZONES_MAX) faults.push(`at most ${ZONES_MAX} zones are accepted`);
  const zones = value.slice(0, ZONES_MAX).map((item: unknown, index) => readZone(item, index, faults));
  return { zones: zones.flatMap((zone) => zone ?? []), faults, foreign: false };
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOurs(item: unknown): boolean {
  return isMembers(item) && (item.Points !== undefined || item.Grid !== undefined);
}

function readZone(item: unknown, index: number, faults: string[]): MotionZone | undefined {
  const at = `[${index}]`;
  if (!isMembers(item)) return fault(faults, at, "is no object with Points or Grid");
  const sensitivity = readNumber(item.Sensitivity ?? SENSITIVITY_DEFAULT, 1, 100);
  if (sensitivity === undefined) fault(faults, `${at}.Sensitivity`, "1 to 100");
  const minSize = readNumber(item.MinSize ?? MIN_SIZE_PERCENT_DEFAULT, 0.05, 100);
  if (minSize === undefined) fault(faults, `${at}.MinSize`, "0.05 to 100 (percent of the picture)");
  const area = readArea(item, at, faults);
  const name = readName(item, index, at, faults);
  if (sensitivity === undefined || minSize === undefined || area === undefined || name === undefined)
    return undefined;
  return { name, sensitivity, minSizePercent: minSize, area };
}

function readName(item: Members, index: number, at: string, faults: string[]): string | undefined {
  const given = item.Id ?? item.Name ?? `${index + 1}`;
  const text = typeof given === "number" ? `${given}` : given;
  if (typeof text !== "string" || text === "" || text.length > NAME_LENGTH_MAX)
    return fault(
      faults,
      `${at}.${item.Id === undefined ? "Name" : "Id"}`,
      `a text of 1 to ${NAME_LENGTH_MAX} characters`,
    );
  return text;
}

function readArea(item: Members, at: string, faults: string[]): ZoneArea | undefined {
  if (item.Points !== undefined && item.Grid !== undefined)
    return fault(faults, at, "has Points and Grid: give one of them");
  if (item.Points !== undefined) return readPolygon(item.Points, `${at}.Points`, faults);
  if (item.Grid !== undefined) return readGrid(item.Grid, `${at}.Grid`, faults);
  return fault(faults, at, "has neither Points nor Grid");
}

function readPolygon(value: unknown, at: string, faults: string[]): ZoneArea | undefined {
  if (!Array.isArray(value) || value.length < 3 || value.length > ZONE_POINTS_MAX)
    return fault(faults, at, `3 to ${ZONE_POINTS_MAX} points`);
  const points: ZonePoint[] = [];
  for (const [index, point] of value.entries()) {
    const x = isMembers(point) ? readNumber(point.X, 0, 1) : undefined;
    const y = isMembers(point) ? readNumber(point.Y, 0, 1) : undefined;
    if (x === undefined || y === undefined)
      return fault(faults, `${at}[${index}]`, 'is no point: {"X": 0 to 1, "Y": 0 to 1}');
    points.push({ x, y });
  }
  return { kind: "polygon", points };
}

function readGrid(value: unknown, at: string, faults: string[]): ZoneArea | undefined {
  if (!isMembers(value)) return fault(faults, at, 'is no grid: {"Columns", "Rows", "Cells"}');
  const columns = readWhole(value.Columns, ZONE_GRID_SIDE_MAX);
  const rows = readWhole(value.Rows, ZONE_GRID_SIDE_MAX);
  if (columns === undefined) return fault(faults, `${at}.Columns`, `1 to ${ZONE_GRID_SIDE_MAX}`);
  if (rows === undefined) return fault(faults, `${at}.Rows`, `1 to ${ZONE_GRID_SIDE_MAX}`);
  const { Cells: cells } = value;
  if (typeof cells !== "string" || cells.length !== columns * rows || !/^[01]+$/.test(cells))
    return fault(faults, `${at}.Cells`, `${columns * rows} characters 0 or 1, row by row`);
  if (!cells.includes("1")) return fault(faults, `${at}.Cells`, "at least one 1");
  return { kind: "grid", columns, rows, cells };
}

function readNumber(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

function readWhole(value: unknown, most: number): number | undefined {
  return Number.isInteger(value) ? readNumber(value, 1, most) : undefined;
}

function fault(faults: string[], at: string, accepted: string): undefined {
  faults.push(`${at}: ${accepted}`);
  return undefined;
}
