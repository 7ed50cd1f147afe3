/**
 * Keeps the codec busy with work of all kinds and then ends: as a worker thread it says "busy" and waits to be ended; as
 * a process it exits in the midst of it. Its one argument (argv or workerData) is the clip of codec-churn.mjs.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { deserialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { NativeCodec } from "../../../dist/picture/codec/native-codec.js";

const AT_ONCE = 20;
/** Against hanging alone. */
const TURNS_MAX = 10_000;
const { format, units } = deserialize(readFileSync(parentPort === null ? process.argv[2] : workerData));
const codec = new NativeCodec({ threads: 2 });
const targets = [{ form: "rgb" }, { form: "jpeg" }];
const size = { width: 320, height: 240 };
const data = new Uint8Array(size.width * size.height * 1.5);
const picture = {
  form: "yuv420",
  ...size,
  timeUs: 0,
  damaged: false,
  sourceWidth: 320,
  sourceHeight: 240,
  data,
};
const g711 = { codec: 16, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };

const decoder = codec.openVideoDecoder(format);
const encoder = codec.openVideoEncoder({
  ...size,
  framesPerSecond: 25,
  bitsPerSecond: 500_000,
  gopLength: 5,
});
const transcoder = codec.openSoundTranscoder({ input: g711, output: "aac", sampleRate: 16_000 });
const endless = async (work) => {
  for (;;) await work();
};
/** Rejections are what the end of the thread makes of them: there is nobody left to tell. */
const ignore = () => undefined;
for (let count = 0; count < AT_ONCE; count += 1) {
  endless(() => decoder.decode(units[0], targets)).catch(ignore);
  endless(() => encoder.encode(picture)).catch(ignore);
  endless(() => transcoder.push([new Uint8Array(4000)], 0)).catch(ignore);
  endless(() => codec.decodeStill({ format, units, targets })).catch(ignore);
}
await codec.decodeStill({ format, units, targets: [] });
// On a busy machine all that was asked for may be done when this goes on: what each kind asks for next is waited for.
for (let turns = 0; codec.load.running === 0; turns += 1) {
  if (turns === TURNS_MAX) throw new Error("nothing is under way");
  await setImmediate();
}
if (parentPort === null) process.exit(0);
parentPort.postMessage("busy");
