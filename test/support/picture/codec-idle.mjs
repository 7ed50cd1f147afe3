/**
 * Tells what the codec's threads keep of pictures when they have no work: node codec-idle.mjs CLIP HEAP_USE KEEP_MS
 * WAIT_MS, where CLIP is a file of v8.serialize({ format, units }) and HEAP_USE the addon of heap-use.c. Prints, as JSON, malloc's
 * bytes in use after some pictures, and WAIT_MS later.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { deserialize } from "node:v8";
import { NativeCodec } from "../../../dist/picture/codec/native-codec.js";

const SIZES = 8;
const [clipFile, heapUseFile, keepMs, waitMs] = process.argv.slice(2);
const { heapBytes } = createRequire(import.meta.url)(heapUseFile);
const { format, units } = deserialize(readFileSync(clipFile));
const codec = new NativeCodec({ threads: 1, keepMs: Number(keepMs) });
// Held, so that none is freed meanwhile.
const pictures = [];
for (let size = 0; size < SIZES; size += 1) {
  const targets = [{ form: "rgb", width: 1280 - size * 10, height: 720 }];
  pictures.push(await codec.decodeStill({ format, units: units.slice(0, 1), targets }));
}
const worked = heapBytes();
await setTimeout(Number(waitMs));
console.log(JSON.stringify({ worked, later: heapBytes(), pictures: pictures.length }));
