// How long /api/timeline takes for a month of 16 channels, over an index and an event log made by the service's own code:
// from the parsed request to the bytes of the answer.
//   npm run build && node test/bench/scripts/timeline.mjs [--json] [--requests 300]
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const load = (file) => import(new URL(file, dist).href);
const { LmdbSegmentIndex } = await load("archive/index.js");
const { AllSegments } = await load("archive/read/all-segments.js");
const { ArchiveQueries } = await load("archive/read/archive-queries.js");
const { LmdbEventLog, EVENT_TYPES } = await load("event/index.js");
const { SystemClock, createLog } = await load("base/index.js");
const { GapReasons, Timelines, TIMELINE_ROUTES } = await load("owner/timeline/index.js");
const { Query } = await load("http/index.js");

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, requests: { type: "string", default: "300" } },
});
const REQUESTS = Number(options.requests);
const CHANNELS = 16;
const DAYS = 30;
const STEPS = 2000;
const S = 1_000_000;
const MINUTE = 60 * S;
const DAY = 86_400 * S;
/** Half of the channels are recorded on motion, so many times a day; the others always. */
const EPISODES_A_DAY = 200;
const EPISODE = 30 * S;
const SEGMENT = 10 * MINUTE;
const LOSSES_A_DAY = 2;
const COMMIT_EVERY = 4000;
const NEVER_MS = 1_000_000_000;

