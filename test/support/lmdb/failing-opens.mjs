/** Opens an LMDB environment that cannot be opened, and others that can, in turn: failing-opens.mjs DIRECTORY. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { openLmdb } from "../../../dist/kept/lmdb/index.js";

const TIMES = 20;

const [directory = "."] = process.argv.slice(2);
// A directory in the place of the file: the lock file is there already when the opening fails.
mkdirSync(join(directory, "bad/data.mdb"), { recursive: true });
let failed = 0;
let opened = 0;
for (let time = 0; time < TIMES; time += 1) {
  try {
    openLmdb({ path: join(directory, "bad"), noSubdir: false });
  } catch (error) {
    if (error.code !== undefined) failed += 1;
  }
  const root = openLmdb({ path: join(directory, `good-${time}`), noSubdir: false });
  if (await root.put("key", time)) opened += 1;
}
console.log(`${failed} failed, ${opened} opened`);
