import fc from "fast-check";
import { expect, it } from "vitest";
import { assign, NO_PAIR } from "../../src/sight/track/assignment.js";

function sumOf(costs: readonly (readonly number[])[], columns: readonly number[]): number {
  return columns.reduce((sum, column, row) => sum + (column < 0 ? NO_PAIR : (costs[row]?.[column] ?? 0)), 0);
}

/** The least sum by trying all. */
function leastSum(costs: readonly (readonly number[])[], row = 0, taken: readonly number[] = []): number {
  if (row === costs.length) return 0;
  let least = NO_PAIR + leastSum(costs, row + 1, taken);
  for (const [column, cost] of (costs[row] ?? []).entries())
    if (!taken.includes(column)) least = Math.min(least, cost + leastSum(costs, row + 1, [...taken, column]));
  return least;
}

const matrix = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
  .chain(([rows, columns]) =>
    fc.array(
      fc.array(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(NO_PAIR)), {
        minLength: columns,
        maxLength: columns,
      }),
      { minLength: rows, maxLength: rows },
    ),
  );

it("pairs each row and column at most once, at the least cost", () => {
  fc.assert(
    fc.property(matrix, (costs) => {
      const columns = assign(costs);
      const used = columns.filter((column) => column >= 0);
      expect(new Set(used).size).toBe(used.length);
      expect(sumOf(costs, columns)).toBeCloseTo(leastSum(costs), 6);
    }),
  );
});

it("pairs nothing with nothing", () => {
  expect(assign([])).toEqual([]);
  expect(assign([[], []])).toEqual([-1, -1]);
});

it("makes no pair that cannot be one", () => {
  expect(assign([[NO_PAIR, NO_PAIR]])).toEqual([-1]);
});