const scratch = mkdtempSync(path.join(tmpdir(), "nvrd-bench-timeline-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const keepAlive = setInterval(() => undefined, 1000);
const log = createLog({ level: "warn", destination: process.stderr });
const clock = new SystemClock();
const endUs = Math.floor(Date.now() / 1000) * S;

const index = new LmdbSegmentIndex({
  directory: path.join(scratch, "index"),
  clock,
  log,
  commitIntervalMs: NEVER_MS,
});
index.start();
await index.ready();
const bootId = "00000000-0000-4000-8000-000000000001";
const events = new LmdbEventLog({
  ...{ directory: path.join(scratch, "events"), bootId, clock, log },
  ...{ days: 36_500, bytesMax: 1e12, isClockKnown: () => true },
});
await events.start();
await events.ready();

const guid = (number, kind) =>
  `${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
const isOnMotion = (channel) => channel < CHANNELS / 2;
let segments = 0;
let raised = 0;

async function record(channel, fromUs, toUs, fragment) {
  const gops = [];
  for (let timeUs = fromUs; timeUs < toUs; timeUs += 10 * S)
    gops.push({ decodeTimeUs: timeUs, offset: 256 + gops.length * 5_000_000, frames: 250, damaged: false });
  index.add({
    ...{
      volumeId: guid(1, 3),
      segmentId: fromUs + channel,
      key: { channelId: guid(channel, 1), streamType: "Main" },
    },
    ...{ fragmentId: guid(fragment, 4), fragmentSequence: 0, epoch: 0, bootId, fromUs, toUs },
    ...{ bytes: 300_000_000, videoFrames: gops.length * 250, audioFrames: channel % 2, gops },
  });
  segments += 1;
  if (segments % COMMIT_EVERY === 0) await index.flush();
}

async function raise(name, channel, timeUs, comment = "") {
  events.raise({ typeId: EVENT_TYPES[name].id, channelId: guid(channel, 1), timeUs, comment });
  raised += 1;
  if (raised % COMMIT_EVERY === 0) await events.flush();
}

/** More motion by day than by night. */
async function motionDay(channel, dayUs, fragment) {
  for (let at = 0; at < EPISODES_A_DAY; at++) {
    const fromUs = Math.round(dayUs + DAY * (0.25 + (0.5 * at) / EPISODES_A_DAY));
    await record(channel, fromUs, fromUs + EPISODE, fragment + at);
    await raise("motionDetected", channel, fromUs);
    await raise("recordingStarted", channel, fromUs, "motion");
    await raise("recordingStopped", channel, fromUs + EPISODE, "motion ended");
  }
}

async function wholeDay(channel, dayUs, fragment) {
  let run = fragment;
  const everyUs = DAY / LOSSES_A_DAY;
  for (let fromUs = dayUs; fromUs < dayUs + DAY; fromUs += SEGMENT) {
    const isLost = (fromUs - dayUs) % everyUs === 6 * SEGMENT;
    if (!isLost) await record(channel, fromUs, fromUs + SEGMENT, run);
    else {
      run += 1;
      await raise("cameraLost", channel, fromUs + 5 * S, "Main: no route to host");
      await raise("cameraBack", channel, fromUs + SEGMENT + 5 * S, "Main: connected");
    }
  }
  for (let at = 0; at < EPISODES_A_DAY / 2; at++)
    await raise("motionDetected", channel, dayUs + Math.round((DAY * at * 2) / EPISODES_A_DAY));
}

for (let channel = 0; channel < CHANNELS; channel++)
  for (let day = DAYS; day > 0; day--) {
    const fill = isOnMotion(channel) ? motionDay : wholeDay;
    await fill(channel, endUs - day * DAY, channel * 1_000_000 + day * 1000);
  }
await index.flush();
await events.flush();

const all = new AllSegments(index);
const queries = new ArchiveQueries(all);
const archive = {
  fragments: (key, fromUs, toUs) => queries.fragments(key, fromUs, toUs),
  nearestFrameUs: (key, timeUs) => queries.nearestFrameUs(key, timeUs),
  hasSoundAt: (key, timeUs) => queries.hasSoundAt(key, timeUs),
  awayOnly: (key, fromUs, toUs) => all.awayOnly(queries.streams(key), fromUs, toUs),
  keyFramesOnly: (key, fromUs, toUs) => all.keyFramesOnly(queries.streams(key), fromUs, toUs),
  keptDay: (key, day) => index.keptDay(key, day),
  keepDay: (key, day, recorded) => index.keepDay(key, day, recorded),
  onChange: (listener) => index.onChange(listener),
  indexFault: () => undefined,
};
const cameras = Array.from({ length: CHANNELS }, (_, channel) => ({
  ...{ id: guid(channel, 1), name: `Camera ${channel}`, disabled: false },
  connection: { streams: { Main: { enabled: true, roles: ["Archive"] } } },
  archive: { archivingDisabled: false, archivingMode: isOnMotion(channel) ? "MDandManual" : "AlwaysOn" },
}));
const site = { current: { revision: 1, cameras } };
const reasons = new GapReasons({
  ...{ events, site, archive, clock },
  deletedTimes: () => [],
  isRecording: () => true,
});
const protection = { ranges: () => [] };
const timelines = new Timelines({ archive, protection, events, reasons, clock });
const principal = {
  user: { id: guid(1, 6), name: "root" },
  group: { seniorAdministrators: true, realtimeChannels: "all", archiveChannels: "all", rights: {} },
  ...{ mayWatchRealtime: () => true, mayWatchArchive: () => true, maySee: () => true },
};
const { endpoint } = TIMELINE_ROUTES.find(({ path: route }) => route === "/api/timeline");
const from = (endUs - DAYS * DAY) / 1000;
const ids = cameras.map(({ id }) => id).join();
const text = `channels=${ids}&from=${from}&to=${endUs / 1000}&steps=${STEPS}`;

async function ask() {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const request = { query: new Query(text) };
  const { body } = await endpoint({
    needs: { site, archive, protection, events, timelines, clock },
    request,
    principal,
  });
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - startedMs, cpuMs: (user + system) / 1000, bytes: body.length };
}

const first = await ask();
const times = [];
for (let at = 0; at < REQUESTS; at++) {
  times.push(await ask());
  await new Promise((resolve) => setImmediate(resolve));
}
const percentile = (values, percent) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * percent) / 100))];
const report = {
  ...{ channels: CHANNELS, days: DAYS, steps: STEPS, segments, events: raised, answerBytes: first.bytes },
  firstMs: first.ms,
  p50Ms: percentile(
    times.map(({ ms }) => ms),
    50,
  ),
  p99Ms: percentile(
    times.map(({ ms }) => ms),
    99,
  ),
  p50CpuMs: percentile(
    times.map(({ cpuMs }) => cpuMs),
    50,
  ),
  p99CpuMs: percentile(
    times.map(({ cpuMs }) => cpuMs),
    99,
  ),
};
if (options.json) console.log(JSON.stringify(report));
else console.table(report);
await events.stop();
await index.stop();
clearInterval(keepAlive);
