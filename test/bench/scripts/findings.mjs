// Figures of the findings: searches in many of them, the index made anew from the volumes.
//   npm run build && node test/bench/scripts/findings.mjs [--json] [--findings 1000000] [--directory DIR]
import {
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const { FindingStore, LastingFindings } = await import(new URL("finding/index.js", dist).href);
const { SystemClock, createLog } = await import(new URL("base/index.js", dist).href);

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    findings: { type: "string", default: "1000000" },
    directory: { type: "string" },
  },
});
const FINDINGS = Number(options.findings);
const CHANNELS = 16;
const DAYS = 90;
const START_US = Date.UTC(2026, 0, 1) * 1000;
const STEP_US = Math.floor((DAYS * 86_400e6) / FINDINGS);
const LAST_US = START_US + DAYS * 86_400e6;
const HOUR_US = 3_600e6;
const FLUSHED_FINDINGS = 10_000;
const QUERIES = 20;
const VOLUME = "00000000-0000-4000-8000-0000000000f1";
const KINDS = ["motion", "motion", "motion", "person", "person", "vehicle", "animal", "lineCrossed"];
const ZONES = ["Gate", "Yard", "Path", "Street"];

const scratch = mkdtempSync(path.join(options.directory ?? tmpdir(), "nvrd-bench-findings-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const log = createLog({ level: "warn", destination: process.stderr });

class SteppedClock extends SystemClock {
  us = START_US;

  nowUs() {
    return this.us;
  }
}
const clock = new SteppedClock();

/** Files of a volume, as its thread has them. */
const files = new Map();
const directory = path.join(scratch, "volume");
const fdOf = (name) => {
  const known = files.get(name);
  if (known !== undefined) return known;
  const target = path.join(directory, name);
  mkdirSync(path.dirname(target), { recursive: true });
  const fd = openSync(target, existsSync(target) ? "r+" : "w+");
  files.set(name, fd);
  return fd;
};
const volume = {
  id: VOLUME,
  async listSideFiles(root) {
    const folders = existsSync(path.join(directory, root)) ? readdirSync(path.join(directory, root)) : [];
    return folders.flatMap((folder) =>
      readdirSync(path.join(directory, root, folder)).map((name) => {
        const file = `${root}/${folder}/${name}`;
        return { path: file, bytes: statSync(path.join(directory, file)).size };
      }),
    );
  },
  async readSideFile(name, position, memory) {
    // The answer of a thread is another turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    const bytes = readSync(fdOf(name), new Uint8Array(memory), 0, memory.byteLength, position);
    return { bytes, fileBytes: statSync(path.join(directory, name)).size };
  },
  async appendToSideFile(name, position, bytes) {
    ftruncateSync(fdOf(name), position);
    writeSync(fdOf(name), bytes, 0, bytes.length, position);
  },
  removeSideFile: () => Promise.resolve(),
};

const channel = (number) => `00000001-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
const names = new Map(Array.from({ length: CHANNELS }, (_, at) => [channel(at), `Camera ${at}`]));

function open() {
  const lasting = new LastingFindings(clock);
  const store = new FindingStore({
    ...{ dataDir: scratch, lasting, clock, log },
    volumes: { inUse: () => [volume], knownIds: () => [VOLUME], of: () => VOLUME },
    kept: { recordedSince: () => undefined, isConfigured: () => true },
  });
  store.start();
  return { lasting, store };
}

const everything = {
  ...{ channels: names, kinds: [], labels: [], sources: [], zones: [], fromUs: 0, toUs: START_US * 2 },
  ...{
    sizeMin: 0,
    scoreMin: 0,
    region: undefined,
    text: "",
    plate: "",
    name: "",
    limit: 50,
    before: undefined,
    lines: [],
    direction: undefined,
  },
};

async function fill({ lasting, store }) {
  for (let at = 0; at < FINDINGS; at += 1) {
    clock.us = START_US + at * STEP_US;
    const kind = KINDS[(at * 7) % KINDS.length];
    const id = lasting.begin({
      ...{ channelId: channel((at * 11) % CHANNELS), kind, source: "recorder", atUs: clock.us },
      ...{ label: kind === "vehicle" ? "car" : "", zones: [ZONES[(at * 3) % ZONES.length]] },
      ...{
        box: { left: 0.1, top: 0.2, width: 0.1 + (at % 7) / 10, height: 0.3 },
        score: 0.5 + (at % 50) / 100,
      },
      // One in all.
      text: at === 1000 ? "needle" : "",
    });
    lasting.end(id, clock.us + 5_000_000);
    if (at % FLUSHED_FINDINGS === FLUSHED_FINDINGS - 1) await store.flush();
  }
  await store.flush();
}

/** Times, and processor times beside them: on a machine shared with others the former hold their turns too. */
async function timesOf(store, query) {
  const [times, cpu] = [[], []];
  let found = 0;
  for (let at = 0; at < QUERIES; at += 1) {
    const [beganMs, before] = [performance.now(), process.cpuUsage()];
    found = (await store.search({ ...everything, ...query })).findings.length;
    times.push(performance.now() - beganMs);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  const of = (list, part) =>
    Math.round((list.toSorted((one, other) => one - other)[Math.floor(part * (list.length - 1))] ?? 0) * 10) /
    10;
  return { p50Ms: of(times, 0.5), maxMs: of(times, 1), maxCpuMs: of(cpu, 1), found };
}

const first = open();
await first.store.read();
await fill(first);
await first.store.stop();
rmSync(path.join(scratch, "findings"), { recursive: true });
clock.us += 60_000_000;
const again = open();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const beganMs = performance.now();
await again.store.read();
const rebuildMs = Math.round(performance.now() - beganMs);
await again.store.flush();
const rebuildHeldMs = Math.round(delay.max / 1e6);
delay.reset();
const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size, 0);
const report = {
  findings: FINDINGS,
  newest: await timesOf(again.store, {}),
  words: await timesOf(again.store, { text: "person gate" }),
  rare: await timesOf(again.store, { text: "needle" }),
  large: await timesOf(again.store, { kinds: ["vehicle"], zones: ["Yard"], sizeMin: 0.2 }),
  gate: await timesOf(again.store, {
    ...{ channels: new Map([[channel(12), "Camera 12"]]), kinds: ["person"], zones: ["Gate"], sizeMin: 0.05 },
    ...{ fromUs: LAST_US - 30 * HOUR_US, toUs: LAST_US - 26 * HOUR_US },
  }),
  none: await timesOf(again.store, { kinds: ["person"], zones: ["Yard"], sizeMin: 0.99 }),
  searchHeldMs: Math.round(delay.max / 1e6),
  rebuildMs,
  rebuildHeldMs,
  indexBytes: sizeOf(path.join(scratch, "findings")),
  volumeBytes: sizeOf(directory),
};
await again.store.stop();
console.log(options.json ? JSON.stringify(report) : report);
