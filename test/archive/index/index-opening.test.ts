import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { createLog } from "../../../src/base/index.js";
import { openLmdb } from "../../../src/kept/lmdb/library.js";
import {
  closedByAnotherVersion,
  openIndex,
  SILENT_LOG,
  scratchDirectory,
} from "../../support/archive/index-harness.js";
import {
  fragmentOf,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { notHere } from "../../support/base/not-here.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";

/** What may lie where the index should be. The index opens, or says why it does not, and takes segments meanwhile. */
const scratch = scratchDirectory();
afterAll(() => scratch.remove());
const VOLUME = volumeOfNumber(1);
const SEGMENTS = fragmentOf(50);
let cases = 0;

function freshDirectory(): string {
  cases += 1;
  const directory = path.join(scratch.path, `case-${cases}`, "index");
  mkdirSync(path.dirname(directory));
  return directory;
}

async function makeIndex(directory = freshDirectory()): Promise<string> {
  const index = await openIndex(directory, { reserveBytes: 0 });
  for (const segment of SEGMENTS) index.add(segment);
  await index.rebuilt([VOLUME]);
  await index.stop();
  return directory;
}

function setAsideIn(directory: string): string[] {
  return readdirSync(path.dirname(directory)).filter((name) => name.includes(".bad-"));
}

const OBSTACLES: readonly {
  readonly name: string;
  readonly put: (directory: string) => void | Promise<void>;
}[] = [
  {
    name: "another program's LMDB",
    put: async (directory) => {
      rmSync(directory, { recursive: true });
      const root = openLmdb<string, string>({ path: directory, noSubdir: false });
      await root.put("somebody", "else");
      await root.close();
    },
  },
  {
    name: "a file",
    put: (directory) => {
      rmSync(directory, { recursive: true });
      writeFileSync(directory, "not a directory");
    },
  },
  {
    name: "a directory with a directory for its file",
    put: (directory) => {
      rmSync(path.join(directory, "data.mdb"));
      mkdirSync(path.join(directory, "data.mdb"));
    },
  },
];

for (const { name, put } of OBSTACLES) {
  test(`${name} in its place is moved aside, and a new index made`, async () => {
    const directory = await makeIndex();
    await put(directory);
    const index = await openIndex(directory);
    expect(index.isWhole(VOLUME)).toBe(false);
    expect(setAsideIn(directory)).toHaveLength(1);
    index.add(segmentOf());
    await index.flush();
    await index.stop();
    const again = await openIndex(directory);
    expect(again.newest(streamOfNumber(1))?.fromUs).toBe(segmentOf().fromUs);
    await again.stop();
  });
}

test.each(["lock.mdb", "unclean-opens"])("a directory in place of %s costs nothing", async (name) => {
  const directory = await makeIndex();
  rmSync(path.join(directory, name), { force: true });
  mkdirSync(path.join(directory, name));
  const index = await openIndex(directory);
  expect(index.isWhole(VOLUME)).toBe(true);
  expect(index.oldest(1000)).toHaveLength(SEGMENTS.length);
  await index.stop();
  expect(statSync(path.join(directory, "lock.mdb")).isFile()).toBe(true);
});

test("a damaged lock file costs nothing", async () => {
  const directory = await makeIndex();
  writeFileSync(path.join(directory, "lock.mdb"), Buffer.alloc(8192, 0xa5));
  const index = await openIndex(directory);
  expect(index.isWhole(VOLUME)).toBe(true);
  expect(index.oldest(1000)).toHaveLength(SEGMENTS.length);
  await index.stop();
});

test("another recorder's index is moved aside; this recorder's is kept, whatever volumes are away", async () => {
  const directory = await makeIndex();
  const own = await openIndex(directory, { knownVolumeIds: () => [volumeOfNumber(2), VOLUME] });
  expect(own.isWhole(VOLUME)).toBe(true);
  await own.stop();
  const foreign = await openIndex(directory, { knownVolumeIds: () => [volumeOfNumber(2)] });
  expect(foreign.streams()).toEqual([]);
  expect(setAsideIn(directory)).toHaveLength(1);
  await foreign.stop();
});

const readsAll = process.getuid?.() === 0 ? "root may read everything" : undefined;
test.skipIf(readsAll !== undefined)(
  `an index that may not be read is moved aside${notHere(readsAll)}`,
  async () => {
    const directory = await makeIndex();
    chmodSync(path.join(directory, "data.mdb"), 0);
    const index = await openIndex(directory);
    expect(setAsideIn(directory)).toHaveLength(1);
    await index.stop();
  },
);

test.each([
  ["an older", 1],
  ["a newer", 99],
])("an index of %s format is made anew", async (_, format) => {
  const directory = await makeIndex();
  const index = await openIndex(directory);
  index.store.tables.meta.put(Buffer.from("format"), Buffer.from([0, 0, 0, format]), index.store.generation);
  await index.stop();
  closedByAnotherVersion(directory);
  const again = await openIndex(directory);
  expect(again.isWhole(VOLUME)).toBe(false);
  expect(setAsideIn(directory)).toHaveLength(1);
  await again.stop();
});

const missing = loopMountMissing("tmpfs");

test.skipIf(missing !== undefined)(
  `on a full disk a good index stays as it is, segments are taken in memory, and it opens once there is room${notHere(missing)}`,
  async () => {
    const disk = mountSmall();
    try {
      const directory = await makeIndex(path.join(disk.mountPoint, "index"));
      rmSync(path.join(directory, "lock.mdb"), { force: true });
      fill(disk.mountPoint);
      const clock = new ManualClock();
      const index = new LmdbSegmentIndex({ directory, clock, log: SILENT_LOG, reserveBytes: 0 });
      index.start();
      await index.opened().catch((error: unknown) => expect(String(error)).toMatch(/cannot be opened/));
      index.add(segmentOf({ stream: 9 }));
      expect(index.newest(streamOfNumber(9))).toBeDefined();
      expect(setAsideIn(directory)).toEqual([]);
      rmSync(path.join(disk.mountPoint, "filler"));
      if (!index.status().ready) clock.advance(10_000);
      await index.ready();
      expect(index.isWhole(VOLUME)).toBe(true);
      expect(index.newest(streamOfNumber(9))).toBeDefined();
      await index.stop();
    } finally {
      disk.remove();
    }
  },
);

test.skipIf(missing !== undefined)(
  `on a full disk no new index is made until there is room, and the old one is not kept beside it without${notHere(missing)}`,
  async () => {
    const disk = mountSmall();
    try {
      const directory = await makeIndex(path.join(disk.mountPoint, "index"));
      writeFileSync(path.join(directory, "data.mdb"), Buffer.alloc(2_000_000, 0x5a));
      fill(disk.mountPoint, 1_500_000);
      const lines: string[] = [];
      const log = createLog({ level: "warn", destination: { write: (line: string) => lines.push(line) } });
      const index = await openIndex(directory, { log, reserveBytes: 500_000 });
      expect(setAsideIn(directory)).toEqual([]);
      expect(lines.join("")).toContain("its disk has no room for two");
      await index.stop();
    } finally {
      disk.remove();
    }
  },
);

function mountSmall(): LoopMount {
  cases += 1;
  const parent = path.join(scratch.path, `case-${cases}`);
  mkdirSync(parent);
  return LoopMount.mount("tmpfs", parent, 8_000_000);
}

/** Fills a disk but for so many bytes. */
function fill(directory: string, leave = 0): void {
  const filler = path.join(directory, "filler");
  const piece = Buffer.alloc(4096);
  const pieces: Buffer[] = [];
  for (;;) {
    try {
      writeFileSync(filler, piece, { flag: "a" });
      pieces.push(piece);
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error) || error.code !== "ENOSPC") throw error;
      break;
    }
  }
  const bytes = readFileSync(filler).length;
  if (leave > 0) writeFileSync(filler, Buffer.alloc(Math.max(0, bytes - leave)));
  expect(existsSync(filler)).toBe(true);
}
