import type { WatchedArea } from "../../picture/index.js";

interface ZonePoint {
  readonly x: number;
  readonly y: number;
}

/** The right and the lower edge of the picture are so near to 1: they belong to what is drawn up to them. */
const EDGE = 1 - 1e-9;

/** Whether a point of the picture lies in a zone. One beyond the picture counts as its nearest point on the edge. */
export function zoneHas(area: WatchedArea, point: ZonePoint): boolean {
  const { x, y } = { x: withinPicture(point.x), y: withinPicture(point.y) };
  if (area.kind === "picture") return true;
  if (area.kind === "polygon") return isInPolygon(area.points, { x, y });
  const cell = Math.floor(y * area.rows) * area.columns + Math.floor(x * area.columns);
  return area.cells[cell] === "1";
}

function withinPicture(share: number): number {
  return Math.min(EDGE, Math.max(0, share));
}

/** Even-odd rule. */
function isInPolygon(points: readonly ZonePoint[], { x, y }: ZonePoint): boolean {
  let inside = false;
  let from = points.at(-1);
  for (const to of points) {
    if (from !== undefined && to.y > y !== from.y > y) {
      const crossing = from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
      if (x < crossing) inside = !inside;
    }
    from = to;
  }
  return inside;
}
