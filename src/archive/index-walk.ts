import { existsSync } from "node:fs";
import { open } from "lmdb";
import { WALK_STATUS } from "../base/index.js";
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

async function walk(directory: string): Promise<number> {
  const root = open<Buffer, Buffer>({
    path: directory,
    maxDbs: TABLES.length + 4,
    noSubdir: false,
    ...BINARY,
  });
  let records = 0;
  for (const name of TABLES) {
    const table = root.openDB<Buffer, Buffer>({ name, ...BINARY });
    if (name === "meta") {
      const sealed = table.get(FORMAT_KEY);
      const format = sealed === undefined ? undefined : openValue(FORMAT_KEY, sealed);
      if (format === undefined || format.length !== 4) return complain("its format is not named");
      if (format.readUInt32BE(0) > INDEX_FORMAT) return WALK_STATUS.newer;
      if (format.readUInt32BE(0) < INDEX_FORMAT) return complain("its format is an older one");
      const walks = table.get(WALK_KEY);
      const count = walks !== undefined && walks.length === 8 ? walks.readUInt32BE(0) : 0;
      await table.put(WALK_KEY, sealValue(WALK_KEY, numberKey((count + 1) % 0xffff_ffff)));
      await root.flushed;
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
  await root.close();
  process.stdout.write(`${records}\n`);
  return WALK_STATUS.good;
}

function complain(reason: string): number {
  process.stdout.write(`${reason}\n`);
  return WALK_STATUS.damaged;
}

const directory = process.argv[2];
if (directory === undefined || !existsSync(directory)) process.exitCode = complain("it is not there");
else {
  process.exitCode = await walk(directory);
  setTimeout(() => process.exit(), READ_BEHIND_MS);
}
