import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { open } from "lmdb";
import { errorText, WALK_STATUS } from "../../base/index.js";
import { FORMAT_KEY, INDEX_FORMAT } from "./index-environment.js";
import { numberKey } from "./index-keys.js";
import { TABLES } from "./index-store.js";
import { openValue, sealValue } from "./index-table.js";

/**
 * Child process: opens the index at `argv[2]` and reads every record, so that a damaged file ends this process and not
 * the service. It also makes one commit, since that reads LMDB's list of free pages. The exit status tells the parent.
 */
const BINARY = { encoding: "binary", keyEncoding: "binary", cache: false } as const;
const WALK_KEY = Buffer.from("walks");
const READ_BEHIND_MS = 10;

/** What the system says when the disk is full or failing or the machine is short of something: EIO, EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT. */
const PASSING_CODES = new Set([5, 11, 12, 23, 24, 28, 30, 122]);

type Root = ReturnType<typeof openRoot>;

function openRoot(directory: string) {
  return open<Buffer, Buffer>({ path: directory, maxDbs: TABLES.length + 4, noSubdir: false, ...BINARY });
}

async function walk(directory: string): Promise<number> {
  // LMDB would take an emptied file for a new one.
  if (statSync(path.join(directory, "data.mdb")).size === 0) return complain("it is empty");
  let root: Root;
  try {
    root = openRoot(directory);
  } catch (error) {
    const isPassing = error instanceof Error && "code" in error && PASSING_CODES.has(Number(error.code));
    complain(errorText(error));
    return isPassing ? WALK_STATUS.unavailable : WALK_STATUS.damaged;
  }
  let records = 0;
  for (const name of TABLES) {
    const table = root.openDB<Buffer, Buffer>({ name, ...BINARY });
    if (name === "meta") {
      const sealed = table.get(FORMAT_KEY);
      const format = sealed === undefined ? undefined : openValue(FORMAT_KEY, sealed);
      if (format === undefined || format.length !== 4) return complain("its format is not named");
      if (format.readUInt32BE(0) > INDEX_FORMAT) return WALK_STATUS.newer;
      if (format.readUInt32BE(0) < INDEX_FORMAT) return complain("its format is an older one");
    }
    let count = 0;
    let before = Buffer.alloc(0);
    for (const { key, value } of table.getRange({ start: Buffer.from([0]) })) {
      if (openValue(key, value) === undefined) return complain(`a record of ${name} has a wrong checksum`);
      if (Buffer.compare(before, key) >= 0) return complain(`${name} is out of order`);
      before = Buffer.from(key);
      count += 1;
    }
    const { entryCount } = table.getStats() as { readonly entryCount: number };
    if (entryCount !== count) return complain(`${name} has ${count} of ${entryCount} records`);
    records += count;
  }
  await writeTrial(root);
  process.stdout.write(`${records}\n`);
  return WALK_STATUS.good;
}

/** A commit reads LMDB's list of free pages: if that is damaged, this process dies of it. A full disk says nothing. */
async function writeTrial(root: Root): Promise<void> {
  try {
    const meta = root.openDB<Buffer, Buffer>({ name: "meta", ...BINARY });
    const walks = meta.get(WALK_KEY);
    const count = walks !== undefined && walks.length === 8 ? walks.readUInt32BE(0) : 0;
    await meta.put(WALK_KEY, sealValue(WALK_KEY, numberKey((count + 1) % 0xffff_ffff)));
    await root.flushed;
    await root.close();
  } catch (error) {
    process.stdout.write(`reads, but does not write: ${errorText(error)}\n`);
  }
}

function complain(reason: string): number {
  process.stdout.write(`${reason}\n`);
  return WALK_STATUS.damaged;
}

// lmdb rejects promises nobody holds when a disk is full; here the exit status says what matters.
process.on("unhandledRejection", (reason) => process.stdout.write(`${errorText(reason)}\n`));
const directory = process.argv[2];
if (directory === undefined || !existsSync(directory)) process.exitCode = complain("it is not there");
else {
  process.exitCode = await walk(directory);
  setTimeout(() => process.exit(), READ_BEHIND_MS);
}
