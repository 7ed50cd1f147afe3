import { type Clock, type Log, NvrdError } from "../../base/index.js";
import {
  checkRoom,
  commitFault,
  type LmdbRoot,
  type LmdbTable,
  noteClosed,
  noteSettled,
  openRoot,
  openTable,
} from "../../kept/lmdb/index.js";
import type { IndexDatabase } from "./index-database.js";
import { type IndexTables, makeTables } from "./index-store.js";
import { IndexTable, sealValue } from "./index-table.js";

/** 1: rows of `fragments` without their volume; such an index is rebuilt from the segments. */
export const INDEX_FORMAT = 2;
export const FORMAT_KEY = Buffer.from("format");
/** Space reserved for other users of the system disk: the index does not commit when less would remain. */
export const INDEX_RESERVE_BYTES = 64 * 1024 * 1024;
/** How long a commit may take before it is reported as hanging. */
const COMMIT_WARN_MS = 30_000;
const DATABASES_MAX = 16;

const OWNER = "the index";

export interface IndexEnvironmentOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Free bytes that must remain on the index's disk; `INDEX_RESERVE_BYTES` when absent. */
  readonly reserveBytes?: number;
}

/**
 * The LMDB environment of the index and its tables. A child process must have read it before (`inspectDatabase`): LMDB trusts its
 * file, and a damaged one crashes the process.
 */
export class IndexEnvironment implements IndexDatabase {
  readonly tables: IndexTables;
  readonly #options: IndexEnvironmentOptions;
  readonly #root: LmdbRoot;
  readonly #bases = new Map<string, LmdbTable>();
  #damagedRecords = 0;

  /** Opens or makes it. Throws NvrdError FORMAT_NEWER, or what LMDB says. */
  constructor(options: IndexEnvironmentOptions) {
    this.#options = options;
    const { directory } = options;
    this.#root = openRoot({ directory, tablesMax: DATABASES_MAX, overlappingSync: true });
    const onDamage = (table: string, key: Buffer) => this.#reportDamage(table, key);
    this.tables = makeTables((name) => {
      const base = openTable(this.#root, name);
      this.#bases.set(name, base);
      return new IndexTable({ name, base, onDamage });
    });
    const format = this.tables.meta.get(FORMAT_KEY);
    if (format !== undefined && format.readUInt32BE(0) > INDEX_FORMAT) {
      void this.#root.close();
      throw new NvrdError("FORMAT_NEWER", `the index has format ${format.readUInt32BE(0)}`);
    }
  }

  get damagedRecords(): number {
    return this.#damagedRecords;
  }

  async checkRoom(): Promise<void> {
    const { directory, reserveBytes = INDEX_RESERVE_BYTES } = this.#options;
    await checkRoom({ directory, reserveBytes, owner: OWNER });
  }

  async commit(): Promise<void> {
    const written = this.#write();
    const warning = this.#options.clock.setTimeout(
      () => this.#options.log.error("a commit of the index does not finish: check the system disk"),
      COMMIT_WARN_MS,
    );
    try {
      await written;
    } catch (error) {
      throw commitFault(error, OWNER);
    } finally {
      warning.clear();
    }
    this.#root.resetReadTxn();
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  async noteSettled(): Promise<void> {
    await noteSettled(this.#options.directory);
  }

  async noteClosed(): Promise<void> {
    await noteClosed(this.#options.directory, this.#options.log);
  }

  /** All puts of one turn of the event loop are one transaction in lmdb; `flushed` resolves when it is on the disk. */
  #write(): Promise<unknown> {
    const commits = new Set<Promise<boolean>>();
    for (const table of Object.values(this.tables)) {
      const base = this.#bases.get(table.name);
      if (base === undefined) continue;
      for (const { key, value } of table.changes()) {
        commits.add(value === undefined ? base.remove(key) : base.put(key, sealValue(key, value)));
      }
    }
    if (commits.size === 0) return Promise.resolve();
    const flushed = new Promise((resolve, reject) => {
      this.#root.flushed.then(resolve, reject);
    });
    return Promise.all([...commits, flushed]);
  }

  #reportDamage(table: string, key: Buffer): void {
    this.#damagedRecords += 1;
    if (this.#damagedRecords > 1) return;
    this.#options.log.error(
      { table, key: key.toString("hex") },
      "a record of the index is damaged: run nvrd check --rebuild",
    );
  }
}
