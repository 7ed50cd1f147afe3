/** A tile's place in a layout's grid, in columns and rows from 0. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly columns: number;
  readonly rows: number;
  readonly places: readonly Place[];
  /** Made by hand: places can be moved. */
  readonly isFree: boolean;
  /** Tiles alike, in the rows and columns that show the most of the pictures on the screen. */
  readonly isEven?: boolean;
}

export const TILES_MAX = 36;
/** Most tiles that a wall has by itself: more are too small to see anything, and the other cameras are on further pages. */
export const EVEN_TILES_MAX = 16;
/** Columns and rows of a free layout. */
export const FREE_CELLS = 12;

/** The numbers of tiles that the layout menu offers. */
export const TILE_COUNTS = [1, 2, 3, 4, 6, 8, 9, 10, 12, 13, 16, 20, 25, 30, 36] as const;

function grid(columns: number, rows: number): Layout {
  const places = Array.from({ length: columns * rows }, (_, index) => ({
    x: index % columns,
    y: Math.floor(index / columns),
    width: 1,
    height: 1,
  }));
  return { columns, rows, places, isFree: false };
}

/** Large tiles in a square grid, and small ones everywhere else. */
function around(cells: number, large: readonly Place[]): Layout {
  const small = grid(cells, cells).places.filter((place) => !large.some((other) => overlap(place, other)));
  return { columns: cells, rows: cells, places: [...large, ...small], isFree: false };
}

/** Layouts with tiles of two sizes. */
const MIXED: Readonly<Record<number, () => Layout>> = {
  3: () => ({
    columns: 3,
    rows: 2,
    places: [
      { x: 0, y: 0, width: 2, height: 2 },
      { x: 2, y: 0, width: 1, height: 1 },
      { x: 2, y: 1, width: 1, height: 1 },
    ],
    isFree: false,
  }),
  6: () => around(3, [{ x: 0, y: 0, width: 2, height: 2 }]),
  8: () => around(4, [{ x: 0, y: 0, width: 3, height: 3 }]),
  10: () =>
    around(4, [
      { x: 0, y: 0, width: 2, height: 2 },
      { x: 2, y: 0, width: 2, height: 2 },
    ]),
  13: () => around(4, [{ x: 1, y: 1, width: 2, height: 2 }]),
};

/** The layout for a number of tiles, 1 to 36: the menu's own, else the smallest grid that has them. */
export function layoutOf(tiles: number): Layout {
  const count = Math.max(1, Math.min(TILES_MAX, Math.round(tiles)));
  const mixed = MIXED[count];
  if (mixed !== undefined) return mixed();
  const columns = Math.ceil(Math.sqrt(count));
  return grid(columns, Math.ceil(count / columns));
}

/** Width by height. */
export const WIDE_SHAPE = 16 / 9;

/**
 * So many tiles, all alike, as large as pictures of that shape can be on a screen of that shape; a last row with fewer tiles is in
 * the middle.
 */
export function evenLayout(tiles: number, screen = WIDE_SHAPE, picture = WIDE_SHAPE): Layout {
  const count = Math.max(1, Math.min(TILES_MAX, Math.round(tiles)));
  const columns = bestColumns(count, screen, picture);
  const rows = Math.ceil(count / columns);
  const missing = rows * columns - count;
  // In half columns, so that the last row can be in the middle.
  const places = Array.from({ length: count }, (_, index) => {
    const y = Math.floor(index / columns);
    const left = 2 * (index % columns) + (y === rows - 1 ? missing : 0);
    return { x: left, y, width: 2, height: 1 };
  });
  return { columns: 2 * columns, rows, places, isFree: false, isEven: true };
}

function bestColumns(count: number, screen: number, picture: number): number {
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    // The width of a picture, where the screen's is 1.
    const size = Math.min(1 / columns, picture / (rows * screen));
    // Of two that are as good, the one with fewer tiles below each other.
    if (size >= best.size - 1e-6) best = { columns, size };
  }
  // Columns that the rows leave empty are none.
  return Math.ceil(count / Math.ceil(count / best.columns));
}

