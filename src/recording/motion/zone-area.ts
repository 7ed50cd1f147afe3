import type { WatchedArea } from "../../picture/index.js";

interface ZonePoint {
  readonly x: number;
  readonly y: number;
}

/** Whether a point of the picture lies in a zone. */
export function zoneHas(area: WatchedArea, { x, y }: ZonePoint): boolean {
  if (area.kind === "picture") return true;
  if (area.kind === "polygon") return isInPolygon(area.points, { x, y });
  // The right and the lower edge of the picture belong to the last cells.
  const column = Math.min(area.columns - 1, Math.floor(x * area.columns));
  const row = Math.min(area.rows - 1, Math.floor(y * area.rows));
  return area.cells[row * area.columns + column] === "1";
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
