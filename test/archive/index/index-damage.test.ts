import { randomBytes } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { LmdbSegmentIndex, rebuildIndex } from "../../../src/archive/index.js";
import { newGuid, readBootId, SystemClock } from "../../../src/base/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import {
  fragmentOf,
  openSegmentOf,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { PATIENCE_MS } from "../../support/base/patience.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
const PAGE_BYTES = 4096;
const SEGMENTS = fragmentOf(300);
let directories = 0;

async function makeIndex(): Promise<{ directory: string; file: string; volume: MemoryVolume }> {
  directories += 1;
  const directory = path.join(scratch.path, `case-${directories}`, "index");
  mkdirSync(path.dirname(directory));
  const index = await openIndex(directory);
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (const segment of SEGMENTS) {
    index.add(segment);
    volume.put(segment);
  }
  await index.rebuilt([volumeOfNumber(1)]);
  await index.stop();
  return { directory, file: path.join(directory, "data.mdb"), volume };
}

function overwrite(file: string, bytes: Uint8Array, position: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

const DAMAGES: readonly { readonly name: string; readonly harm: (file: string) => void }[] = [
  { name: "truncated", harm: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)) },
  { name: "cut inside its first page", harm: (file) => truncateSync(file, 100) },
  { name: "emptied", harm: (file) => truncateSync(file, 0) },
  {
    name: "zeroed in the middle",
    harm: (file) => overwrite(file, Buffer.alloc(8 * PAGE_BYTES), 6 * PAGE_BYTES),
  },
  { name: "zeroed at its head", harm: (file) => overwrite(file, Buffer.alloc(2 * PAGE_BYTES), 0) },
  {
    name: "overwritten with random pages",
    harm: (file) => overwrite(file, randomBytes(10 * PAGE_BYTES), 8 * PAGE_BYTES),
  },
  {
    name: "flipped in single bytes",
    harm: (file) => {
      for (let at = 4 * PAGE_BYTES; at < statSync(file).size; at += 1111)
        overwrite(file, Buffer.of(0x5a), at);
    },
  },
  { name: "no LMDB file", harm: (file) => writeFileSync(file, "not a database at all\n".repeat(5000)) },
  { name: "random from end to end", harm: (file) => writeFileSync(file, randomBytes(50 * PAGE_BYTES)) },
];

for (const { name, harm } of DAMAGES) {
  test(`an index file that is ${name} is moved aside and made anew, ids included`, async () => {
    const { directory, file, volume } = await makeIndex();
    harm(file);
    const index = await openIndex(directory);
    expect(index.isWhole(volumeOfNumber(1))).toBe(false);
    expect(readdirSync(path.dirname(directory)).filter((entry) => entry.includes(".bad-"))).toHaveLength(1);
    await rebuildIndex({ index, volumes: [volume], log: SILENT_LOG });
    await index.rebuilt([volumeOfNumber(1)]);
    expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([
      { id: SEGMENTS[0]?.fragmentId, fromUs: START_US, toUs: SEGMENTS.at(-1)?.toUs },
    ]);
    await index.stop();
    const again = await openIndex(directory);
    expect(again.isWhole(volumeOfNumber(1))).toBe(true);
    await again.stop();
  });
}

test("an index of a newer format is moved aside and made anew: a former version is booted again", async () => {
  const { directory } = await makeIndex();
  const index = await openIndex(directory);
  index.store.tables.meta.put(Buffer.from("format"), Buffer.from([0, 0, 0, 9]), index.store.generation);
  await index.stop();
  const older = new LmdbSegmentIndex({ directory, clock: new SystemClock(), log: SILENT_LOG });
  older.start();
  await older.ready();
  expect(older.isWhole(volumeOfNumber(1))).toBe(false);
  older.add(segmentOf({ stream: 4 }));
  expect(older.newest(streamOfNumber(4))?.fromUs).toBe(START_US);
  await older.stop();
  expect(readdirSync(path.dirname(directory)).toSorted()).toEqual([
    "index",
    expect.stringMatching(/^index\.bad-/),
  ]);
});

test("only the newest bad index is kept", async () => {
  const { directory, file } = await makeIndex();
  for (let round = 0; round < 2; round++) {
    truncateSync(file, PAGE_BYTES);
    const index = await openIndex(directory);
    await index.stop();
  }
  expect(readdirSync(path.dirname(directory))).toHaveLength(2);
});

test("an index after whose opening the service ended again and again is set aside", async () => {
  const { directory } = await makeIndex();
  writeFileSync(path.join(directory, "unclean-opens"), `10 ${readBootId(SILENT_LOG)}\n`);
  const index = await openIndex(directory);
  expect(index.isWhole(volumeOfNumber(1))).toBe(false);
  await index.stop();
});

test("power cuts soon after opening say nothing against an index", async () => {
  const { directory } = await makeIndex();
  writeFileSync(path.join(directory, "unclean-opens"), `10 ${newGuid()}\n`);
  const index = await openIndex(directory);
  expect(index.isWhole(volumeOfNumber(1))).toBe(true);
  await index.stop();
});

test("ends of a service that ran well for a few seconds say nothing against an index", async () => {
  const { directory } = await makeIndex();
  writeFileSync(path.join(directory, "unclean-opens"), `9 ${readBootId(SILENT_LOG)}\n`);
  const index = await openIndex(directory);
  await expect.poll(() => readdirSync(directory), { timeout: PATIENCE_MS }).not.toContain("unclean-opens");
  await index.stop();
});

test("before the index is open, new and open segments are found, and they stay when it is", async () => {
  const { directory } = await makeIndex();
  const index = new LmdbSegmentIndex({ directory, clock: new SystemClock(), log: SILENT_LOG });
  index.start();
  const fromUs = SEGMENTS.at(-1)?.toUs ?? 0;
  index.add(segmentOf({ fragment: 1, sequence: 300, fromUs }));
  index.trackOpen(openSegmentOf({ fragment: 1, sequence: 301, fromUs: fromUs + 60_000_000 }));
  const whole = { id: SEGMENTS[0]?.fragmentId, toUs: fromUs + 120_000_000 };
  expect(index.status().ready).toBe(false);
  expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([{ ...whole, fromUs }]);
  await index.ready();
  expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([
    { ...whole, fromUs: START_US },
  ]);
  await index.stop();
});
