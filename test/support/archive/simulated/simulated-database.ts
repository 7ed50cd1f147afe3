import type { IndexDatabase } from "../../../../src/archive/index/index-database.js";
import { type IndexTables, makeTables, type TableName } from "../../../../src/archive/index/index-store.js";
import {
  IndexTable,
  type KeyRange,
  sealValue,
  type TableBase,
  type TableEntry,
} from "../../../../src/archive/index/index-table.js";
import type { Clock } from "../../../../src/base/time/clock.js";
import type { SeededRandom } from "../../base/seeded-random.js";

/** The rows of a table as they lie on the disk, and their keys in order. */
interface Rows {
  readonly names: readonly string[];
  readonly values: ReadonlyMap<string, Buffer>;
}

/** What the index's disk holds, by table. */
export type IndexImage = ReadonlyMap<TableName, Rows>;

/** What a lost index leaves, and what a new machine has. */
export const LOST_INDEX: IndexImage = new Map();

export interface SimulatedDatabaseOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly image: IndexImage;
  /** Called as a commit begins; what it returns is called as soon as the commit is on the disk. */
  readonly onCommit: () => () => void;
}

const COMMIT_MS_MAX = 300;
/** Earlier states of its disk that an index may fall back to. */
const OLDER_MAX = 8;
const NO_ROWS: Rows = { names: [], values: new Map() };

/**
 * What the index is written to, on a disk that takes its time: a commit takes what there is as it begins, and is on the disk a while
 * of simulated time later, all of it or nothing. `image` is what a power cut leaves.
 */
export class SimulatedDatabase implements IndexDatabase {
  readonly tables: IndexTables;
  readonly damagedRecords = 0;
  readonly #options: SimulatedDatabaseOptions;
  readonly #older: IndexImage[] = [];
  #image: IndexImage;

  constructor(options: SimulatedDatabaseOptions) {
    this.#options = options;
    this.#image = options.image;
    this.tables = tablesOf(() => this.#image);
  }

  get image(): IndexImage {
    return this.#image;
  }

  /** A state of its disk from some commits ago: what a restored file shows. */
  older(random: SeededRandom): IndexImage {
    return this.#older.length === 0 ? LOST_INDEX : random.pick(this.#older);
  }

  async checkRoom(): Promise<void> {
    // Its disk is never full.
  }

  async commit(): Promise<void> {
    const next = this.#withChanges();
    const { clock, random, onCommit } = this.#options;
    const isDurable = onCommit();
    await new Promise<void>((resolve) => {
      clock.setTimeout(resolve, random.below(COMMIT_MS_MAX));
    });
    this.#older.push(this.#image);
    if (this.#older.length > OLDER_MAX) this.#older.shift();
    this.#image = next;
    isDurable();
  }

  async close(): Promise<void> {
    // It has no descriptors.
  }

  async noteSettled(): Promise<void> {
    // Its file is never doubted.
  }

  async noteClosed(): Promise<void> {
    // It is not read before it is opened.
  }

  #withChanges(): IndexImage {
    const next = new Map(this.#image);
    for (const name of Object.keys(this.tables) as TableName[]) {
      const table = this.tables[name];
      if (table.changeCount === 0) continue;
      const rows = new Map(next.get(name)?.values);
      for (const { key, value } of table.changes()) {
        if (value === undefined) rows.delete(key.toString("latin1"));
        else rows.set(key.toString("latin1"), sealValue(key, value));
      }
      next.set(name, { names: [...rows.keys()].sort(), values: rows });
    }
    return next;
  }
}

/** The tables of what a disk holds. */
export function tablesOf(image: () => IndexImage): IndexTables {
  return makeTables((name) => {
    const base = new ImageTable(() => image().get(name) ?? NO_ROWS);
    const onDamage = (table: string) => {
      throw new Error(`a record of the simulated index's table ${table} is damaged`);
    };
    return new IndexTable({ name, base, onDamage });
  });
}

class ImageTable implements TableBase {
  readonly #rows: () => Rows;

  constructor(rows: () => Rows) {
    this.#rows = rows;
  }

  get(key: Buffer): Buffer | undefined {
    return this.#rows().values.get(key.toString("latin1"));
  }

  getStats(): { readonly entryCount: number } {
    return { entryCount: this.#rows().names.length };
  }

  *getRange({ start, end, reverse }: KeyRange): Generator<TableEntry> {
    const { names, values } = this.#rows();
    const low = (reverse ? end : start).toString("latin1");
    const high = (reverse ? start : end).toString("latin1");
    const from = firstAt(names, (name) => name >= low);
    const to = firstAt(names, (name) => name > high);
    for (let passed = 0; passed < to - from; passed += 1) {
      const name = names[reverse ? to - 1 - passed : from + passed] ?? "";
      const value = values.get(name);
      if (value !== undefined) yield { key: Buffer.from(name, "latin1"), value };
    }
  }
}

/** Where the names begin of which `isBehind` holds, which are the last ones. */
function firstAt(names: readonly string[], isBehind: (name: string) => boolean): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(names[middle] ?? "")) high = middle;
    else low = middle + 1;
  }
  return low;
}
