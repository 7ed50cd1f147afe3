// Child process for kill and full-disk tests: adds one minute of STREAMS streams a step, commits, and prints each
// durable commit as one line of segment ids.
// argv: dist directory, index directory, first step, number of steps ("0": until killed), retry period in ms.
import { pathToFileURL } from "node:url";

const [dist, directory, first, steps, retryMs] = process.argv.slice(2);
const room = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { LmdbSegmentIndex } = await room("archive/index.js");
const { LmdbGuard } = await room("kept/lmdb/index.js");
const { SystemClock, createLog } = await room("base/index.js");

const STREAMS = 8;
const START_US = Date.UTC(2026, 2, 1) * 1000;
const MINUTE_US = 60_000_000;
const log = createLog({ level: "info", destination: process.stderr });
const guard = new LmdbGuard(log);
guard.start();
const reserveBytes = 0;
const index = new LmdbSegmentIndex({
  directory,
  clock: new SystemClock(),
  log,
  commitIntervalMs: Number(retryMs),
  reserveBytes,
});
index.onCommitted((files) => process.stdout.write(`${files.map((file) => file.segmentId).join(" ")}\n`));
// The clock's timers keep no process alive, and the writer may wait for nothing else.
const keepAlive = setInterval(() => undefined, 1000);
index.start();
await index.ready();

function guid(number) {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

function segment(step, stream) {
  const fromUs = START_US + step * MINUTE_US;
  const gops = Array.from({ length: 60 }, (_, at) => ({
    decodeTimeUs: fromUs + at * 1_000_000,
    offset: at * 500_000 + 300,
    frames: 25,
    damaged: false,
  }));
  return {
    volumeId: guid(900),
    segmentId: fromUs + stream,
    key: { channelId: guid(stream), streamType: "Main" },
    // A fragment of ten minutes, so that rows of fragments begin, end and are made in the same commits.
    fragmentId: guid(10_000 * (stream + 1) + Math.floor(step / 10)),
    fragmentSequence: step % 10,
    epoch: 0,
    bootId: guid(901),
    fromUs,
    toUs: fromUs + MINUTE_US,
    bytes: 30_000_000,
    videoFrames: 1500,
    audioFrames: 0,
    gops,
  };
}

const last = Number(steps) === 0 ? Number.POSITIVE_INFINITY : Number(first) + Number(steps);
for (let step = Number(first); step < last; step++) {
  for (let stream = 1; stream <= STREAMS; stream++) index.add(segment(step, stream));
  if (Number(retryMs) > 60_000) await index.flush();
  else await new Promise((resolve) => setTimeout(resolve, 1));
}
await index.flush();
await index.stop();
clearInterval(keepAlive);
process.stdout.write(`end ${guard.commitErrors}\n`);
