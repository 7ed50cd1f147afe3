/**
 * `node --no-memory-reducer garbage.mjs ADDON`: leaves garbage that V8 does not look for by itself, and has the addon collect it. Prints the
 * bytes of V8's heap before, and when they have fallen by half or a minute has passed. It asks more than once: V8 may have begun a
 * collection while the garbage was made, which leaves what died since.
 */
import { createRequire } from "node:module";
import process from "node:process";
import { setTimeout } from "node:timers/promises";

const OBJECTS = 300_000;
const TRIES = 600;
const TRY_MS = 100;

const { collectGarbage } = createRequire(import.meta.url)(process.argv[2]);

function heapBytes() {
  return process.memoryUsage().heapTotal;
}

/** Long enough for the old generation: V8 has moved them there while they were made. */
function leaveGarbage() {
  const kept = [];
  for (let at = 0; at < OBJECTS; at += 1) kept.push({ at, more: [at] });
  if (kept.length !== OBJECTS) throw new Error("no memory");
}

leaveGarbage();
await setTimeout(TRY_MS);
const before = heapBytes();
let begun = collectGarbage();
for (let time = 0; time < TRIES && heapBytes() > before / 2; time += 1) {
  await setTimeout(TRY_MS);
  begun = collectGarbage() && begun;
}
process.stdout.write(`${JSON.stringify({ begun, before, after: heapBytes() })}\n`);
