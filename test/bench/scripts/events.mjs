// Figures of the event log, from one made by the service's own code.
//   npm run build && node test/bench/scripts/events.mjs [--json] [--events 10000000] [--seconds 10] [--directory DIR]
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const { LmdbEventLog, EVENT_TYPE_LIST, EVENT_TYPES } = await import(new URL("event/index.js", dist).href);
const { SystemClock, createLog } = await import(new URL("base/index.js", dist).href);

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    events: { type: "string", default: "10000000" },
    seconds: { type: "string", default: "10" },
    directory: { type: "string" },
  },
});
const EVENTS = Number(options.events);
const RATE_SECONDS = Number(options.seconds);
const RATE_PER_S = 5000;
const CHANNELS = 64;
const START_US = Date.UTC(2026, 0, 1) * 1000;
/** A year's events. */
const STEP_US = Math.floor((365 * 86_400e6) / EVENTS);
const BUILD_BATCH = 10_000;
const QUERIES = 200;
const WANTED_EVENTS = 1000;
/** A busy box: a camera's motion each ten seconds. Simulated for an hour with the real tick. */
const BUSY_PER_S = 6.4;
const BUSY_SECONDS = 3600;
const BUSY_TICK_SECONDS = 2;
const US_PER_S = 1_000_000;

