/**
 * Ends the codec's environment in the midst of each of its calls: node --expose-gc codec-ending.mjs ADDON CLIP, where ADDON is
 * ending-environment.c over codec.node and CLIP a file of v8.serialize({ format, units }). Each kind of call is made again
 * and again, each time with one call of Node-API more that still works. Prints how many there are of each kind, as JSON.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { deserialize } from "node:v8";

const TIMEOUT_MS = 10_000;
const [addonFile, clipFile] = process.argv.slice(2);
const { RTLD_NOW, RTLD_DEEPBIND } = constants.dlopen;

function load() {
  const module = { exports: {} };
  process.dlopen(module, addonFile, RTLD_NOW | RTLD_DEEPBIND);
  return module.exports;
}

const addon = load();
const { units } = deserialize(readFileSync(clipFile));
const bytes = [Buffer.concat(units[0].bytes)];
const bounds = { threads: 1, queueMax: 64, openMax: 256, frameBytesMax: 1 << 28, keepMs: 1000 };
addon.configurePool(bounds);
const decoding = [1, addon.softwareDecoder(1), new Uint8Array(0)];
const coding = {
  name: "libx264",
  width: 64,
  height: 48,
  framesPerSecond: 25,
  bitsPerSecond: 200_000,
  gopLength: 5,
};
const sounding = {
  input: "pcm",
  inputRate: 8000,
  inputChannels: 1,
  config: new Uint8Array(0),
  output: "aac",
  outputRate: 16_000,
};
/** One small picture, whose bytes are copied, and one whose memory becomes JavaScript's. */
const targets = new Float64Array(
  [
    [0, 64, 48, 0, 0, 80, 0, 0, 0, 1, 1, 0],
    [0, 640, 480, 0, 0, 80, 0, 0, 0, 1, 1, 0],
  ].flat(),
);
const picture = [new Uint8Array(64 * 48 * 1.5)];
const pcm = [new Uint8Array(4000)];

const decoder = new addon.VideoDecoder(decoding, 1000, false);
const encoder = new addon.VideoEncoder(coding);
const transcoder = new addon.SoundTranscoder(sounding);

/** Work that answers with a promise. */
const WORK = {
  still: () => addon.decodeStill(decoding, [[bytes, true, 0]], targets, 1000),
  brokenStill: () => addon.decodeStill(decoding, [[[new Uint8Array(9)], true, 0]], targets, 1000),
  decode: () => decoder.decode(bytes, true, 0, false, 0, targets),
  flush: () => decoder.flush(targets),
  encode: () => encoder.encode(picture, 0, true),
  push: () => transcoder.push(pcm, 0),
};
const CALLS = {
  load,
  ...WORK,
  openDecoder: () => new addon.VideoDecoder(decoding, 1000, false).close(),
  openEncoder: () => new addon.VideoEncoder(coding).close(),
  openTranscoder: () => new addon.SoundTranscoder(sounding).close(),
  decodeNothing: () => decoder.decode(),
  encodeNothing: () => encoder.encode(),
  pushNothing: () => transcoder.push(),
  openNothing: () => new addon.VideoEncoder({}),
  configure: () => addon.configurePool(bounds),
  load_: () => addon.poolLoad(),
  names: () => [
    addon.softwareDecoder(1),
    addon.hasDecoder("h264"),
    addon.hasEncoder("libx264"),
    addon.libavVersion(),
  ],
};

/** What an ended environment throws or answers is nobody's business any more: that the process lives is. */
function quietly(call) {
  try {
    const result = call();
    if (result instanceof Promise) result.catch(() => undefined);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

async function idle() {
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { running, queued } = addon.poolLoad();
    if (running + queued === 0) break;
    if (Date.now() > until) throw new Error("work does not end");
    await setImmediate();
  }
  // What was left behind half made is taken away here.
  globalThis.gc();
  await setImmediate();
}

/** Ends within `call` itself. */
async function endWithin(call) {
  for (let first = 1; ; first += 1) {
    addon.endFrom(first);
    quietly(call);
    const calls = addon.endFrom(0);
    await idle();
    if (calls < first) return calls;
  }
}

/** Ends while the work's promise is being settled. */
async function endAfter(work) {
  for (let first = 1; ; first += 1) {
    quietly(work);
    addon.endFrom(first);
    let calls = 0;
    const until = Date.now() + TIMEOUT_MS;
    while (calls === 0) {
      await setImmediate();
      if (Date.now() > until) throw new Error("nothing was settled");
      calls = addon.endFrom(first);
    }
    addon.endFrom(0);
    await idle();
    if (calls < first) return calls;
  }
}

const counts = {};
for (const [name, call] of Object.entries(CALLS)) counts[name] = await endWithin(call);
for (const [name, work] of Object.entries(WORK)) counts[`${name} settled`] = await endAfter(work);
decoder.close();
encoder.close();
transcoder.close();
console.log(JSON.stringify({ counts, load: addon.poolLoad() }));
