// Figures of the search for a text in the event log: the index made, one needle, a word of many, one that is nowhere.
//   npm run build && node test/bench/scripts/event-texts.mjs [--json] [--events 1000000] [--directory DIR]
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const { LmdbEventLog, EVENT_TYPES } = await import(new URL("event/index.js", dist).href);
const { EventTextIndex } = await import(new URL("event/text-index.js", dist).href);
const { SystemClock, createLog } = await import(new URL("base/index.js", dist).href);

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    events: { type: "string", default: "1000000" },
    directory: { type: "string" },
  },
});
const EVENTS = Number(options.events);
const DAYS = 90;
const CHANNELS = 16;
const START_US = Date.UTC(2026, 0, 1) * 1000;
const STEP_US = Math.floor((DAYS * 86_400e6) / EVENTS);
const BATCH = 10_000;
const QUERIES = 20;

const scratch = mkdtempSync(path.join(options.directory ?? tmpdir(), "nvrd-bench-texts-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const log = createLog({ level: "warn", destination: process.stderr });

/** Stands after all events; timers are those of the machine. */
class LateClock extends SystemClock {
  nowUs() {
    return START_US + (DAYS + 1) * 86_400e6;
  }
}
const clock = new LateClock();

const events = new LmdbEventLog({
  ...{ directory: path.join(scratch, "events"), clock, log, days: 36_500, bytesMax: 1e12 },
  bootId: "00000000-0000-4000-8000-000000000001",
  isClockKnown: () => true,
  flushIntervalMs: 1_000_000_000,
});
await events.start();
await events.ready();
const channel = (number) => `00000001-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
for (let at = 0; at < EVENTS; at += 1) {
  const number = (at * 11) % CHANNELS;
  events.raise({
    ...{ typeId: EVENT_TYPES.motionDetected.id, timeUs: START_US + at * STEP_US },
    ...{ channelId: channel(number), channelName: `Camera ${number}` },
    comment: at === 1000 ? "the needle" : `zone ${at % 40}: seen by the recorder, ${at.toString(36)}`,
  });
  if (at % BATCH === BATCH - 1) await events.flush();
}
await events.flush();

const index = new EventTextIndex({
  ...{ path: path.join(scratch, "texts"), clock, log },
  search: (query) => events.search(query),
});
const beganMs = performance.now();
await index.complete();
const indexedMs = Math.round(performance.now() - beganMs);
await index.stop();
// The log's own index is made in the background: what is measured is a log that has it.
while (!existsSync(path.join(scratch, "events-text")))
  await new Promise((resolve) => setTimeout(resolve, 200));

async function timesOf(words, limit = 100) {
  const times = [];
  let found = 0;
  for (let at = 0; at < QUERIES; at += 1) {
    const queryMs = performance.now();
    found = 0;
    const fits = ({ comment }) => comment.includes(words);
    const query = { fromUs: 0, toUs: clock.nowUs(), limit, fromBegin: false, text: { words, fits } };
    for await (const batch of events.search(query)) found += batch.length;
    times.push(performance.now() - queryMs);
  }
  times.sort((one, other) => one - other);
  const of = (part) => Math.round((times[Math.floor(part * (times.length - 1))] ?? 0) * 10) / 10;
  return { p50Ms: of(0.5), maxMs: of(1), found };
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const report = {
  events: EVENTS,
  needle: await timesOf("needle"),
  common: await timesOf("zone 17"),
  nowhere: await timesOf("crocodile"),
  heldMs: Math.round(delay.max / 1e6),
  indexedMs,
  indexBytes: statSync(path.join(scratch, "texts")).size,
};
await events.stop();
console.log(options.json ? JSON.stringify(report) : report);
