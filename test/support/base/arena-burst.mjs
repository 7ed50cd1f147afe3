/**
 * `node arena-burst.mjs ADDON`: some threads take memory at the end of their arenas of malloc, and free it. Prints how many bytes the process
 * has more than before: after that, and after the addon has trimmed the heap.
 */
import { scrypt } from "node:crypto";
import { createRequire } from "node:module";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** As many as libuv has: with two arenas they get them in turn. */
const THREADS = 4;
/** Each takes 128 * cost * blockSize bytes, 8 MiB: below what malloc gives pages of their own. */
const WORK = { cost: 8192, blockSize: 8 };
const TIMES = 3;

const { trimHeap } = createRequire(import.meta.url)(process.argv[2]);

async function hashAtOnce(work) {
  await Promise.all(Array.from({ length: THREADS }, () => promisify(scrypt)("", "", 16, work)));
}

await hashAtOnce({ cost: 2, blockSize: 8 });
const before = process.memoryUsage.rss();
for (let time = 0; time < TIMES; time += 1) await hashAtOnce(WORK);
const freed = process.memoryUsage.rss() - before;
trimHeap();
// The ends of arenas follow on a thread.
await setTimeout(1000);
const trimmed = process.memoryUsage.rss() - before;
process.stdout.write(`${JSON.stringify({ freed, trimmed })}\n`);
