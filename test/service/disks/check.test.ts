import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LmdbSegmentIndex } from "../../../src/archive/index/lmdb-segment-index.js";
import type { CheckReport } from "../../../src/archive/repair/check-report.js";
import { SystemClock } from "../../../src/base/time/clock.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { commandInProcess } from "../../support/service/command-in-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, type Fragment, pause, Service } from "../../support/service/service.js";

const CAMERAS = 2;
/** Longer than a segment, so that each run closes one. */
const RUN_US = 6_500_000;
const TIMEOUT_MS = 60_000;
const SEGMENTS_MAX = 10_000;
/** A kill leaves the control socket behind, which cannot be copied. */
const COPY = { recursive: true, filter: (source: string) => !source.endsWith(".sock") };

let directory: TemporaryDirectory;
/** Data of a service that was killed, then closed in order: several fragments a camera. */
let recorded = "";
/** The same, killed: its newest segments are still open. */
let killed = "";
let channelIds: string[] = [];
let fragments: Fragment[][] = [];
let firstLog = "";
let copies = 0;

beforeAll(async () => {
  directory = new TemporaryDirectory("check");
  recorded = directory.join("recorded");
  killed = directory.join("killed");
  const settings = { segmentSeconds: 5 };
  const source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  const first = await Service.start({ dataDir: recorded, settings });
  channelIds = await first.addCameras(
    Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) })),
  );
  await first.recorded(channelIds, RUN_US);
  firstLog = first.log;
  await first.kill();
  cpSync(recorded, killed, COPY);
  const secondUs = Date.now() * 1000;
  const second = await Service.start({ dataDir: recorded, settings });
  await second.recorded(channelIds, RUN_US, undefined, secondUs);
  await second.stop();
  await source.stop();
  fragments = await fragmentsOf(recorded, (all) => all.every(({ length }) => length >= 2));
});

afterAll(() => directory?.remove());

/** The data to do harm to. */
function copyOf(dataDir: string): string {
  copies += 1;
  const copy = directory.join(`copy-${copies}`);
  cpSync(dataDir, copy, COPY);
  return copy;
}

/** By the program. */
async function check(dataDir: string, flags: readonly string[] = []) {
  const { exit, text } = await checkOffline(dataDir, flags);
  return found(exit.code, text);
}

/** The same by its function, for the many checks that are not about the program. */
async function checkHere(dataDir: string, flags: readonly string[] = []) {
  const { status, stdout } = await commandInProcess(["check", "--json", "--data", dataDir, ...flags]);
  return found(status, stdout);
}

function found(status: number | null, text: string) {
  const report = text === "" ? undefined : (JSON.parse(text) as CheckReport);
  return { status, kinds: [...new Set(report?.problems.map(({ kind }) => kind))], report };
}

/** What the API says of every camera as soon as `isThere`, or when it has not been for long. */
async function shownBy(
  service: Service,
  isThere: (all: Fragment[][]) => boolean = (all) => isDeepStrictEqual(beforeNow(all), fragments),
): Promise<Fragment[][]> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const all = await Promise.all(channelIds.map((id) => service.fragments(id)));
    if (isThere(all) || performance.now() > deadline) return all;
    await pause(100);
  }
}

/** The same of a service that runs for the question alone: its index opens, or is made again, in the background. */
async function fragmentsOf(dataDir: string, isThere?: (all: Fragment[][]) => boolean): Promise<Fragment[][]> {
  const service = await Service.start({ dataDir });
  const all = await shownBy(service, isThere);
  if (/it is read from the segments/.test(service.log))
    await service.process.waitFor(/the index is complete/);
  await service.stop();
  return all;
}

/** Without what a service that only shows its fragments has recorded itself meanwhile. */
function beforeNow(all: Fragment[][]): Fragment[][] {
  const newestUs = Math.max(...fragments.flat().map(({ toUs }) => toUs));
  return all.map((each) => each.filter(({ fromUs }) => fromUs <= newestUs));
}

/** What `read` finds in the index, which no service has open. */
async function fromIndex<T>(dataDir: string, read: (index: LmdbSegmentIndex) => T): Promise<T> {
  const index = new LmdbSegmentIndex({
    directory: join(dataDir, "index"),
    clock: new SystemClock(),
    log: SILENT_LOG,
  });
  index.start();
  await index.ready();
  const found = read(index);
  await index.stop();
  return found;
}

