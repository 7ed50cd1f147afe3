/** Most cameras send pictures of this shape. */
const RATIO = 16 / 9;

/** In how many columns pictures are largest in a space. */
export function columnsFor(count: number, width: number, height: number): number {
  let best = 1;
  let bestWidth = 0;
  for (let columns = 1; columns <= Math.max(count, 1); columns += 1) {
    const rows = Math.ceil(count / columns);
    const tileWidth = Math.min(width / columns, (height / rows) * RATIO);
    if (tileWidth > bestWidth + 0.5) [best, bestWidth] = [columns, tileWidth];
  }
  return best;
}
