/**
 * Whether `data`, a JSON value, nests deeper than `depthMax` lists and objects. Level by level, not recursively: it
 * stands before everything that is.
 */
export function nestsDeeperThan(data: unknown, depthMax: number): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}