async function problemsOf(dataDir: string): Promise<string[]> {
  const summaries = await fromIndex(dataDir, (index) => index.oldest(SEGMENTS_MAX));
  return archiveProblems({ volumePaths: [volumeOf(dataDir)], summaries });
}

/** What a service would show of every camera, without starting one. */
function indexedFragments(dataDir: string): Promise<Fragment[][]> {
  return fromIndex(dataDir, (index) => {
    const keys = index.oldest(SEGMENTS_MAX).map(({ key }) => key);
    return channelIds.map((id) => {
      const key = keys.find(({ channelId }) => channelId === id);
      return key === undefined ? [] : index.fragments(key, 0, Number.MAX_SAFE_INTEGER);
    });
  });
}

function volumeOf(dataDir: string): string {
  const name = readdirSync(dataDir).find((entry) => entry.startsWith("volume") && !entry.includes("."));
  if (name === undefined) throw new Error(`no volume in ${dataDir}`);
  return join(dataDir, name);
}

/** Closed segments, oldest first. */
function segmentsOf(dataDir: string): string[] {
  const volume = volumeOf(dataDir);
  return readdirSync(volume, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".seg"))
    .map((name) => join(volume, name))
    .sort((a, b) => a.slice(-18).localeCompare(b.slice(-18)));
}

function firstSegment(dataDir: string): string {
  const [first] = segmentsOf(dataDir);
  if (first === undefined) throw new Error(`no segment in ${dataDir}`);
  return first;
}

function flipByte(file: string): void {
  const fd = openSync(file, "r+");
  const byte = Buffer.alloc(1);
  const at = Math.floor(statSync(file).size / 2);
  readSync(fd, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 0xff;
  writeSync(fd, byte, 0, 1, at);
  closeSync(fd);
}

function overwrite(file: string, from: number): void {
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(20_000, 0xa5), 0, 20_000, from);
  closeSync(fd);
}

describe("a first start", () => {
  it("says nothing of an index made again", () => {
    expect(firstLog).not.toMatch(/made again|rebuil|damaged/i);
  });
});

