import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { RecordedDays } from "../../../src/api/timeline/recorded-days.js";
import type { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { ArchiveQueries } from "../../../src/archive/read/archive-queries.js";
import { type StreamKey, US_PER_DAY, US_PER_HOUR } from "../../../src/base/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { fragmentOf, streamOfNumber } from "../../support/archive/segment-fixtures.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const KEY = streamOfNumber(1);
const DAY = 20_000;
const FROM_US = DAY * US_PER_DAY;
const NOON_US = FROM_US + 3.5 * US_PER_DAY;
const ALL = { fromUs: FROM_US, toUs: NOON_US };
const DAYS = [0, 1, 2, 3];

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let directory = "";
let cases = 0;
let index: LmdbSegmentIndex;
let clock: ManualClock;
/** Spans whose rows were read. */
let read: { readonly key: StreamKey; readonly fromUs: number; readonly toUs: number }[] = [];

beforeEach(async () => {
  cases += 1;
  directory = path.join(scratch.path, `index-${cases}`);
  clock = new ManualClock(NOON_US);
  index = await openIndex(directory);
  for (const day of DAYS)
    for (const segment of fragmentOf(20, { fromUs: FROM_US + day * US_PER_DAY + US_PER_HOUR, fragment: day }))
      index.add(segment);
});

afterEach(() => index.stop());

function recordedDays(): RecordedDays {
  const queries = new ArchiveQueries(index);
  read = [];
  const archive = {
    fragments: (key: StreamKey, fromUs: number, toUs: number) => {
      if (key.streamType === KEY.streamType) read.push({ key, fromUs, toUs });
      return queries.fragments(key, fromUs, toUs);
    },
    hasSoundAt: (key: StreamKey, timeUs: number) => queries.hasSoundAt(key, timeUs),
    keptDay: index.keptDay.bind(index),
    keepDay: index.keepDay.bind(index),
    indexFault: () => undefined,
    onChange: index.onChange.bind(index),
  };
  return new RecordedDays({ archive: archive as never, clock });
}

const hours = () => read.map(({ fromUs, toUs }) => [fromUs, toUs].map((us) => (us - FROM_US) / US_PER_HOUR));
const PRESENT = [83, 96];

it("reads days that are over once, also over a restart", async () => {
  const before = await recordedDays().of(KEY.channelId, ALL);
  expect(hours()).toEqual([[0, 24], [24, 48], [48, 72], [72, 83], PRESENT]);
  await index.stop();
  index = await openIndex(directory);
  const days = recordedDays();
  expect(await days.of(KEY.channelId, ALL)).toEqual(before);
  expect(hours()).toEqual([[72, 83], PRESENT]);
});

it("reads of the present day the hours that are over once", async () => {
  const days = recordedDays();
  await days.of(KEY.channelId, ALL);
  read = [];
  await days.of(KEY.channelId, ALL);
  expect(hours()).toEqual([PRESENT]);
  read = [];
  for (const segment of fragmentOf(1, { fromUs: NOON_US, fragment: 9 })) index.add(segment);
  await days.of(KEY.channelId, ALL);
  expect(hours()).toEqual([PRESENT]);
  read = [];
  for (const segment of fragmentOf(1, { fromUs: FROM_US + 80 * US_PER_HOUR, fragment: 10 }))
    index.add(segment);
  await days.of(KEY.channelId, ALL);
  expect(hours()).toEqual([[72, 83], PRESENT]);
});

it("reads a day again that something was removed from", async () => {
  const days = recordedDays();
  const before = await days.of(KEY.channelId, ALL);
  read = [];
  await index.flush();
  await index.remove(index.oldest(1));
  const after = await days.of(KEY.channelId, ALL);
  expect(hours()).toEqual([[0, 24], PRESENT]);
  expect(after[0]?.runs[0]?.fromUs).toBe((before[0]?.runs[0]?.fromUs ?? 0) + 60_000_000);
});
