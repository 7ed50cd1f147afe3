import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import {
  type LmdbSegmentIndex,
  PROTECTED_RANGES_MAX,
  Protection,
  type ProtectionRequest,
  rebuildIndex,
} from "../../../src/archive/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import {
  fragmentOf,
  guidOfNumber,
  MINUTE_US,
  START_US,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const SEGMENT_BYTES = 1_000_000;
const SEGMENTS = 60;
const { channelId } = streamOfNumber(1);
let runs = 0;
let dataDir: string;
let index: LmdbSegmentIndex;
let volume: MemoryVolume;
let clock: SimulatedClock;

beforeEach(async () => {
  runs += 1;
  dataDir = path.join(scratch.path, `data-${runs}`);
  mkdirSync(dataDir);
  index = await openIndex(path.join(dataDir, "index"));
  volume = new MemoryVolume(volumeOfNumber(1));
  clock = new SimulatedClock(START_US + 600 * MINUTE_US);
  for (const segment of fragmentOf(SEGMENTS, { bytes: SEGMENT_BYTES })) {
    index.add(segment);
    volume.put(segment);
  }
  await index.flush();
});

function protectionOf(bytesMax = Number.POSITIVE_INFINITY): Protection {
  const bytesMaxOf = async () => bytesMax;
  const protection = new Protection({ dataDir, index, bytesMaxOf, clock, log: SILENT_LOG });
  protection.start();
  return protection;
}

/** Minutes of the recording, `from` to before `to`. */
function request(from: number, to: number): ProtectionRequest {
  const times = { fromUs: START_US + from * MINUTE_US, toUs: START_US + to * MINUTE_US };
  return { channelId, ...times, comment: "theft", userId: guidOfNumber(1, 6), userName: "root" };
}

/** Takes everything that may go. */
async function starve(protection: Protection): Promise<void> {
  const quota = { quotaBytes: 1 };
  const { protectedUntil } = protection;
  await makeRetention({
    index,
    volumes: [volume],
    directory: scratch.path,
    clock,
    quota,
    options: { protectedUntil },
  }).retention.turn();
}

function minutesLeft(): number[] {
  return [...volume.files.values()]
    .map(({ fromUs }) => (fromUs - START_US) / MINUTE_US)
    .sort((a, b) => a - b);
}

test("protected recordings outlive hunger, a restart and the loss of the index", async () => {
  const created = await protectionOf().protect(request(10, 13));
  expect(created.bytes).toBe(3 * SEGMENT_BYTES);
  await index.stop();
  rmSync(path.join(dataDir, "index"), { recursive: true });
  index = await openIndex(path.join(dataDir, "index"));
  const protection = protectionOf();
  await rebuildIndex({ index, volumes: [volume], log: SILENT_LOG });
  await starve(protection);
  expect(minutesLeft()).toEqual([10, 11, 12]);
  expect(await protection.list(channelId)).toEqual([created]);
  expect(await protection.lift(channelId, created.id)).toBe(true);
  expect(protectionOf().has(channelId)).toBe(false);
  await starve(protection);
  expect(minutesLeft()).toEqual([]);
  await index.stop();
});

test("overlapping protections count each segment once, and lifting one keeps what the other holds", async () => {
  const protection = protectionOf();
  const first = await protection.protect(request(10, 15));
  await protection.protect(request(12.5, 17));
  expect(await protection.bytesOn(volume.id)).toBe(7 * SEGMENT_BYTES);
  await protection.lift(channelId, first.id);
  expect(await protection.bytesOn(volume.id)).toBe(5 * SEGMENT_BYTES);
  await starve(protection);
  expect(minutesLeft()).toEqual([12, 13, 14, 15, 16]);
  await index.stop();
});

test("spans that share a segment without overlapping count it once", async () => {
  const protection = protectionOf();
  await protection.protect(request(10, 10.25));
  await protection.protect(request(10.5, 11));
  expect(await protection.bytesOn(volume.id)).toBe(SEGMENT_BYTES);
  await index.stop();
});

test("two requests at once do not both take the last of the share", async () => {
  const protection = protectionOf(5 * SEGMENT_BYTES);
  const outcomes = await Promise.allSettled([
    protection.protect(request(0, 4)),
    protection.protect(request(20, 24)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(outcomes[1]).toMatchObject({ reason: { code: "PROTECTED_FULL" } });
  expect(await protection.bytesOn(volume.id)).toBe(4 * SEGMENT_BYTES);
  await starve(protection);
  expect(minutesLeft()).toEqual([0, 1, 2, 3]);
  await index.stop();
});

test("what the index gets late is counted", async () => {
  const protection = protectionOf();
  const hourBefore = START_US - 60 * MINUTE_US;
  const times = { fromUs: hourBefore, toUs: hourBefore + 5 * MINUTE_US };
  const created = await protection.protect({ ...request(0, 1), ...times });
  expect(created.bytes).toBe(0);
  for (const segment of fragmentOf(5, { fragment: 2, fromUs: hourBefore, bytes: SEGMENT_BYTES }))
    index.add(segment);
  expect((await protection.list(channelId))[0]?.bytes).toBe(5 * SEGMENT_BYTES);
  await index.stop();
});

test("a damaged file is replaced by its copy", async () => {
  const created = await protectionOf().protect(request(10, 13));
  writeFileSync(path.join(dataDir, "protected.json"), '{"formatVersion":1,"ranges":[{}]}');
  expect(await protectionOf().list(channelId)).toEqual([created]);
  writeFileSync(path.join(dataDir, "protected.json"), "");
  expect(await protectionOf().list(channelId)).toEqual([created]);
  await index.stop();
});

test("a file of a newer version is refused and left as it is", async () => {
  const text = '{"formatVersion":2,"ranges":[]}';
  writeFileSync(path.join(dataDir, "protected.json"), text);
  expect(() => protectionOf()).toThrow(expect.objectContaining({ code: "FORMAT_NEWER" }));
  expect(readFileSync(path.join(dataDir, "protected.json"), "utf8")).toBe(text);
  await index.stop();
});

test("the number of protected times is bounded", async () => {
  const protection = protectionOf();
  const { id: _, ...range } = await protection.protect(request(0, 1));
  const { bytes: __, ...kept } = range;
  const ranges = Array.from({ length: PROTECTED_RANGES_MAX }, (___, at) => ({
    ...kept,
    id: guidOfNumber(at, 8),
  }));
  writeFileSync(path.join(dataDir, "protected.json"), JSON.stringify({ formatVersion: 1, ranges }));
  const full = protectionOf();
  await expect(full.protect(request(5, 6))).rejects.toMatchObject({ code: "PROTECTED_FULL" });
  expect(await full.list(channelId)).toHaveLength(PROTECTED_RANGES_MAX);
  await index.stop();
});
