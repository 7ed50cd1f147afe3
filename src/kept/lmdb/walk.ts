import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { errorText } from "../../base/index.js";
import { type LmdbRoot, type LmdbTable, openRoot, openTable } from "./environment.js";

/**
 * The child process that reads an environment that may be damaged, so that a damaged file crashes this process and not
 * the service. Its exit status and first line are for the parent (`walk-child.ts`).
 */

/**
 * Exit statuses of a walk; any other one, a signal included, means damaged. `unavailable`: the disk is full, or the
 * file belongs to another user; the contents are not known.
 */
export const WALK_STATUS = { good: 0, damaged: 3, newer: 4, unavailable: 5, absent: 6 } as const;
/** None of them: it counts as damaged. */
const UNFINISHED_STATUS = 1;
/** A walk makes a commit, and LMDB creates its lock file: with less space both fail in ways that look like damage. */
export const WALK_ROOM_BYTES = 1024 * 1024;
/** LMDB's own errors (lmdb.h): page not found, corrupted, panic, version mismatch, invalid. Others are the system's. */
export const LMDB_DAMAGE_CODES: ReadonlySet<number> = new Set([-30797, -30796, -30795, -30794, -30793]);

const FORMAT_KEY = Buffer.from("format");
const WALK_KEY = Buffer.from("walks");
const LOWEST = Buffer.from([0]);
const TABLES_BESIDE = 4;
/** Time for the last output to reach the parent. */
const OUTPUT_DRAIN_MS = 10;

/** The owner's tables and their rules. */
interface TableRules {
  /** `meta`, which names the format, is read first. */
  readonly tables: readonly string[];
  /** Tables of which only the keys matter: their values have no checksum. */
  readonly keyTables?: ReadonlySet<string>;
  readonly overlappingSync: boolean;
  /** The value as stored in LMDB, with its checksum. */
  readonly seal: (key: Buffer, value: Buffer) => Buffer;
  /** The value without its checksum; undefined when that is wrong. */
  readonly unseal: (key: Buffer, sealed: Buffer) => Buffer | undefined;
  /** Judges the format version, before any other table is read: a description of the fault, or "newer". */
  readonly judgeFormat: (format: number | undefined) => "newer" | { readonly fault: string } | undefined;
  /** Judges the number of records, without those of `meta`. */
  readonly judgeRecords?: (format: number | undefined, records: number) => string | undefined;
  /** Whether an error on opening is due to the file, not to the disk or the machine. */
  readonly isDamage: (code: number) => boolean;
}

/**
 * Runs `walk` on the environment that the command line names, and ends the process with the status it returns, or with
 * UNFINISHED_STATUS. Never rejects.
 */
export async function runWalk(walk: (directory: string) => Promise<number>): Promise<void> {
  // On a full disk lmdb rejects promises that nobody awaits; here the exit status is the result.
  process.on("unhandledRejection", (reason) => process.stdout.write(`${errorText(reason)}\n`));
  const directory = process.argv[2];
  // A walk that does not come to its end has found the file good no more than one that throws.
  process.exitCode = UNFINISHED_STATUS;
  try {
    process.exitCode =
      directory === undefined || !existsSync(directory)
        ? printReason(WALK_STATUS.unavailable, "it is not there")
        : await walk(directory);
  } catch (error) {
    printReason(UNFINISHED_STATUS, errorText(error));
  }
  setTimeout(() => process.exit(), OUTPUT_DRAIN_MS);
}

/** Reads every record of every table and makes one commit. Returns a `WALK_STATUS`; prints the reason. */
export async function walkTables(directory: string, rules: TableRules): Promise<number> {
  // LMDB would treat an empty file as a new one.
  if (statSync(path.join(directory, "data.mdb")).size === 0)
    return printReason(WALK_STATUS.damaged, "it is empty");
  let root: LmdbRoot;
  try {
    const tablesMax = rules.tables.length + TABLES_BESIDE;
    root = openRoot({ directory, tablesMax, overlappingSync: rules.overlappingSync });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? Number(error.code) : Number.NaN;
    return printReason(
      rules.isDamage(code) ? WALK_STATUS.damaged : WALK_STATUS.unavailable,
      errorText(error),
    );
  }
  const format = formatOf(openTable(root, "meta"), rules);
  const verdict = rules.judgeFormat(format);
  if (verdict === "newer") return printReason(WALK_STATUS.newer, "it was written by a newer nvrd");
  const fault = verdict?.fault ?? recordsFault(root, rules, format);
  if (fault !== undefined) return printReason(WALK_STATUS.damaged, fault);
  await writeTrial(root, rules);
  return WALK_STATUS.good;
}

/** Prints the reason; the parent reads the first line. */
export function printReason(status: number, reason: string): number {
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

/**
 * A commit reads LMDB's list of free pages, which crashes this process if it is damaged. A failure because of a full
 * disk does not count.
 */
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
    process.stdout.write(`it can be read, but not written: ${errorText(error)}\n`);
  }
}
