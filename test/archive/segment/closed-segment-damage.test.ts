import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  Archive,
  checkArchive,
  type LmdbSegmentIndex,
  rebuildIndex,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { segmentPath } from "../../../src/archive/segment/segment-summary.js";
import { type StreamKey, SystemClock } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  SILENT_LOG,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";
import { openIndex } from "../../support/archive/index-harness.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { PATIENCE_MS } from "../../support/base/patience.js";

/** Damage of closed segments on a real volume: what a check says, and what a rebuild gets back. */
const FRAME_US = 40_000;
const GOP_FRAMES = 5;
const SEGMENT_FRAMES = 25;
const SEGMENTS = 6;
const TRAILER_BYTES = 28;
let directory: { readonly path: string; remove(): void };
let key: StreamKey;
let summaries: SegmentSummary[] = [];
let cases = 0;

interface Opened {
  readonly archive: Archive;
  readonly index: LmdbSegmentIndex;
  readonly volume: string;
}

async function openArchive(root: string): Promise<Opened> {
  const index = await openIndex(join(root, "index"));
  const volume = join(root, "volume");
  const options = { dataDir: root, volumes: [{ path: volume }], index, clock: new SystemClock() };
  const archive = new Archive({
    ...options,
    log: SILENT_LOG,
    segmentSeconds: 1,
    tickMs: 10,
    syncIntervalMs: 30,
    startWaitMs: PATIENCE_MS,
    startThread: threadsOnDisk(REAL_DISK),
  });
  await archive.start();
  return { archive, index, volume };
}

beforeAll(async () => {
  directory = temporaryDirectory();
  const root = join(directory.path, "recorded");
  const { archive, index } = await openArchive(root);
  key = newStreamKey();
  const startUs = Date.now() * 1000 - 60_000_000;
  for (let at = 0; at < SEGMENTS * SEGMENT_FRAMES; at++) {
    const frame = { decodeTimeUs: startUs + at * FRAME_US, key: at % GOP_FRAMES === 0 };
    append(archive.writer(key), { ...frame, bytes: patternBytes(500 + at, at) });
    if (at % SEGMENT_FRAMES === 12) await new Promise((resolve) => setTimeout(resolve, 40));
  }
  await archive.writer(key).end();
  // A segment is closed by its volume's threads, some time after its last frame was handed over.
  while (index.oldest(100).length < SEGMENTS) {
    await index.flush();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await index.rebuilt(archive.volumeAccess().map(({ id }) => id));
  summaries = index.oldest(100);
  await archive.stop();
  await index.stop();
});
afterAll(() => directory.remove());

/** A copy of the recordings, one file of which was harmed. */
function harmed(harm: (file: string, root: string) => void): string {
  cases += 1;
  const root = join(directory.path, `case-${cases}`);
  cpSync(join(directory.path, "recorded"), root, { recursive: true });
  harm(fileOf(root, 2), root);
  return root;
}

function fileOf(root: string, at: number): string {
  const summary = summaries[at];
  if (summary === undefined) throw new Error(`no segment ${at}`);
  return join(root, "volume", segmentPath(summary));
}

async function check({ archive, index }: Opened, options: { deep?: boolean; rebuild?: boolean } = {}) {
  const { deep = false, rebuild = false } = options;
  const volumes = archive.volumeAccess();
  const report = await checkArchive({ index, volumes, deep, rebuild, log: SILENT_LOG });
  return report.problems.map(({ kind, repaired, detail }) => ({ kind, repaired, detail }));
}

const FRAGMENT = () => [
  { id: summaries[0]?.fragmentId, fromUs: summaries[0]?.fromUs, toUs: summaries.at(-1)?.toUs },
];

const FOOTER_HARMS: readonly {
  readonly name: string;
  readonly harm: (file: string, root: string) => void;
}[] = [
  {
    name: "whose trailer is zeroed",
    harm: (file) => {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0, bytes.length - TRAILER_BYTES));
    },
  },
  { name: "that is cut within its trailer", harm: (file) => truncateSync(file, statSync(file).size - 10) },
  {
    name: "whose footer is overwritten",
    harm: (file) => {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xa5, bytes.length - TRAILER_BYTES - 60, bytes.length - TRAILER_BYTES));
    },
  },
  {
    name: "that ends with the footer of another segment",
    harm: (file, root) => {
      const bytes = readFileSync(file);
      const other = readFileSync(fileOf(root, 3));
      writeFileSync(
        file,
        Buffer.concat([bytes.subarray(0, footerOf(bytes)), other.subarray(footerOf(other))]),
      );
    },
  },
  {
    name: "with bytes behind its end",
    harm: (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(5000, 7)])),
  },
];

function footerOf(bytes: Buffer): number {
  return bytes.readUInt32LE(bytes.length - TRAILER_BYTES);
}

