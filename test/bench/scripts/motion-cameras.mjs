// Sixteen cameras that are watched for motion at once, as they send: CPU of the process, and of it the main thread's.
// Runs on dist: npm run build, then node test/bench/scripts/motion-cameras.mjs [--json] [--seconds N]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createLog, SystemClock } from "../../../dist/base/index.js";
import { parseClip } from "../../../dist/demo/index.js";
import { Codec, Frame, LiveStream } from "../../../dist/live/index.js";
import { DecodingLoad, NativeCodec } from "../../../dist/picture/index.js";
import { WHOLE_PICTURE } from "../../../dist/recording/index.js";
import { MotionDetector } from "../../../dist/recording/motion/motion-detector.js";

const { values } = parseArgs({ options: { json: { type: "boolean" }, seconds: { type: "string" } } });
const systemClock = new SystemClock();
const SECONDS = Number(values.seconds ?? 20);
const CAMERAS = 16;
const PICTURES_PER_SECOND = 5;
const SIZE = { width: 640, height: 360 };

/** The street as a sub-stream of so many frames a second, of which a key frame comes every two seconds. */
function subStream(framesPerSecond, encoder) {
  const directory = mkdtempSync(join(tmpdir(), "nvrd-bench-motion-"));
  const file = new URL("../../../src/demo/clips/street.h264", import.meta.url).pathname;
  try {
    const small = join(directory, "small.h264");
    const input = ["-v", "error", "-r", "10", "-f", "h264", "-i", file];
    const filter = ["-vf", `scale=${SIZE.width}:${SIZE.height},fps=${framesPerSecond}`];
    const keys = [
      "-g",
      `${2 * framesPerSecond}`,
      "-keyint_min",
      `${2 * framesPerSecond}`,
      "-sc_threshold",
      "0",
    ];
    const rate = ["-c:v", "libx264", "-preset", "veryfast", "-b:v", "384k", ...encoder, ...keys];
    execFileSync("ffmpeg", [...input, "-t", "20", ...filter, ...rate, "-f", "h264", small]);
    return parseClip({ name: "small", codec: Codec.H264, framesPerSecond, ...SIZE }, readFileSync(small));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function open(codec, load, index) {
  const number = `${index}`.padStart(12, "0");
  const stream = new LiveStream({
    channelId: `22222222-0000-4000-8000-${number}`,
    streamType: "Alternative",
  });
  const counts = { found: 0, blind: 0 };
  const detector = new MotionDetector({
    ...{ stream, codec, load, clock: systemClock, log: createLog({ level: "silent" }) },
    detection: { zones: [WHOLE_PICTURE], picturesPerSecond: PICTURES_PER_SECOND, rotation: 0 },
    listener: {
      onMotion: () => (counts.found += 1),
      onQuiet: () => undefined,
      onBlind: () => (counts.blind += 1),
    },
  });
  stream.setState({ state: "active" });
  return { stream, detector, counts };
}

/** Sends each frame when it is due, to all cameras; resolves with the CPU of SECONDS, after the first GOP. */
async function watched(clip) {
  const { units, initialization, framesPerSecond } = clip;
  const format = { codec: Codec.H264, ...SIZE, initialization };
  const codec = new NativeCodec();
  const load = new DecodingLoad({ threads: () => codec.load.threads, shareMax: 0.5 });
  const cameras = Array.from({ length: CAMERAS }, (_, index) => open(codec, load, index));
  const startUs = systemClock.nowUs();
  const periodUs = 1_000_000 / framesPerSecond;
  let before;
  const settled = 2 * framesPerSecond;
  const count = settled + SECONDS * framesPerSecond;
  for (let index = 0; index < count; index += 1) {
    if (index === settled) before = { cpu: process.cpuUsage(), main: performance.eventLoopUtilization() };
    const { bytes, key } = units[index % units.length];
    const decodeTimeUs = Math.round(startUs + index * periodUs);
    for (const { stream } of cameras) {
      const frame = new Frame({
        ...{ format, decodeTimeUs, presentationOffsetUs: 0, key, damaged: false, undecodable: false },
        ...{ discontinuity: false, ranges: [{ slab: undefined, bytes }] },
      });
      stream.publish(frame);
    }
    const waitMs = (startUs + (index + 1) * periodUs - systemClock.nowUs()) / 1000;
    await setTimeout(Math.max(0, waitMs));
  }
  const { user, system } = process.cpuUsage(before.cpu);
  const main = performance.eventLoopUtilization(before.main);
  const found = cameras.reduce((sum, { counts }) => sum + counts.found, 0);
  const skipped = cameras.reduce((sum, { detector }) => sum + detector.skipped, 0);
  for (const { detector } of cameras) detector.stop();
  return { share: (user + system) / 1e6 / SECONDS, mainShare: main.active / 1000 / SECONDS, found, skipped };
}

const report = {
  cameras: CAMERAS,
  seconds: SECONDS,
  five: await watched(subStream(5, ["-bf", "0"])),
  fifteen: await watched(subStream(15, ["-bf", "0"])),
};
console.log(JSON.stringify(report, null, values.json ? 0 : 2));
