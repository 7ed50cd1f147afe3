import type { IndexStore, IndexTables } from "./index-store.js";

/** What the index's tables are written to: LMDB's environment; in simulated time a disk that may lose what it is given. */
export interface IndexDatabase {
  readonly tables: IndexTables;
  /** Records whose checksum was wrong when they were read. */
  readonly damagedRecords: number;
  /** Throws NvrdError NOT_AVAILABLE when a commit would use the reserved space. */
  checkRoom(): Promise<void>;
  /** Writes the changes of this moment in one transaction. Resolves when it is on the disk; rejects when it is not. */
  commit(): Promise<void>;
  close(): Promise<void>;
  /** It was opened and commits: a crash of the process does not count against it any more. */
  noteSettled(): Promise<void>;
  /** It was closed in order: it need not be read before it is opened again. */
  noteClosed(): Promise<void>;
}

export interface OpenIndex {
  readonly environment: IndexDatabase;
  readonly store: IndexStore;
}
