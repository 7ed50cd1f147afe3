import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { packDay, unpackDay } from "../../../src/archive/index/day-summary.js";
import { checkArchive, type LmdbSegmentIndex, type RecordedDay } from "../../../src/archive/index.js";
import { US_PER_DAY } from "../../../src/base/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { fragmentOf, streamOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";

/** Summaries of days that the index keeps beside their totals, as a cache. */
const MINUTE_US = 60_000_000;
const KEY = streamOfNumber(1);
const DAY = 20_000;
const FROM_US = DAY * US_PER_DAY;
/** Twenty segments that go over midnight: ten of this day, ten of the next. */
const SEGMENTS = fragmentOf(20, { fromUs: FROM_US + US_PER_DAY - 9.5 * MINUTE_US });
const SUMMARY: RecordedDay = {
  runs: [
    { fromUs: FROM_US, toUs: FROM_US + 7 },
    { fromUs: FROM_US + US_PER_DAY - 9.5 * MINUTE_US, toUs: FROM_US + US_PER_DAY },
  ],
  sound: [{ fromUs: FROM_US + US_PER_DAY - MINUTE_US, toUs: FROM_US + US_PER_DAY }],
  keyFrames: [{ fromUs: FROM_US, toUs: FROM_US + 7 }],
  fromCamera: [{ fromUs: FROM_US + US_PER_DAY - 2 * MINUTE_US, toUs: FROM_US + US_PER_DAY - MINUTE_US }],
};
const NEXT: RecordedDay = {
  runs: [{ fromUs: FROM_US + US_PER_DAY, toUs: FROM_US + US_PER_DAY + 10.5 * MINUTE_US }],
  sound: [],
  keyFrames: [],
  fromCamera: [],
};

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let directory = "";
let cases = 0;
let index: LmdbSegmentIndex;

beforeEach(async () => {
  cases += 1;
  directory = path.join(scratch.path, `index-${cases}`);
  index = await openIndex(directory);
});

afterEach(() => index.stop());

/** Adds all segments but the one at a place, and keeps both days. */
async function keepAll(missing?: number): Promise<void> {
  for (const [at, segment] of SEGMENTS.entries()) if (at !== missing) index.add(segment);
  index.keepDay(KEY, DAY, SUMMARY);
  index.keepDay(KEY, DAY + 1, NEXT);
  await index.flush();
  expect(kept()).toEqual([SUMMARY, NEXT]);
}

const kept = () => [index.keptDay(KEY, DAY), index.keptDay(KEY, DAY + 1)];

it("keeps the summaries of days over a restart", async () => {
  await keepAll();
  await index.stop();
  index = await openIndex(directory);
  expect(kept()).toEqual([SUMMARY, NEXT]);
  expect(index.keptDay(streamOfNumber(2), DAY)).toBeUndefined();
});

it.each([
  ["of the first day drops that day's alone", 3, [undefined, NEXT]],
  ["over midnight drops both days'", 9, [undefined, undefined]],
  ["of the second day drops that day's alone", 15, [SUMMARY, undefined]],
])("a segment %s, when it is added and when it is removed", async (_where, at, left) => {
  const segment = SEGMENTS[at];
  if (segment === undefined) throw new Error("no such segment");
  await keepAll(at);
  index.add(segment);
  expect(kept()).toEqual(left);
  index.keepDay(KEY, DAY, SUMMARY);
  index.keepDay(KEY, DAY + 1, NEXT);
  await index.remove([segment]);
  expect(kept()).toEqual(left);
  await index.stop();
  index = await openIndex(directory);
  expect(kept()).toEqual(left);
});

it("a check finds nothing wrong with them, nor with the totals before them", async () => {
  await keepAll();
  await index.rebuilt([volumeOfNumber(1)]);
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (const segment of SEGMENTS) volume.put(segment);
  const options = { index, volumes: [volume], deep: false, rebuild: false, log: SILENT_LOG };
  expect((await checkArchive(options)).problems).toEqual([]);
});

it("drops those of a stream whose rows a check corrects", async () => {
  await keepAll();
  const { fragments, generation } = index.store;
  fragments.clear(1, generation);
  await index.rebuilt([volumeOfNumber(1)]);
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (const segment of SEGMENTS) volume.put(segment);
  await checkArchive({ index, volumes: [volume], deep: false, rebuild: true, log: SILENT_LOG });
  expect(kept()).toEqual([undefined, undefined]);
});

it("keeps none of a stream that has nothing, and none that is too large", () => {
  index.keepDay(KEY, DAY, SUMMARY);
  expect(index.keptDay(KEY, DAY)).toBeUndefined();
  for (const segment of SEGMENTS) index.add(segment);
  const runs = Array.from({ length: 5000 }, (_, at) => ({
    fromUs: FROM_US + at * 10_000_000,
    toUs: FROM_US + at * 10_000_000 + 5_000_000,
  }));
  index.keepDay(KEY, DAY, { ...NEXT, runs });
  expect(index.keptDay(KEY, DAY)).toBeUndefined();
});

it("reads no summary of another format, nor a torn one", () => {
  const packed = packDay(DAY, SUMMARY) ?? Buffer.alloc(0);
  expect(unpackDay(DAY, packed)).toEqual(SUMMARY);
  expect(unpackDay(DAY, Buffer.concat([Buffer.from([1]), packed.subarray(1)]))).toBeUndefined();
  for (let length = 0; length < packed.length; length++)
    expect(unpackDay(DAY, packed.subarray(0, length))).toBeUndefined();
});