const scratch = mkdtempSync(path.join(options.directory ?? tmpdir(), "nvrd-bench-events-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const keepAlive = setInterval(() => undefined, 1000);
const log = createLog({ level: "warn", destination: process.stderr });

/** The wall and monotonic clock that the bench moves; timers are those of the machine. */
class SteppedClock extends SystemClock {
  us = START_US + 366 * 86_400 * US_PER_S;

  nowUs() {
    return this.us;
  }

  monotonicUs() {
    return this.us;
  }
}

function makeLog(name, settings = {}) {
  return new LmdbEventLog({
    directory: path.join(scratch, name),
    bootId: "00000000-0000-4000-8000-000000000001",
    clock: new SystemClock(),
    log,
    days: 36_500,
    bytesMax: 1e12,
    isClockKnown: () => true,
    flushIntervalMs: 1_000_000_000,
    ...settings,
  });
}

function channel(number) {
  return `00000001-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Three of four are motion; the others are of all types. Every type and channel has some. */
function inputAt(at) {
  const number = (at * 7919) % CHANNELS;
  const isMotion = at % 4 !== 0;
  const type = isMotion ? EVENT_TYPES.motionDetected : EVENT_TYPE_LIST[(at >> 2) % EVENT_TYPE_LIST.length];
  return {
    typeId: type.id,
    timeUs: START_US + at * STEP_US,
    channelId: channel(number),
    channelName: `Camera ${number}`,
    comment: isMotion ? "zone 1" : "",
  };
}

function round(value) {
  return Number(value.toPrecision(3));
}

/** Bytes that LMDB handed to the kernel. */
function writtenBytes() {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))[1]);
}

async function count(events, query) {
  let found = 0;
  for await (const batch of events.search(query)) found += batch.length;
  return found;
}

/** Wall-clock times, and the process's CPU times beside them: on a machine shared with others the former hold their turns too. */
async function percentiles(run) {
  await run(0);
  const wall = [];
  const cpu = [];
  for (let at = 0; at < QUERIES; at++) {
    const before = process.cpuUsage();
    const began = performance.now();
    await run(at);
    wall.push(performance.now() - began);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  const at = (times, share) => round(times.toSorted((a, b) => a - b)[Math.floor(QUERIES * share)]);
  return { p50Ms: at(wall, 0.5), p99Ms: at(wall, 0.99), p50CpuMs: at(cpu, 0.5), p99CpuMs: at(cpu, 0.99) };
}

async function build() {
  const events = makeLog("log");
  await events.start();
  await events.ready();
  const began = performance.now();
  for (let at = 0; at < EVENTS; at += BUILD_BATCH) {
    for (let next = at; next < Math.min(EVENTS, at + BUILD_BATCH); next++) events.raise(inputAt(next));
    await events.flush();
  }
  const perS = EVENTS / ((performance.now() - began) / 1000);
  await events.stop();
  return { perS, bytes: statSync(path.join(scratch, "log", "data.mdb")).size };
}

async function reopen() {
  const events = makeLog("log");
  const began = performance.now();
  await events.start();
  const startMs = performance.now() - began;
  await events.ready();
  return { events, startMs, readyS: (performance.now() - began) / 1000 };
}

const whole = { fromUs: 0, toUs: START_US + EVENTS * STEP_US, limit: WANTED_EVENTS };

async function queries(events) {
  const oneSeries = (at) => ({
    typeIds: new Set([EVENT_TYPES.motionDetected.id]),
    channelIds: new Set([channel(at % CHANNELS)]),
  });
  const run = (query) => percentiles((at) => count(events, { ...whole, fromBegin: false, ...query(at) }));
  return {
    lastOfTypeAndChannel: await run(oneSeries),
    lastOfRareType: await run(() => ({ typeIds: new Set([EVENT_TYPES.login.id]) })),
    lastOfType: await run(() => ({ typeIds: new Set([EVENT_TYPES.motionDetected.id]) })),
    lastOfChannel: await run((at) => ({ channelIds: new Set([channel(at % CHANNELS)]) })),
    lastOfCategory: await run(() => ({ categories: new Set([2]) })),
    lastOfAll: await run(() => ({})),
    inTheMiddle: await run((at) => ({
      ...oneSeries(at),
      fromUs: START_US + Math.floor(EVENTS / 2) * STEP_US,
      fromBegin: true,
    })),
  };
}

/** 5,000 events a second, as written by the machine's own timers; how long raising took, and whether all are found. */
async function rate() {
  const events = makeLog("rate", { flushIntervalMs: 2000 });
  await events.start();
  await events.ready();
  let notified = 0;
  events.onEvent(() => {
    notified += 1;
  });
  const total = RATE_PER_S * RATE_SECONDS;
  const began = performance.now();
  let raised = 0;
  let raisingMs = 0;
  let lagMs = 0;
  let turn = began;
  while (raised < total) {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - turn - 5);
    const due = Math.min(total, Math.floor(((now - began) / 1000) * RATE_PER_S));
    while (raised < due) events.raise(inputAt(raised++));
    turn = performance.now();
    raisingMs += turn - now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await events.flush();
  const { droppedEvents } = events.status();
  const found = await count(events, {
    ...whole,
    toUs: Number.MAX_SAFE_INTEGER,
    limit: 1_000_000,
    fromBegin: true,
  });
  await events.stop();
  return {
    lost: total - Math.min(found, notified),
    dropped: droppedEvents,
    raiseUs: (raisingMs * 1000) / total,
    lagMs,
  };
}

/** Bytes written a day by a busy box, on simulated time. */
async function writtenADay() {
  const clock = new SteppedClock();
  const events = makeLog("busy", { clock });
  await events.start();
  await events.ready();
  const before = writtenBytes();
  let raised = 0;
  for (let second = 0; second < BUSY_SECONDS; second += BUSY_TICK_SECONDS) {
    clock.us += BUSY_TICK_SECONDS * US_PER_S;
    while (raised < second * BUSY_PER_S) events.raise({ ...inputAt(raised++), timeUs: clock.us });
    await events.flush();
  }
  const bytes = writtenBytes() - before;
  await events.stop();
  return bytes * (86_400 / BUSY_SECONDS);
}

const built = await build();
const { events, startMs, readyS } = await reopen();
const searches = await queries(events);
await events.stop();
const rated = await rate();
const dayBytes = await writtenADay();
clearInterval(keepAlive);

const figures = {
  events: EVENTS,
  addedPerS: Math.round(built.perS),
  fileBytes: built.bytes,
  bytesAnEvent: round(built.bytes / EVENTS),
  startReturnsMs: round(startMs),
  walkedAndOpenS: round(readyS),
  ...searches,
  ratePerS: RATE_PER_S,
  lostAtRate: rated.lost,
  droppedAtRate: rated.dropped,
  raiseUs: round(rated.raiseUs),
  loopLagMsMax: round(rated.lagMs),
  busyPerS: BUSY_PER_S,
  bytesWrittenPerDay: Math.round(dayBytes),
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
if (options.json) process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
else
  for (const [name, value] of Object.entries(figures))
    process.stdout.write(`${name.padEnd(26)} ${typeof value === "object" ? JSON.stringify(value) : value}\n`);
