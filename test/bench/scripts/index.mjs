// Figures of the archive's index, from an index made by the service's own code on simulated time.
//   npm run build && node test/bench/scripts/index.mjs [--json] [--days 30] [--streams 64] [--turns 12] [--directory DIR [--device loop0]]
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const { LmdbSegmentIndex, rebuildIndex, Retention } = await import(new URL("archive/index.js", dist).href);
const { SystemClock, createLog } = await import(new URL("base/index.js", dist).href);

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    days: { type: "string", default: "30" },
    streams: { type: "string", default: "64" },
    turns: { type: "string", default: "12" },
    directory: { type: "string" },
    device: { type: "string" },
  },
});
const DAYS = Number(options.days);
const STREAMS = Number(options.streams);
const FRAMES_A_SECOND = 25;
const MINUTE_US = 60_000_000;
const MINUTES_A_DAY = 1440;
const START_US = Date.UTC(2026, 0, 1) * 1000;
/** Every fourth stream records on motion: ten minutes, then half a minute's gap. The others have a gap every six hours. */
const MOTION_MINUTES = 10;
const STEADY_MINUTES = 360;
const QUERIES = 2000;
const WRITE_MINUTES = 60;
const TICKS_A_MINUTE = 6;
const REBUILD_SEGMENTS = 50_000;
/** Retention removes this many segments of the full index, on two volumes; then an index of six hours is rolled over. */
const RETIRED_SEGMENTS = 20_000;
const ROLL_MINUTES_HELD = 360;
const ROLL_TURNS = Number(options.turns);
const SEGMENT_BYTES = 30_000_000;
const BUILD_BATCH = 4000;

