/**
 * Opens, uses and closes objects of the codec and tells what memory it costs: node --expose-gc codec-churn.mjs KIND
 * COUNT CLIP HEAP_USE, where KIND is decoder, still, rejected, encoder, sound or thread, CLIP a file of
 * v8.serialize({ format, units }) and HEAP_USE the addon of heap-use.c. Prints the bytes in use after a fifth of COUNT
 * more than the first ones, and after COUNT more, as JSON: those of malloc (native) and those of JavaScript (script). Where they
 * grew by much, both are of the COUNT turns after those.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { deserialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { NativeCodec } from "../../../dist/picture/codec/native-codec.js";

const AT_ONCE = 4;
/** So many looks in a row find no less before it is believed, of so many at most. */
const SAME_LOOKS = 5;
const LOOKS_MAX = 100;
const LOOK_INTERVAL_MS = 100;
/** More than this is looked at again, so many times. */
const ONCE_BYTES = 128 * 1024;
const ROUNDS_MORE = 2;
/** What the looks themselves cost. */
const SCRIPT_NOISE_BYTES = 4096;
const BUSY_THREAD = new URL("codec-busy-thread.mjs", import.meta.url);
const G711 = { codec: 16, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };
const PICTURE = {
  ...{ form: "yuv420", width: 64, height: 48, timeUs: 0, damaged: false, sourceWidth: 64, sourceHeight: 48 },
  data: new Uint8Array(64 * 48 * 1.5),
};
const ENCODING = { width: 64, height: 48, framesPerSecond: 25, bitsPerSecond: 200_000, gopLength: 5 };
const TARGETS = [{ form: "jpeg", width: 48 }];

const [kind, countText, clipFile, heapUseFile] = process.argv.slice(2);
const { heapBytes } = createRequire(import.meta.url)(heapUseFile);
const { format, units } = deserialize(readFileSync(clipFile));
const broken = [{ ...units[0], bytes: [new Uint8Array(0)] }];
const codec = new NativeCodec({ threads: 2, queueMax: 64 });

const TURNS = {
  async decoder() {
    const decoder = codec.openVideoDecoder(format);
    await decoder.decode(units[0], TARGETS);
    decoder.close();
  },
  async still() {
    await codec.decodeStill({ format, units: units.slice(0, 1), targets: TARGETS });
  },
  /** Work that fails, work whose object is closed, and work that is refused. */
  async rejected() {
    const decoder = codec.openVideoDecoder(format);
    const closed = [units[0], units[0]].map((unit) => decoder.decode(unit, TARGETS));
    decoder.close();
    const failed = codec.decodeStill({ format, units: broken, targets: TARGETS });
    const settled = await Promise.allSettled([...closed, failed]);
    if (settled.at(-1).status !== "rejected") throw new Error("an empty unit was decoded");
  },
  async encoder() {
    const encoder = codec.openVideoEncoder(ENCODING);
    await encoder.encode(PICTURE);
    encoder.close();
  },
  async sound() {
    const transcoder = codec.openSoundTranscoder({ input: G711, output: "aac", sampleRate: 16_000 });
    await transcoder.push([new Uint8Array(800)], 0);
    transcoder.close();
  },
  /** A worker thread that is ended while all kinds of its work are under way. */
  async thread() {
    const worker = new Worker(BUSY_THREAD, { workerData: clipFile });
    await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    await worker.terminate();
  },
};

async function turns(count) {
  let left = count;
  const work = async () => {
    while (left-- > 0) await TURNS[kind]();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/**
 * Bytes in use after `count` turns: the least of some looks, since the collector and the codec free memory on threads of their
 * own, which a busy machine keeps waiting.
 */
async function inUseAfter(count) {
  await turns(count);
  const least = { native: Number.POSITIVE_INFINITY, script: Number.POSITIVE_INFINITY };
  let same = 0;
  for (let look = 0; look < LOOKS_MAX && same < SAME_LOOKS; look += 1) {
    globalThis.gc();
    await setTimeout(LOOK_INTERVAL_MS);
    const [native, script] = [heapBytes(), process.memoryUsage().heapUsed];
    same = native < least.native || script < least.script - SCRIPT_NOISE_BYTES ? 0 : same + 1;
    least.native = Math.min(least.native, native);
    least.script = Math.min(least.script, script);
  }
  return least;
}

const count = Number(countText);
let settled = await inUseAfter(Math.ceil(count / 5));
let later = await inUseAfter(count);
// What a thread of the codec takes once, at its first work, may come late; a leak comes each time.
for (let round = 0; round < ROUNDS_MORE && later.native - settled.native > ONCE_BYTES; round += 1) {
  settled = later;
  later = await inUseAfter(count);
}
console.log(JSON.stringify({ settled, later, load: codec.load }));
