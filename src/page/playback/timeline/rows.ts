/** Rows of so many cameras leave room for their pictures. */
export const ROWS_MAX = 4;

/** Of which cameras there are rows, by their places: of all, or where those are many, of the active one. */
export function rowsOf(count: number, active: number, hasAll: boolean): readonly number[] {
  return count > ROWS_MAX && !hasAll ? [Math.max(0, active)] : [...Array(count).keys()];
}
