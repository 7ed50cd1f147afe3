import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { open } from "lmdb";
import { errorText, WALK_STATUS } from "../base/index.js";
import { BINARY, EVENT_LOG_FORMAT, EVENT_TABLES, FORMAT_KEY } from "./event-environment.js";
import { numberKey } from "./event-key.js";
import { isWhole, openValue, sealValue } from "./series.js";

/**
 * Child process: opens the event log at `argv[2]` and reads every record, so that a damaged file ends this process and not
 * the service. The exit status tells the parent.
 */

const WALK_KEY = Buffer.from("walks");
const LOWEST = Buffer.from([0]);
const READ_BEHIND_MS = 10;
/** LMDB's own errors (lmdb.h): page not found, corrupted, panic, version mismatch, invalid. Others are the system's. */
const DAMAGE_CODES = new Set([-30797, -30796, -30795, -30794, -30793]);

type Root = ReturnType<typeof openRoot>;

function openRoot(directory: string) {
  return open<Buffer, Buffer>({
    path: directory,
    maxDbs: EVENT_TABLES.length + 4,
    noSubdir: false,
    overlappingSync: false,
    ...BINARY,
  });
}

async function walk(directory: string): Promise<number> {
  // LMDB would take an emptied file for a new one.
  if (statSync(path.join(directory, "data.mdb")).size === 0) return say(WALK_STATUS.damaged, "it is empty");
  let root: Root;
  try {
    root = openRoot(directory);
  } catch (error) {
    const isDamage = error instanceof Error && "code" in error && DAMAGE_CODES.has(Number(error.code));
    return say(isDamage ? WALK_STATUS.damaged : WALK_STATUS.unavailable, errorText(error));
  }
  let isNamed = false;
  let records = 0;
  for (const name of EVENT_TABLES) {
    const table = root.openDB<Buffer, Buffer>({ name, ...BINARY });
    if (name === "meta") {
      const sealed = table.get(FORMAT_KEY);
      const format = sealed === undefined ? undefined : openValue(FORMAT_KEY, sealed);
      isNamed = format?.length === 4;
      if (isNamed && (format?.readUInt32BE(0) ?? 0) > EVENT_LOG_FORMAT)
        return say(WALK_STATUS.newer, "it is of a newer nvrd");
    }
    const { count, fault } =
      name === "index"
        ? walkKeys(table.getKeys({ start: LOWEST }))
        : walkEntries(table.getRange({ start: LOWEST }));
    if (fault !== undefined) return say(WALK_STATUS.damaged, `${name}: ${fault}`);
    const { entryCount } = table.getStats() as { readonly entryCount: number };
    if (entryCount !== count)
      return say(WALK_STATUS.damaged, `${name} has ${count} of ${entryCount} records`);
    if (name !== "meta") records += count;
  }
  // A log that was made and never written to holds no events; else its format was written with the first one.
  if (!isNamed && records > 0) return say(WALK_STATUS.damaged, "its format is not named");
  await writeTrial(root);
  return WALK_STATUS.good;
}

interface TableWalk {
  readonly count: number;
  readonly fault?: string;
}

function walkEntries(entries: Iterable<{ readonly key: Buffer; readonly value: Buffer }>): TableWalk {
  let count = 0;
  let before: Buffer = Buffer.alloc(0);
  for (const { key, value } of entries) {
    if (!isWhole(key, value)) return { count, fault: "a record has a wrong checksum" };
    if (before.compare(key) >= 0) return { count, fault: "it is out of order" };
    before = key;
    count += 1;
  }
  return { count };
}

function walkKeys(keys: Iterable<Buffer>): TableWalk {
  let count = 0;
  let before: Buffer = Buffer.alloc(0);
  for (const key of keys) {
    if (before.compare(key) >= 0) return { count, fault: "it is out of order" };
    before = key;
    count += 1;
  }
  return { count };
}

/** A commit reads LMDB's list of free pages: if that is damaged, this process dies of it. A full disk says nothing. */
async function writeTrial(root: Root): Promise<void> {
  try {
    const meta = root.openDB<Buffer, Buffer>({ name: "meta", ...BINARY });
    const count = meta.get(WALK_KEY)?.readUInt32BE(0) ?? 0;
    await meta.put(WALK_KEY, sealValue(WALK_KEY, numberKey((count + 1) % 0xffff_ffff)));
  } catch (error) {
    process.stdout.write(`reads, but does not write: ${errorText(error)}\n`);
  }
}

function say(status: number, reason: string): number {
  process.stdout.write(`${reason}\n`);
  return status;
}

// lmdb rejects promises nobody holds when a disk is full; here the exit status says what matters.
process.on("unhandledRejection", (reason) => process.stdout.write(`${errorText(reason)}\n`));
const directory = process.argv[2];
if (directory === undefined || !existsSync(directory))
  process.exitCode = say(WALK_STATUS.unavailable, "it is not there");
else process.exitCode = await walk(directory);
setTimeout(() => process.exit(), READ_BEHIND_MS);