describe("nvrd check of data that is whole", () => {
  it("finds nothing, with every frame read and without", async () => {
    const dataDir = copyOf(recorded);
    expect(await check(dataDir)).toMatchObject({ status: 0, kinds: [] });
    const deep = await checkHere(dataDir, ["--deep"]);
    expect(deep).toMatchObject({ status: 0, kinds: [], report: { deep: true, totalsCompared: true } });
    expect(deep.report?.counts.records).toBe(segmentsOf(dataDir).length);
    expect(await problemsOf(dataDir)).toEqual([]);
  });

  it("takes in what a kill left open", async () => {
    const dataDir = copyOf(killed);
    expect(readdirSync(join(volumeOf(dataDir), "open")).length).toBeGreaterThan(0);
    expect(await checkHere(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
    expect(readdirSync(join(volumeOf(dataDir), "open"))).toEqual([]);
    expect(await problemsOf(dataDir)).toEqual([]);
  });

  it("passes over files that are not segments", async () => {
    const dataDir = copyOf(recorded);
    writeFileSync(join(dirname(firstSegment(dataDir)), "holiday.jpg"), "not ours");
    writeFileSync(join(volumeOf(dataDir), "README"), "not ours");
    mkdirSync(join(volumeOf(dataDir), "streams", "lost+found"));
    expect(await checkHere(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
  });
});

describe("nvrd check of a directory without recordings", () => {
  it("says so and leaves it as it is", async () => {
    const empty = directory.join("empty");
    mkdirSync(empty);
    expect(await check(empty)).toMatchObject({ status: 2, report: undefined });
    expect(readdirSync(empty)).toEqual([]);
  });

  it("does not make a volume where one is missing", async () => {
    const dataDir = copyOf(recorded);
    const volume = volumeOf(dataDir);
    renameSync(volume, `${dataDir}-elsewhere`);
    const seen = await checkHere(dataDir, ["--rebuild"]);
    expect(seen.status).toBe(1);
    expect(seen.kinds).toContain("volume-failed");
    expect(readdirSync(dataDir)).not.toContain("volume");
    renameSync(`${dataDir}-elsewhere`, volume);
    expect(await checkHere(dataDir)).toMatchObject({ status: 0, kinds: [] });
  });
});

/** Harm that a rebuild makes good: the kinds found, and what is lost for good. */
const REPAIRABLE: readonly { name: string; harm: (dataDir: string) => void; kinds: string[] }[] = [
  {
    name: "an index that is gone",
    harm: (dataDir) => rmSync(join(dataDir, "index"), { recursive: true }),
    kinds: ["file-unindexed", "index-lost"],
  },
  {
    name: "an index cut in half",
    harm: (dataDir) => {
      const file = join(dataDir, "index", "data.mdb");
      truncateSync(file, Math.floor(statSync(file).size / 2));
    },
    kinds: ["file-unindexed", "index-lost"],
  },
  {
    name: "an index with foreign bytes",
    harm: (dataDir) => overwrite(join(dataDir, "index", "data.mdb"), 8192),
    kinds: ["file-unindexed", "index-lost"],
  },
  {
    name: "a closed segment that lies in open/",
    harm: (dataDir) => {
      rmSync(join(dataDir, "index"), { recursive: true });
      const file = firstSegment(dataDir);
      renameSync(file, join(volumeOf(dataDir), "open", file.slice(-18)));
    },
    kinds: ["file-unindexed", "index-lost"],
  },
];

describe.each(REPAIRABLE)("nvrd check of $name", ({ harm, kinds }) => {
  it("reports it, repairs it when told to, and every fragment keeps its id", async () => {
    const dataDir = copyOf(recorded);
    harm(dataDir);
    const seen = await checkHere(dataDir);
    expect({ status: seen.status, kinds: seen.kinds.sort() }).toEqual({ status: 1, kinds });
    const repaired = await checkHere(dataDir, ["--rebuild"]);
    expect(repaired.status).toBe(0);
    expect(repaired.report?.counts.repaired).toBe(repaired.report?.counts.problems);
    expect(await checkHere(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
    expect(await problemsOf(dataDir)).toEqual([]);
    expect(await indexedFragments(dataDir)).toEqual(fragments);
  });
});

describe("nvrd check of a segment", () => {
  it("that is gone takes its record out of the index", async () => {
    const dataDir = copyOf(recorded);
    rmSync(firstSegment(dataDir));
    expect(await checkHere(dataDir)).toMatchObject({ status: 1, kinds: ["record-without-file"] });
    expect(await checkHere(dataDir, ["--rebuild"])).toMatchObject({ status: 0 });
    expect(await checkHere(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
    expect(await problemsOf(dataDir)).toEqual([]);
  });

  it("with one flipped byte finds it when every frame is read, and keeps its record", async () => {
    const dataDir = copyOf(recorded);
    flipByte(firstSegment(dataDir));
    expect(await checkHere(dataDir)).toMatchObject({ status: 0, kinds: [] });
    const deep = await checkHere(dataDir, ["--deep", "--rebuild"]);
    expect(deep).toMatchObject({
      status: 1,
      kinds: ["file-unreadable"],
      report: { counts: { problems: 1 } },
    });
    expect(deep.report?.counts.records).toBe(segmentsOf(dataDir).length);
  });
});

describe("nvrd check and a service", () => {
  it("has repaired an index offline, and every fragment of it is shown with its id", async () => {
    const dataDir = copyOf(recorded);
    rmSync(join(dataDir, "index"), { recursive: true });
    expect(await checkHere(dataDir, ["--rebuild"])).toMatchObject({ status: 0 });
    expect(beforeNow(await fragmentsOf(dataDir))).toEqual(fragments);
  });

  it("finds nothing beside its own recording, and repairs what is lost meanwhile", async () => {
    const dataDir = copyOf(recorded);
    const service = await Service.start({ dataDir });
    try {
      await shownBy(service);
      expect(await check(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
      rmSync(firstSegment(dataDir));
      expect(await checkHere(dataDir)).toMatchObject({ status: 1, kinds: ["record-without-file"] });
      expect(await checkHere(dataDir, ["--rebuild"])).toMatchObject({ status: 0 });
      expect(await checkHere(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
    } finally {
      await service.stop();
    }
  });

  it("finds nothing once the service has made a lost index again, ids included", async () => {
    const dataDir = copyOf(recorded);
    rmSync(join(dataDir, "index"), { recursive: true });
    expect(await fragmentsOf(dataDir)).toEqual(fragments);
    expect(await checkHere(dataDir, ["--deep"])).toMatchObject({ status: 0, kinds: [] });
  });
});