const scratch = mkdtempSync(path.join(options.directory ?? tmpdir(), "nvrd-bench-index-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const keepAlive = setInterval(() => undefined, 1000);
const log = createLog({ level: "warn", destination: process.stderr });

function guid(kind, number) {
  return `0000000${kind}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

function keyOf(stream) {
  return { channelId: guid(1, stream), streamType: "Main" };
}

/** The segment that a stream begins in a minute of the archive. Streams begin their segments at different seconds. */
function segmentAt(minute, stream) {
  const period = stream % 4 === 0 ? MOTION_MINUTES : STEADY_MINUTES;
  const fragment = Math.floor(minute / period);
  const sequence = minute % period;
  const gapUs = sequence === 0 ? 30_000_000 : 0;
  const offsetUs = Math.floor((stream / STREAMS) * MINUTE_US) + 137;
  const fromUs = START_US + minute * MINUTE_US + offsetUs + gapUs;
  const toUs = START_US + (minute + 1) * MINUTE_US + offsetUs;
  const gops = [];
  for (let timeUs = fromUs; timeUs < toUs; timeUs += 1_000_000) {
    const wobble = (gops.length * 7919 + minute * 31) % 4000;
    gops.push({
      decodeTimeUs: timeUs + (gops.length === 0 ? 0 : wobble),
      offset: 300 + gops.length * 500_000 + wobble,
      frames: 25,
      damaged: false,
    });
  }
  return {
    volumeId: guid(3, 1 + (stream % 2)),
    segmentId: fromUs + stream,
    key: keyOf(stream),
    fragmentId: guid(4, fragment * 1000 + stream),
    fragmentSequence: sequence,
    epoch: 0,
    bootId: guid(2, 1),
    fromUs,
    toUs,
    bytes: SEGMENT_BYTES,
    videoFrames: gops.length * FRAMES_A_SECOND,
    audioFrames: 0,
    gops,
  };
}

function makeIndex(name) {
  return new LmdbSegmentIndex({
    directory: path.join(scratch, name),
    clock: new SystemClock(),
    log,
    commitIntervalMs: 1_000_000_000,
  });
}

function seconds(since) {
  return (performance.now() - since) / 1000;
}

/** After one round to warm up: wall-clock times, and the process's CPU times beside them: on a machine shared with others the former hold their turns too. */
function percentiles(run) {
  for (let at = 0; at < QUERIES; at++) run(at);
  const wall = new Float64Array(QUERIES);
  const cpu = new Float64Array(QUERIES);
  for (let at = 0; at < QUERIES; at++) {
    const before = process.cpuUsage();
    const began = performance.now();
    run(at);
    wall[at] = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    cpu[at] = (user + system) / 1000;
  }
  const p99 = Math.floor(QUERIES * 0.99);
  wall.sort();
  cpu.sort();
  return { p50Ms: round(wall[QUERIES >> 1]), p99Ms: round(wall[p99]), p99CpuMs: round(cpu[p99]) };
}

function round(value) {
  return Number(value.toPrecision(3));
}

/**
 * Bytes that LMDB handed to the kernel (it writes with pwrite, whole pages), and what the kernel accounts as dirtied.
 * The latter counts whole folios, many times the pages on a file system with large ones; the device gets the former
 * and the journal's blocks. With --device the device's own count is read.
 */
function written() {
  const io = readFileSync("/proc/self/io", "latin1");
  const device =
    options.device === undefined ? 0 : readFileSync(`/sys/block/${options.device}/stat`, "latin1");
  return {
    pages: Number(/^wchar: (\d+)$/m.exec(io)[1]),
    dirtied: Number(/^write_bytes: (\d+)$/m.exec(io)[1]),
    device: device === 0 ? 0 : Number(device.trim().split(/\s+/)[6]) * 512,
  };
}

function random(limit) {
  return Math.floor(Math.random() * limit);
}

/** Retention over volumes whose files cost nothing to unlink: what index and queue cost, and how long others wait. */
async function retire(full) {
  const volumes = [1, 2].map((number) => volumeThatUnlinks(guid(3, number)));
  const removeBytes = (RETIRED_SEGMENTS / volumes.length) * SEGMENT_BYTES;
  const quotas = new Map(volumes.map(({ id }) => [id, full.volumeBytes(id) - removeBytes]));
  // Channels that are kept must be passed by.
  const days = { nowUs: START_US, isKnown: true, minDays: 1 };
  const retention = retentionOf(full, volumes, ({ id }) => quotas.get(id), days);
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const since = performance.now();
  await retention.turn();
  lag.disable();
  const unlinked = volumes.reduce((sum, volume) => sum + volume.unlinks, 0);
  return { perS: Math.round(unlinked / seconds(since)), longestStallMs: round(lag.max / 1e6) };
}

function volumeThatUnlinks(id) {
  return {
    id,
    directory: "/none",
    unlinks: 0,
    async unlink() {
      this.unlinks += 1;
    },
    space: async () => ({ totalBytes: 1, freeBytes: 1 }),
  };
}

function retentionOf(of, volumes, quotaBytesOf, { minDays, ...days }) {
  return new Retention({
    index: of,
    volumes: () => volumes,
    quotaOf: (volume) => ({ quotaBytes: quotaBytesOf(volume) }),
    daysOf: (channelId) => ({ minDays: channelId.endsWith("8") ? minDays : 0, maxDays: 0 }),
    protectedUntil: () => undefined,
    days: { tick: () => undefined, start: () => undefined, stop: async () => undefined, ...days },
    notice: () => undefined,
    clock: new SystemClock(),
    log,
  });
}

/** Records a capacity of six hours many times over; answers the index file's bytes after each turn of it. */
async function roll() {
  const rolling = makeIndex("rolling");
  rolling.start();
  await rolling.ready();
  const volumes = [1, 2].map((number) => volumeThatUnlinks(guid(3, number)));
  const quotaBytes = (ROLL_MINUTES_HELD * STREAMS * SEGMENT_BYTES) / 2;
  const days = { nowUs: START_US, isKnown: true, minDays: 0 };
  const retention = retentionOf(rolling, volumes, () => quotaBytes, days);
  const sizes = [];
  for (let minute = 0; minute < ROLL_TURNS * ROLL_MINUTES_HELD; minute++) {
    for (let stream = 1; stream <= STREAMS; stream++) rolling.add(segmentAt(minute, stream));
    days.nowUs = START_US + minute * MINUTE_US;
    if (minute % 10 === 9) {
      await rolling.flush();
      await retention.turn();
    }
    if (minute % ROLL_MINUTES_HELD === ROLL_MINUTES_HELD - 1)
      sizes.push(statSync(path.join(scratch, "rolling", "data.mdb")).size);
  }
  await rolling.stop();
  return sizes;
}

const minutes = DAYS * MINUTES_A_DAY;
const index = makeIndex("index");
index.start();
await index.ready();

let began = performance.now();
for (let minute = 0; minute < minutes; minute++) {
  for (let stream = 1; stream <= STREAMS; stream++) index.add(segmentAt(minute, stream));
  if (minute % Math.max(1, Math.floor(BUILD_BATCH / STREAMS)) === 0) await index.flush();
}
await index.flush();
const segments = minutes * STREAMS;
const buildS = seconds(began);

/** What the machine itself does to a measurement: a loop that allocates nothing and takes some 50 µs. */
let spun = 0;
const machineNoise = percentiles(() => {
  for (let at = 0; at < 50_000; at++) spun = (spun + at) | 0;
});
const spanUs = minutes * MINUTE_US;
let found = 0;
const fragments = percentiles(() => {
  found += index.fragments(keyOf(1 + random(STREAMS)), START_US, START_US + spanUs).length;
});
const dayFragments = percentiles(() => {
  const fromUs = START_US + random(spanUs);
  index.fragments(keyOf(1 + random(STREAMS)), fromUs, fromUs + MINUTES_A_DAY * MINUTE_US);
});
const nearest = percentiles(() =>
  index.nearestKeyFrameUs(keyOf(1 + random(STREAMS)), START_US + random(spanUs)),
);
const seek = percentiles(() => index.seek(keyOf(1 + random(STREAMS)), START_US + random(spanUs)));

// Simulated recording at full rate on the full index: each tick commits what closed in it; each minute's oldest go.
const before = written();
for (let minute = minutes; minute < minutes + WRITE_MINUTES; minute++) {
  for (let tick = 0; tick < TICKS_A_MINUTE; tick++) {
    for (let stream = 1; stream <= STREAMS; stream++) {
      if (Math.floor(((stream - 1) / STREAMS) * TICKS_A_MINUTE) === tick)
        index.add(segmentAt(minute, stream));
    }
    await index.flush();
  }
  await index.remove(index.oldest(STREAMS));
  index.unlinked(index.pendingUnlinks());
}
const after = written();
const ofDay = (member) => Math.round((after[member] - before[member]) * (MINUTES_A_DAY / WRITE_MINUTES));
const retired = await retire(index);
await index.stop();
const fileBytes = statSync(path.join(scratch, "index", "data.mdb")).size;

const reopened = makeIndex("index");
began = performance.now();
reopened.start();
const startMs = performance.now() - began;
reopened.add(segmentAt(minutes + WRITE_MINUTES, 1));
await reopened.ready();
const readyS = seconds(began);
await reopened.stop();

const files = Array.from({ length: REBUILD_SEGMENTS }, (_, at) =>
  segmentAt(Math.floor(at / STREAMS), 1 + (at % STREAMS)),
);
const byId = new Map(files.map((file) => [file.segmentId, file]));
const volume = {
  id: guid(3, 1),
  async *listSegments() {
    for (let at = 0; at < files.length; at += 1000)
      yield { files: files.slice(at, at + 1000), strays: [], share: at / files.length };
  },
  readSummaries: async (some) =>
    some.map((file) => ({ file, summary: byId.get(file.segmentId), closed: true })),
};
const rebuilt = makeIndex("rebuilt");
rebuilt.start();
await rebuilt.ready();
began = performance.now();
await rebuildIndex({ index: rebuilt, volumes: [volume], log });
const rebuildS = seconds(began);
await rebuilt.stop();
const rollSizes = await roll();
clearInterval(keepAlive);

const figures = {
  streams: STREAMS,
  days: DAYS,
  segments,
  fragmentsPerQuery: round(found / (2 * QUERIES)),
  indexBytes: fileBytes,
  indexBytesPerSegment: round(fileBytes / segments),
  indexBytesPerFrame: round(fileBytes / (segments * 60 * FRAMES_A_SECOND)),
  fragmentsOverAllDays: fragments,
  fragmentsOverOneDay: dayFragments,
  nearestKeyFrame: nearest,
  seek,
  machineNoise,
  startReturnsMs: round(startMs),
  walkedAndOpenS: round(readyS),
  indexBytesWrittenPerDay: ofDay("pages"),
  accountedBytesPerDay: ofDay("dirtied"),
  ...(options.device === undefined ? {} : { deviceBytesPerDay: ofDay("device") }),
  addedPerS: Math.round(segments / buildS),
  retiredPerS: retired.perS,
  recordedPerS: round(STREAMS / 60),
  longestStallWhileRetiringMs: retired.longestStallMs,
  rollingTurns: ROLL_TURNS,
  rollingSizes: rollSizes,
  rollingGrowth: round(rollSizes.at(-1) / rollSizes[1]),
  rebuiltPerS: Math.round(REBUILD_SEGMENTS / rebuildS),
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
const WANTED = [
  ["bytes a frame", figures.indexBytesPerFrame, 4],
  ["fragments, all days, p99 ms", fragments.p99Ms, 10],
  ["nearest key frame, p99 ms", nearest.p99Ms, 1],
  [`growth of the index from turn 2 to ${ROLL_TURNS}`, figures.rollingGrowth, 1.5],
  ["index bytes written a day", figures.indexBytesWrittenPerDay, 2e9],
];
if (options.json) {
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
} else {
  for (const [name, value] of Object.entries(figures)) {
    process.stdout.write(`${name.padEnd(26)} ${typeof value === "object" ? JSON.stringify(value) : value}\n`);
  }
  for (const [name, value, limit] of WANTED) {
    process.stdout.write(
      `${(value <= limit ? "kept" : "MISSED").padEnd(7)} ${name}: ${value} (at most ${limit})\n`,
    );
  }
}
