import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { errorText } from "../base/index.js";
import { type LmdbRoot, type LmdbTable, openRoot, openTable } from "./environment.js";

/**
 * The child process that reads an environment of unknown health, so that a damaged file ends this process and not the
 * service. Its exit status and its first line tell the parent (`walk-child.ts`).
 */

/**
 * Exit statuses of a walk; any other one, a signal included, means damaged. `unavailable`: the disk is full, or the file
 * belongs to somebody else, which says nothing about the contents.
 */
export const WALK_STATUS = { good: 0, damaged: 3, newer: 4, unavailable: 5, absent: 6 } as const;
/** A walk makes a commit and LMDB its lock file: with less room both fail in ways that look like damage. */
export const WALK_ROOM_BYTES = 1024 * 1024;
/** LMDB's own errors (lmdb.h): page not found, corrupted, panic, version mismatch, invalid. Others are the system's. */
export const LMDB_DAMAGE_CODES: ReadonlySet<number> = new Set([-30797, -30796, -30795, -30794, -30793]);

const FORMAT_KEY = Buffer.from("format");
const WALK_KEY = Buffer.from("walks");
const LOWEST = Buffer.from([0]);
const TABLES_BESIDE = 4;
/** What is printed last must reach the parent. */
const READ_BEHIND_MS = 10;

/** What a walk knows of its owner's tables. */
export interface TableRules {
  /** `meta`, which names the format, is read first. */
  readonly tables: readonly string[];
  /** Tables whose keys say all: their values have no checksum. */
  readonly keyTables?: ReadonlySet<string>;
  readonly overlappingSync: boolean;
  /** The value as it lies in LMDB, with its checksum. */
  readonly seal: (key: Buffer, value: Buffer) => Buffer;
  /** The value without its checksum; undefined when that is wrong. */
  readonly unseal: (key: Buffer, sealed: Buffer) => Buffer | undefined;
  /** What the format says, before any other table is read: a fault in words, or that it is a newer one. */
  readonly judgeFormat: (format: number | undefined) => "newer" | { readonly fault: string } | undefined;
  /** The same of the whole, `meta` left out of the count. */
  readonly judgeRecords?: (format: number | undefined, records: number) => string | undefined;
  /** Whether an error of opening speaks of the file, and not of the disk or the machine. */
  readonly isDamage: (code: number) => boolean;
}

/** Runs `walk` on the environment that the command line names, and ends the process with the status it answers. */
export async function runWalk(walk: (directory: string) => Promise<number>): Promise<void> {
  // lmdb rejects promises nobody holds when a disk is full; here the exit status says what matters.
  process.on("unhandledRejection", (reason) => process.stdout.write(`${errorText(reason)}\n`));
  const directory = process.argv[2];
  process.exitCode =
    directory === undefined || !existsSync(directory)
      ? say(WALK_STATUS.unavailable, "it is not there")
      : await walk(directory);
  setTimeout(() => process.exit(), READ_BEHIND_MS);
}

/** Reads every record of every table and makes one commit. Answers a `WALK_STATUS`; the reason is printed. */
export async function walkTables(directory: string, rules: TableRules): Promise<number> {
  // LMDB would take an emptied file for a new one.
  if (statSync(path.join(directory, "data.mdb")).size === 0) return say(WALK_STATUS.damaged, "it is empty");
  let root: LmdbRoot;
  try {
    const tablesMax = rules.tables.length + TABLES_BESIDE;
    root = openRoot({ directory, tablesMax, overlappingSync: rules.overlappingSync });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? Number(error.code) : Number.NaN;
    return say(rules.isDamage(code) ? WALK_STATUS.damaged : WALK_STATUS.unavailable, errorText(error));
  }
  const format = formatOf(openTable(root, "meta"), rules);
  const verdict = rules.judgeFormat(format);
  if (verdict === "newer") return say(WALK_STATUS.newer, "it is of a newer nvrd");
  const fault = verdict?.fault ?? recordsFault(root, rules, format);
  if (fault !== undefined) return say(WALK_STATUS.damaged, fault);
  await writeTrial(root, rules);
  return WALK_STATUS.good;
}

/** Prints why; the parent takes the first line. */
export function say(status: number, reason: string): number {
  process.stdout.write(`${reason}\n`);
  return status;
}

function formatOf(meta: LmdbTable, { unseal }: TableRules): number | undefined {
  const sealed = meta.get(FORMAT_KEY);
  const format = sealed === undefined ? undefined : unseal(FORMAT_KEY, sealed);
  return format?.length === 4 ? format.readUInt32BE(0) : undefined;
}

function recordsFault(root: LmdbRoot, rules: TableRules, format: number | undefined): string | undefined {
  let records = 0;
  for (const name of rules.tables) {
    const table = openTable(root, name);
    const { count, fault } =
      rules.keyTables?.has(name) === true ? walkKeys(table) : walkEntries(table, rules.unseal);
    if (fault !== undefined) return `${name}: ${fault}`;
    const { entryCount } = table.getStats() as { readonly entryCount: number };
    if (entryCount !== count) return `${name} has ${count} of ${entryCount} records`;
    if (name !== "meta") records += count;
  }
  return rules.judgeRecords?.(format, records);
}

interface TableWalk {
  readonly count: number;
  readonly fault?: string;
}

function walkEntries(table: LmdbTable, unseal: TableRules["unseal"]): TableWalk {
  let count = 0;
  let before: Buffer = Buffer.alloc(0);
  for (const { key, value } of table.getRange({ start: LOWEST })) {
    if (unseal(key, value) === undefined) return { count, fault: "a record has a wrong checksum" };
    if (before.compare(key) >= 0) return { count, fault: "it is out of order" };
    before = Buffer.from(key);
    count += 1;
  }
  return { count };
}

function walkKeys(table: LmdbTable): TableWalk {
  let count = 0;
  let before: Buffer = Buffer.alloc(0);
  for (const key of table.getKeys({ start: LOWEST })) {
    if (before.compare(key) >= 0) return { count, fault: "it is out of order" };
    before = Buffer.from(key);
    count += 1;
  }
  return { count };
}

/** A commit reads LMDB's list of free pages: if that is damaged, this process dies of it. A full disk says nothing. */
async function writeTrial(root: LmdbRoot, { seal, unseal }: TableRules): Promise<void> {
  try {
    const meta = openTable(root, "meta");
    const sealed = meta.get(WALK_KEY);
    const known = sealed === undefined ? undefined : unseal(WALK_KEY, sealed);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(((known?.length === 4 ? known.readUInt32BE(0) : 0) + 1) % 0xffff_ffff);
    await meta.put(WALK_KEY, seal(WALK_KEY, count));
    await root.flushed;
    await root.close();
  } catch (error) {
    process.stdout.write(`reads, but does not write: ${errorText(error)}\n`);
  }
}
