import { statfs } from "node:fs/promises";
import type { Database, RootDatabase } from "lmdb";
import { NvrdError } from "../../base/index.js";
import { openLmdb } from "./library.js";
import { LMDB_COMMIT_FAILED } from "./lmdb-guard.js";

export type LmdbRoot = RootDatabase<Buffer, Buffer>;
export type LmdbTable = Database<Buffer, Buffer>;

const BINARY = { encoding: "binary", keyEncoding: "binary", cache: false } as const;

/**
 * Opens or creates the environment in `directory`; keys and values are bytes. A child process must have read it before
 * (`inspectDatabase`). Throws LMDB's errors.
 */
export function openRoot(options: {
  readonly directory: string;
  readonly tablesMax: number;
  /** False: a put resolves when it is on the disk, and a failed sync rejects it. True: await `flushed` of the root. */
  readonly overlappingSync: boolean;
}): LmdbRoot {
  const { directory, tablesMax, overlappingSync } = options;
  return openLmdb<Buffer, Buffer>({
    path: directory,
    maxDbs: tablesMax,
    noSubdir: false,
    overlappingSync,
    ...BINARY,
  });
}

export function openTable(root: LmdbRoot, name: string): LmdbTable {
  return root.openDB<Buffer, Buffer>({ name, ...BINARY });
}

/** Throws NvrdError NOT_AVAILABLE when less than `reserveBytes` is free: a commit would take space that others need. */
export async function checkRoom(options: {
  readonly directory: string;
  readonly reserveBytes: number;
  /** Owner of the disk, for the message: `the index`. */
  readonly owner: string;
}): Promise<void> {
  const { directory, reserveBytes, owner } = options;
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= reserveBytes) return;
  throw new NvrdError("NOT_AVAILABLE", `${owner}'s disk has ${bavail * bsize} bytes left`);
}

/**
 * The error to throw for a failed commit: NvrdError NOT_AVAILABLE if the disk refused it, else the error itself. lmdb
 * reports the system's error by a second promise, whose rejection `LmdbGuard` handles.
 */
export function commitFault(error: unknown, owner: string): unknown {
  const isRefused =
    error instanceof Error && (error.message === LMDB_COMMIT_FAILED || "commitError" in error);
  if (!isRefused) return error;
  const text = `${owner}'s disk refused a commit: it is full or failing`;
  return new NvrdError("NOT_AVAILABLE", text, { cause: error });
}
