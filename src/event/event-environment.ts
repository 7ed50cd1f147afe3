import { NvrdError } from "../base/index.js";
import {
  checkRoom,
  commitFault,
  type LmdbRoot,
  type LmdbTable,
  openRoot,
  openTable,
} from "../kept/lmdb/index.js";
import { openValue, sealValue } from "./series.js";

export const EVENT_LOG_FORMAT = 1;
export const FORMAT_KEY = Buffer.from("format");
/** `events`: by time. `index`: by series and time, keys only. `recent`: events not yet in `index`, by sequence. */
export const EVENT_TABLES = ["meta", "series", "events", "index", "recent"] as const;
export type EventTableName = (typeof EVENT_TABLES)[number];
/** Space reserved for other users of the system disk: nothing is written when less would remain. */
export const EVENT_LOG_RESERVE_BYTES = 64 * 1024 * 1024;
const DATABASES_MAX = 8;

const OWNER = "the event log";
const NOTHING = Buffer.alloc(0);

/** A put (`value`) or a removal (undefined). */
export interface EventChange {
  readonly table: EventTableName;
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

export interface EventEntry {
  readonly key: Buffer;
  /** Undefined when its checksum is wrong. */
  readonly value: Buffer | undefined;
}

/** Both ends belong to it. */
export interface KeyRange {
  readonly low: Buffer;
  readonly high: Buffer;
  readonly limit: number;
  /** From `high` down. */
  readonly reverse: boolean;
}

export interface EventEnvironmentOptions {
  readonly directory: string;
  /** Free bytes that must remain on the disk; default `EVENT_LOG_RESERVE_BYTES`. */
  readonly reserveBytes?: number;
}

/** The statistics of lmdb used here. */
interface TableStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}

/**
 * The LMDB environment of the event log. A child process must have read it before (`event-walk.ts`), because LMDB trusts its
 * file, and a damaged one crashes the process. All reads are synchronous, so that no read keeps old pages in use.
 */
export class EventEnvironment {
  readonly #options: EventEnvironmentOptions;
  readonly #root: LmdbRoot;
  readonly #tables: Readonly<Record<EventTableName, LmdbTable>>;
  #damagedRecords = 0;
  #isClosed = false;

  /** Opens or creates it. Throws LMDB's error. */
  constructor(options: EventEnvironmentOptions) {
    this.#options = options;
    const { directory } = options;
    const root = openRoot({ directory, tablesMax: DATABASES_MAX, overlappingSync: false });
    const table = (name: EventTableName) => openTable(root, name);
    this.#root = root;
    this.#tables = {
      meta: table("meta"),
      series: table("series"),
      events: table("events"),
      index: table("index"),
      recent: table("recent"),
    };
  }

  /** Number of records read with a wrong checksum. */
  get damagedRecords(): number {
    return this.#damagedRecords;
  }

  get(table: EventTableName, key: Buffer): Buffer | undefined {
    const sealed = this.#table(table).get(key);
    return sealed === undefined ? undefined : this.#open(key, sealed);
  }

  /** Records of a range, until `bytesMax` of values are read. */
  entries(table: EventTableName, range: KeyRange & { readonly bytesMax: number }): EventEntry[] {
    const entries: EventEntry[] = [];
    let bytes = 0;
    for (const { key, value: sealed } of this.#table(table).getRange(rangeOptions(range))) {
      entries.push({ key, value: this.#open(key, sealed) });
      bytes += sealed.length;
      if (bytes >= range.bytesMax) break;
    }
    return entries;
  }

  keys(table: EventTableName, range: KeyRange): Buffer[] {
    return [...this.#table(table).getKeys(rangeOptions(range))];
  }

  /** Writes all changes in one transaction. Resolves when they are on the disk; rejects if nothing was written. */
  async commit(changes: readonly EventChange[]): Promise<void> {
    if (changes.length === 0) return;
    const { directory, reserveBytes = EVENT_LOG_RESERVE_BYTES } = this.#options;
    await checkRoom({ directory, reserveBytes, owner: OWNER });
    // lmdb combines all puts of one event loop turn into one transaction.
    const commits = new Set<Promise<boolean>>();
    for (const { table, key, value } of changes) {
      const base = this.#table(table);
      // Index entries have no value; a wrong key is detected by the event it refers to.
      if (value === undefined) commits.add(base.remove(key));
      else commits.add(base.put(key, table === "index" ? NOTHING : sealValue(key, value)));
    }
    try {
      await Promise.all(commits);
    } catch (error) {
      throw commitFault(error, OWNER);
    }
    this.#root.resetReadTxn();
  }

  /** Bytes of the pages in use. The file has this size plus freed pages that are not reused yet. */
  usedBytes(): number {
    let bytes = 0;
    for (const name of EVENT_TABLES) {
      const stats = this.#table(name).getStats() as TableStats;
      bytes += (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize;
    }
    return bytes;
  }

  entryCount(table: EventTableName): number {
    return (this.#table(table).getStats() as TableStats).entryCount;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#root.close();
  }

  /** lmdb does not check every call on a closed environment. */
  #table(name: EventTableName): LmdbTable {
    if (this.#isClosed) throw new NvrdError("NOT_AVAILABLE", "the event log is closed");
    return this.#tables[name];
  }

  #open(key: Buffer, sealed: Buffer): Buffer | undefined {
    const value = openValue(key, sealed);
    if (value === undefined) this.#damagedRecords += 1;
    return value;
  }
}

function rangeOptions({ low, high, limit, reverse }: KeyRange) {
  return reverse
    ? { start: high, end: low, inclusiveEnd: true, reverse, limit }
    : { start: low, end: high, inclusiveEnd: true, limit };
}
