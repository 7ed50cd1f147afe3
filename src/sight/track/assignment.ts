/** Pairs are not made at this cost or above. */
export const NO_PAIR = 1;
const FREE = -1;

/**
 * Pairs rows with columns so that the sum of their costs is the least (H. W. Kuhn, "The Hungarian Method for the Assignment
 * Problem", 1955; with potentials, in n² m steps). Costs are 0 to 1; the answer has the column of each row, -1 for none.
 */
export function assign(costs: readonly (readonly number[])[]): readonly number[] {
  const rows = costs.length;
  const columns = costs[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return costs.map(() => FREE);
  if (rows > columns) return turned(assign(transposed(costs)), rows);
  const matching = new Matching(costs, columns);
  for (let row = 0; row < rows; row++) matching.add(row);
  return matching.pairs().map((column, row) => ((costs[row]?.[column] ?? NO_PAIR) < NO_PAIR ? column : FREE));
}

/** The columns' rows as the rows' columns. */
function turned(rowsOfColumns: readonly number[], rows: number): readonly number[] {
  const columns = new Array<number>(rows).fill(FREE);
  for (const [column, row] of rowsOfColumns.entries()) if (row !== FREE) columns[row] = column;
  return columns;
}

function transposed(costs: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return (costs[0] ?? []).map((_, column) => costs.map((row) => row[column] ?? NO_PAIR));
}

/** A matching that grows by a row along the cheapest alternating path; column 0 is where a path begins. */
class Matching {
  readonly #costs: readonly (readonly number[])[];
  readonly #columns: number;
  readonly #rowPotentials: number[];
  readonly #columnPotentials: number[];
  /** Row of each column, from 1 on; 0: none. */
  readonly #rowOf: number[];

  constructor(costs: readonly (readonly number[])[], columns: number) {
    this.#costs = costs;
    this.#columns = columns;
    this.#rowPotentials = new Array<number>(costs.length + 1).fill(0);
    this.#columnPotentials = new Array<number>(columns + 1).fill(0);
    this.#rowOf = new Array<number>(columns + 1).fill(0);
  }

  add(row: number): void {
    const size = this.#columns + 1;
    const least = new Array<number>(size).fill(Number.POSITIVE_INFINITY);
    const from = new Array<number>(size).fill(0);
    const isVisited = new Array<boolean>(size).fill(false);
    this.#rowOf[0] = row + 1;
    let column = 0;
    do {
      isVisited[column] = true;
      column = this.#step(column, { least, from, isVisited });
    } while (this.#rowOf[column] !== 0);
    while (column !== 0) {
      const before = from[column] ?? 0;
      this.#rowOf[column] = this.#rowOf[before] ?? 0;
      column = before;
    }
  }

  /** The nearest column that was not visited; potentials follow. */
  #step(
    column: number,
    {
      least,
      from,
      isVisited,
    }: { readonly least: number[]; readonly from: number[]; readonly isVisited: boolean[] },
  ): number {
    const row = this.#rowOf[column] ?? 0;
    let [nearest, distance] = [0, Number.POSITIVE_INFINITY];
    for (let other = 1; other <= this.#columns; other++) {
      if (isVisited[other] === true) continue;
      const cost =
        (this.#costs[row - 1]?.[other - 1] ?? NO_PAIR) -
        (this.#rowPotentials[row] ?? 0) -
        (this.#columnPotentials[other] ?? 0);
      if (cost < (least[other] ?? 0)) {
        least[other] = cost;
        from[other] = column;
      }
      if ((least[other] ?? 0) < distance) [nearest, distance] = [other, least[other] ?? 0];
    }
    for (let other = 0; other <= this.#columns; other++) {
      if (isVisited[other] === true) {
        const owner = this.#rowOf[other] ?? 0;
        this.#rowPotentials[owner] = (this.#rowPotentials[owner] ?? 0) + distance;
        this.#columnPotentials[other] = (this.#columnPotentials[other] ?? 0) - distance;
      } else least[other] = (least[other] ?? 0) - distance;
    }
    return nearest;
  }

  /** The column of each row. */
  pairs(): readonly number[] {
    const columns = new Array<number>(this.#costs.length).fill(FREE);
    for (let column = 1; column <= this.#columns; column++) {
      const row = this.#rowOf[column] ?? 0;
      if (row > 0) columns[row - 1] = column - 1;
    }
    return columns;
  }
}