describe.each(FOOTER_HARMS)("a segment $name", ({ harm }) => {
  test("is read from its frames by a rebuild: nothing of the fragment is lost", async () => {
    const opened = await openArchive(harmed(harm));
    const index = await openIndex(join(directory.path, `rebuilt-${cases}`));
    const result = await rebuildIndex({ index, volumes: opened.archive.volumeAccess(), log: SILENT_LOG });
    expect(result).toMatchObject({ files: SEGMENTS, indexed: SEGMENTS, unreadable: 0, unclosed: 1 });
    expect(index.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toEqual(FRAGMENT());
    expect(index.oldest(100).map(({ videoFrames }) => videoFrames)).toEqual(
      summaries.map(({ videoFrames }) => videoFrames),
    );
    await index.stop();
    await opened.archive.stop();
    await opened.index.stop();
  });

  test("gets a new footer from check --rebuild, and nothing it held is lost", async () => {
    const opened = await openArchive(harmed(harm));
    expect(await check(opened)).toMatchObject([{ kind: "file-unclosed", repaired: false }]);
    expect(await check(opened, { rebuild: true })).toMatchObject([{ kind: "file-unclosed", repaired: true }]);
    expect(await check(opened, { deep: true })).toEqual([]);
    expect(opened.index.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toEqual(FRAGMENT());
    await opened.archive.stop();
    await opened.index.stop();
  });
});

test("a segment that lost its end keeps what is whole, and its place in the fragment", async () => {
  const opened = await openArchive(harmed((file) => truncateSync(file, Math.floor(statSync(file).size / 2))));
  expect(await check(opened, { rebuild: true })).toMatchObject([{ kind: "file-unclosed", repaired: true }]);
  expect(await check(opened, { deep: true })).toEqual([]);
  expect(opened.index.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toEqual(FRAGMENT());
  const frames = opened.index.oldest(100)[2]?.videoFrames ?? 0;
  expect(frames).toBeGreaterThan(5);
  expect(frames).toBeLessThan(summaries[2]?.videoFrames ?? 0);
  await opened.archive.stop();
  await opened.index.stop();
});

test("a segment whose footer counts other frames than it holds is found when every frame is read", async () => {
  const opened = await openArchive(
    harmed((file) => writeFileSync(file, withOtherCounts(readFileSync(file)))),
  );
  expect((await check(opened)).map(({ kind }) => kind)).toEqual(["record-differs"]);
  const deep = await check(opened, { deep: true });
  expect(deep).toContainEqual({
    kind: "file-unreadable",
    repaired: false,
    detail: "its footer counts other frames than it holds",
  });
  await opened.archive.stop();
  await opened.index.stop();
});

test("a segment of a newer format is refused with a word by check, rebuild and start, and left as it is", async () => {
  const root = harmed((file) => writeFileSync(file, withVersion(readFileSync(file), 2)));
  const open = join(root, "volume", "open", `${"1".padStart(14, "0")}.seg`);
  writeFileSync(open, withVersion(readFileSync(fileOf(root, 3)), 2));
  const opened = await openArchive(root);
  const problems = await check(opened, { rebuild: true });
  expect(problems.map(({ kind }) => kind)).toEqual(["file-newer", "file-newer"]);
  expect(problems.map(({ detail }) => detail).join()).toContain("segment format 2 is newer than 1");
  expect(opened.index.oldest(100)).toHaveLength(SEGMENTS);
  const index = await openIndex(join(directory.path, `rebuilt-${cases}`));
  const result = await rebuildIndex({ index, volumes: opened.archive.volumeAccess(), log: SILENT_LOG });
  expect(result.failures.join()).toContain("segment format 2 is newer than 1");
  await index.stop();
  await opened.archive.stop();
  await opened.index.stop();
  expect(existsSync(open)).toBe(true);
});

test("a segment of format 0, which never was, is damage and says so", async () => {
  const opened = await openArchive(harmed((file) => writeFileSync(file, withVersion(readFileSync(file), 0))));
  const problems = await check(opened);
  expect(problems.map(({ kind }) => kind)).toEqual(["file-unreadable", "record-without-file"]);
  expect(problems[0]?.detail).toBe("segment format 0 does not exist");
  await opened.archive.stop();
  await opened.index.stop();
});

test("a segment in the directory of another day is found and moved back", async () => {
  const root = harmed((file) => {
    const elsewhere = join(dirname(dirname(file)), "2001-01-01", file.slice(-18));
    mkdirSync(dirname(elsewhere));
    renameSync(file, elsewhere);
    writeFileSync(join(dirname(elsewhere), "notes.txt"), "of somebody else");
  });
  const opened = await openArchive(root);
  expect((await check(opened)).map(({ kind }) => kind)).toEqual(["file-misplaced", "record-without-file"]);
  expect(await check(opened, { rebuild: true })).toMatchObject([{ kind: "file-misplaced", repaired: true }]);
  expect(await check(opened, { deep: true })).toEqual([]);
  expect(existsSync(fileOf(root, 2))).toBe(true);
  await opened.archive.stop();
  await opened.index.stop();
});

test("a segment that lies under another one's name is found, and not taken for it", async () => {
  const root = harmed((file, root) => cpSync(fileOf(root, 4), file));
  const opened = await openArchive(root);
  const problems = await check(opened);
  expect(problems.map(({ kind }) => kind)).toEqual(["file-unreadable", "record-without-file"]);
  expect(problems[0]?.detail).toBe(`it holds segment ${summaries[4]?.segmentId}`);
  await opened.archive.stop();
  await opened.index.stop();
});

function withVersion(bytes: Buffer, version: number): Buffer {
  const headerBytes = bytes.readUInt32LE(12);
  bytes.writeUInt32LE(version, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, headerBytes - 4)), headerBytes - 4);
  return bytes;
}

/** The footer says one video frame more; its check sums are right. */
function withOtherCounts(bytes: Buffer): Buffer {
  const footer = footerOf(bytes);
  const seed = crc32(bytes.subarray(16, 32));
  const payload = footer + 28;
  bytes.writeUInt32LE(bytes.readUInt32LE(payload + 32) + 1, payload + 32);
  const header = crc32(bytes.subarray(footer, footer + 24), seed);
  bytes.writeUInt32LE(crc32(bytes.subarray(payload, bytes.length - TRAILER_BYTES), header), footer + 24);
  return bytes;
}
