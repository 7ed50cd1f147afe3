import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import { MINUTE_US, START_US, segmentOf, volumeOfNumber } from "../../support/archive/segment-fixtures.js";

const INODES = 80;
/** An eighth of the inodes of a small file system stays free. */
const RESERVED = 10;
const SEGMENT_BYTES = 1000;
const PLENTY_BYTES = 1e12;

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

let index: LmdbSegmentIndex;
let volume: MemoryVolume;
let minutes: number;

beforeEach(async () => {
  index = await openIndex(path.join(scratch.path, expect.getState().currentTestName ?? "index"));
  volume = new MemoryVolume(volumeOfNumber(1), PLENTY_BYTES);
  minutes = 0;
});

afterEach(() => index.stop());

async function record(segments: number): Promise<void> {
  for (let at = 0; at < segments; at++) {
    const fromUs = START_US + minutes * MINUTE_US;
    const segment = segmentOf({ stream: 1, fragment: minutes, sequence: 0, fromUs, bytes: SEGMENT_BYTES });
    index.add({ ...segment, volumeId: volume.id });
    volume.put({ ...segment, volumeId: volume.id });
    minutes += 1;
  }
  await index.flush();
}

function retention() {
  const quota = { reserveBytes: 1_000_000 };
  return makeRetention({ index, volumes: [volume], directory: scratch.path, quota });
}

test("the oldest segments go when inodes run short, whatever bytes are free", async () => {
  volume.inodes = INODES;
  await record(INODES - 2);
  await retention().retention.turn();
  expect(volume.files.size).toBe(INODES - RESERVED);
  const oldestUs = Math.min(...[...volume.files.values()].map(({ fromUs }) => fromUs));
  expect(oldestUs).toBe(START_US + (RESERVED - 2) * MINUTE_US);
});

test("inodes stay free for as many files as come between two turns", async () => {
  volume.inodes = INODES;
  const { retention: keeper } = retention();
  for (let turn = 0; turn < 40; turn++) {
    await record(5);
    expect(volume.files.size).toBeLessThan(INODES - RESERVED + 5);
    await keeper.turn();
  }
  expect(volume.files.size).toBeGreaterThan(INODES / 2);
});

test("a file system that sets no limit on files loses nothing", async () => {
  await record(INODES);
  await retention().retention.turn();
  expect(volume.files.size).toBe(INODES);
});

test("a volume full of others' files is reported as full, with the files that are missing", async () => {
  volume.inodes = RESERVED;
  await record(RESERVED);
  const made = retention();
  volume.failUnlinks = false;
  index.forget([...volume.files.values()], { unlink: false });
  await index.flush();
  await made.retention.turn();
  const full = { kind: "volume-full", directory: "/memory", missingBytes: 0, missingFiles: 1 };
  expect(made.notices).toEqual([full]);
  volume.inodes = 2 * INODES;
  volume.files.clear();
  await made.retention.turn();
  expect(made.notices.slice(1)).toEqual([{ kind: "volume-full-ended", directory: "/memory" }]);
});

test("a disk that refuses files while it counts room loses some of the oldest", async () => {
  await record(INODES);
  const { retention: keeper } = retention();
  await keeper.turn();
  volume.filesRefused = 1;
  await keeper.turn();
  expect(volume.files.size).toBe(INODES - 16);
  await keeper.turn();
  expect(volume.files.size).toBe(INODES - 16);
});

test("a disk that refuses files for ever keeps most of what it has, and is reported as full", async () => {
  await record(2 * INODES);
  const made = retention();
  for (let turn = 1; turn <= 20; turn++) {
    volume.filesRefused = turn;
    await made.retention.turn();
  }
  expect(volume.files.size).toBe(2 * INODES - 5 * 16);
  expect(made.notices).toEqual([expect.objectContaining({ kind: "volume-full" })]);
});
