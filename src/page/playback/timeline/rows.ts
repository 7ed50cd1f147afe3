interface Rows {
  /** Cameras that are shown, and the place of the active one. */
  readonly count: number;
  readonly active: number;
  /** So many rows leave room for the pictures, unless all are wanted. */
  readonly most: number;
  readonly hasAll: boolean;
}

/** Of which cameras there are rows, by their places: of all, or where those are many, of the active one. */
export function rowsOf({ count, active, most, hasAll }: Rows): readonly number[] {
  return count > most && !hasAll ? [Math.max(0, active)] : [...Array(count).keys()];
}
