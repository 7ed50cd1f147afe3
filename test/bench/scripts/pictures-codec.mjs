// Figures of making pictures, without service and disk: cold stills one after another, and what is left in memory of
// many stills and many transcodes that were opened and closed.
//   npm run build && node --expose-gc test/bench/scripts/pictures-codec.mjs cold|memory FILE TIMES
//   (FILE: one H.264 key frame with its parameter sets, Annex B; memory: TIMES stills, a tenth as many transcodes)
import { readFileSync } from "node:fs";

const { Codec } = await import("../../../dist/live/index.js");
const { NativeCodec, Stills, Transcoding } = await import("../../../dist/picture/index.js");
const { SystemClock, createLog } = await import("../../../dist/base/index.js");

const [mode, file, timesText] = process.argv.slice(2);
const times = Number(timesText);
/** Full after a few hundred stills, so that what grows is not the cache. */
const CACHE_BYTES = 0.5e6;
const bytes = readFileSync(file);
const format = { codec: Codec.H264, width: 1920, height: 1080, initialization: new Uint8Array(0) };
const clock = new SystemClock();
const log = createLog({ level: "error" });
const codec = new NativeCodec();
const stills = new Stills({ codec, cacheBytesMax: CACHE_BYTES, clock, log });

const unitAt = (timeUs) => ({ bytes: [bytes], key: true, decodeTimeUs: timeUs, presentationOffsetUs: 0 });
let asked = 0;

/** A still of a frame that nobody asked for before. */
function coldStill(size) {
  asked += 1;
  const timeUs = asked * 40_000;
  const frame = { stream: "bench/Main", timeUs, rotation: 0 };
  const material = { kind: "coded", frame, shownUs: timeUs, format, units: [unitAt(timeUs)], lasting: false };
  const source = { key: `bench ${asked}`, open: async () => ({ ...material, release: () => undefined }) };
  return stills.make(source, size).still;
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

async function measured(act) {
  const wallUs = [];
  const cpu = process.cpuUsage();
  for (let at = 0; at < times; at++) {
    const started = performance.now();
    await act();
    wallUs.push((performance.now() - started) * 1000);
  }
  const used = process.cpuUsage(cpu);
  return { wallUs: median(wallUs), cpuUs: (used.user + used.system) / times };
}

async function cold() {
  await coldStill({ width: 64, height: 36 });
  return {
    small: await measured(() => coldStill({ width: 64, height: 36 })),
    large: await measured(() => coldStill({ width: 320, height: 180 })),
  };
}

/** Resident memory without the room that V8 keeps free for objects to come. */
async function settledMebibytes() {
  for (let at = 0; at < 3; at++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return (rss - heapTotal + heapUsed) / 1024 / 1024;
}

const spec = { width: 320, height: 180, framesPerSecond: 25, form: "jpeg", rotation: 0 };

async function transcodeOnce(transcoding, at) {
  const playback = transcoding.openPlayback(spec, 1);
  const made = await playback.look({ ...unitAt(at * 40_000), format, followsGap: true }, true);
  if (made.length === 0) throw new Error("a transcode made no picture");
  playback.close();
}

/** Resident memory after a fifth, when caches and pools have their size, and after all. */
async function memoryOf(count, act) {
  for (let at = 0; at < count / 5; at++) await act(at);
  const beforeMebibytes = await settledMebibytes();
  for (let at = count / 5; at < count; at++) await act(at);
  return { count, beforeMebibytes, afterMebibytes: await settledMebibytes() };
}

async function memory() {
  const transcoding = new Transcoding({ codec, clock, log });
  const ofStills = await memoryOf(times, () => coldStill({ width: 64, height: 36 }));
  const ofTranscodes = await memoryOf(times / 10, (at) => transcodeOnce(transcoding, at));
  return { stills: ofStills, transcodes: ofTranscodes, leftOpen: codec.load.open + transcoding.size };
}

console.log(JSON.stringify(mode === "cold" ? await cold() : await memory()));
process.exit(0);