export function overlap(one: Place, other: Place): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** The same tiles in the finer grid of a free layout. */
export function freed(layout: Layout): Layout {
  if (layout.isFree) return layout;
  const { columns, rows } = layout;
  const edge = (cell: number, cells: number): number => Math.round((cell * FREE_CELLS) / cells);
  const places = layout.places.slice(0, FREE_TILES_MAX).map(({ x, y, width, height }) => {
    const [left, top] = [edge(x, columns), edge(y, rows)];
    return {
      x: left,
      y: top,
      width: edge(x + width, columns) - left,
      height: edge(y + height, rows) - top,
    };
  });
  return { columns: FREE_CELLS, rows: FREE_CELLS, places, isFree: true };
}

/** 64 characters hold so many: a view's `GridType` is no longer. */
export const FREE_TILES_MAX = 30;
const FREE_MARK = "Free";
const EVEN_MARK = "Even";
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.~!*()+,:;=@$^";

/** Beginnings and lengths in a row of twelve cells, in a fixed order: each has a sign. */
const SPANS: readonly (readonly [start: number, length: number])[] = Array.from(
  { length: FREE_CELLS },
  (_, start) => Array.from({ length: FREE_CELLS - start }, (_, more) => [start, more + 1] as const),
).flat();

/** How a view of the configuration names the layout (`GridType`). */
export function gridTypeOf(layout: Layout): string {
  if (layout.isEven === true) return EVEN_MARK + layout.places.length;
  if (layout.isFree) return FREE_MARK + layout.places.map(signsOf).join("");
  const isMenu = JSON.stringify(layoutOf(layout.places.length)) === JSON.stringify(layout);
  return isMenu ? `GridType${layout.places.length}` : `GridType${layout.columns}X${layout.rows}`;
}

function signsOf({ x, y, width, height }: Place): string {
  const sign = (start: number, length: number): string =>
    SIGNS[SPANS.findIndex((span) => span[0] === start && span[1] === length)] ?? "0";
  return sign(x, width) + sign(y, height);
}

/** The layout that a view names; for one that says nothing known, tiles alike for its cameras. */
export function layoutNamed(gridType: string, cameras: number): Layout {
  const even = evenLayout(Math.min(cameras, EVEN_TILES_MAX));
  if (gridType.startsWith(FREE_MARK)) return freeLayout(gridType.slice(FREE_MARK.length)) ?? even;
  const [, mark = "", first, second] = GRID_TYPE.exec(gridType) ?? [];
  const [columns, rows] = [Number(first ?? 0), Number(second ?? 1)];
  if (columns === 0 || rows === 0 || columns * rows > TILES_MAX) return even;
  if (mark === EVEN_MARK) return evenLayout(columns);
  return second === undefined ? layoutOf(columns) : grid(columns, rows);
}

const GRID_TYPE = /^(Even|GridType)(\d{1,3})(?:X(\d{1,3}))?$/;

function freeLayout(signs: string): Layout | undefined {
  const places: Place[] = [];
  for (let at = 0; at + 1 < signs.length; at += 2) {
    const across = SPANS[SIGNS.indexOf(signs.charAt(at))];
    const down = SPANS[SIGNS.indexOf(signs.charAt(at + 1))];
    if (across === undefined || down === undefined) return undefined;
    const place = { x: across[0], y: down[0], width: across[1], height: down[1] };
    if (places.some((other) => overlap(place, other))) return undefined;
    places.push(place);
  }
  if (places.length === 0) return undefined;
  return { columns: FREE_CELLS, rows: FREE_CELLS, places, isFree: true };
}

/** The tile that is reached from another by an arrow key: the nearest one on that side, best in line. */
export function neighbour(
  places: readonly Place[],
  from: number,
  dx: number,
  dy: number,
): number | undefined {
  const start = places[from];
  if (start === undefined) return undefined;
  const middle = ({ x, y, width, height }: Place) => ({ x: x + width / 2, y: y + height / 2 });
  const origin = middle(start);
  let best: { index: number; cost: number } | undefined;
  for (const [index, place] of places.entries()) {
    const { x, y } = middle(place);
    const ahead = (x - origin.x) * dx + (y - origin.y) * dy;
    const aside = Math.abs((x - origin.x) * dy) + Math.abs((y - origin.y) * dx);
    if (index === from || ahead <= 0.01) continue;
    const cost = ahead + aside * 3;
    if (best === undefined || cost < best.cost) best = { index, cost };
  }
  return best?.index;
}
