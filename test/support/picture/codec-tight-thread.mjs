/**
 * Ends worker threads while they call the codec without a pause, so that most end within a call: node
 * codec-tight-thread.mjs ADDON CLIP COUNT, where CLIP is a file of v8.serialize({ format, units }).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { deserialize } from "node:v8";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const KINDS = ["sound", "encoder", "still", "decoder"];
const H264 = 1;

async function endThreads(addonFile, clipFile, count) {
  // Loaded here as well: the addon stays when the last thread that uses it has gone.
  createRequire(import.meta.url)(addonFile);
  for (let turn = 0; turn < count; turn += 1) {
    const kind = KINDS[turn % KINDS.length];
    const worker = new Worker(new URL(import.meta.url), { workerData: { addonFile, clipFile, kind } });
    await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    await worker.terminate();
  }
}

/** What each kind does; all but the copy of its input happens on the codec's threads, or is refused. */
function callOf({ addonFile, clipFile, kind }) {
  const addon = createRequire(import.meta.url)(addonFile);
  addon.configurePool({ threads: 2, queueMax: 64, openMax: 16, frameBytesMax: 1 << 28, keepMs: 1000 });
  const { units } = deserialize(readFileSync(clipFile));
  const bytes = [Buffer.concat(units[0].bytes)];
  const decoding = [H264, addon.softwareDecoder(H264), new Uint8Array(0)];
  const targets = new Float64Array([0, 64, 48, 0, 0, 80, 0, 0, 0, 1, 1, 0]);
  if (kind === "still") return () => addon.decodeStill(decoding, [[bytes, true, 0]], targets, 1000);
  if (kind === "decoder") {
    const decoder = new addon.VideoDecoder(decoding, 1000, false);
    return () => decoder.decode(bytes, true, 0, false, 0, targets);
  }
  if (kind === "encoder") {
    const picture = [new Uint8Array(64 * 48 * 1.5)];
    const rates = { framesPerSecond: 25, bitsPerSecond: 200_000, gopLength: 5 };
    const encoder = new addon.VideoEncoder({ name: "libx264", width: 64, height: 48, ...rates });
    return () => encoder.encode(picture, 0, false);
  }
  const input = { input: "pcm", inputRate: 8000, inputChannels: 1, config: new Uint8Array(0) };
  const transcoder = new addon.SoundTranscoder({ ...input, output: "aac", outputRate: 16_000 });
  // The longest unit that is taken: most of the time goes into its copy, between reading arguments and making a promise.
  const unit = [new Uint8Array(256 * 1024)];
  return () => transcoder.push(unit, 0);
}

if (isMainThread) {
  const [addonFile, clipFile, count] = process.argv.slice(2);
  await endThreads(addonFile, clipFile, Number(count));
} else {
  const call = callOf(workerData);
  call().catch(() => undefined);
  parentPort.postMessage("busy");
  for (;;) call().catch(() => undefined);
}
