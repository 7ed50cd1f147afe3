import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import {
  type ArchiveKey,
  keyFramesFragmentId,
  type LmdbSegmentIndex,
  type SegmentReading,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { AllSegments } from "../../../src/archive/read/all-segments.js";
import { ArchiveQueries } from "../../../src/archive/read/archive-queries.js";
import { newCameraFragmentId } from "../../../src/archive/segment/fragment-origin.js";
import {
  type StreamKey,
  type StreamType,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
} from "../../../src/base/index.js";
import { RecordedDays } from "../../../src/owner/timeline/recorded-days.js";
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
/** The recorder's index, and what is off the box. */
let all: AllSegments;
/** Spans whose rows were read. */
let read: { readonly key: StreamKey; readonly fromUs: number; readonly toUs: number }[] = [];
/** Spans of which was asked what is off the box alone. */
let askedAway: { readonly fromUs: number; readonly toUs: number }[] = [];

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
  all = new AllSegments(index);
  const queries = new ArchiveQueries(all);
  read = [];
  askedAway = [];
  const archive = {
    fragments: (key: StreamKey, fromUs: number, toUs: number) => {
      if (key.streamType === KEY.streamType) read.push({ key, fromUs, toUs });
      return queries.fragments(key, fromUs, toUs);
    },
    hasSoundAt: (key: StreamKey, timeUs: number) => queries.hasSoundAt(key, timeUs),
    keyFramesOnly: (key: ArchiveKey, fromUs: number, toUs: number) =>
      all.keyFramesOnly(queries.streams(key), fromUs, toUs),
    awayOnly: (key: ArchiveKey, fromUs: number, toUs: number) => {
      askedAway.push({ fromUs, toUs });
      return all.awayOnly(queries.streams(key), fromUs, toUs);
    },
    keptDay: index.keptDay.bind(index),
    keepDay: index.keepDay.bind(index),
    indexFault: () => undefined,
    onChange: (listener: Parameters<AllSegments["onChange"]>[0]) => {
      index.onChange(listener);
      all.onChange(listener);
    },
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

const DAY_1_US = FROM_US + US_PER_DAY;
const DAY_1 = { fromUs: DAY_1_US, toUs: DAY_1_US + US_PER_DAY };
/** A minute of day 1, none of which is there yet. */
const minuteAt = (minute: number) => ({
  fromUs: DAY_1_US + minute * US_PER_MINUTE,
  toUs: DAY_1_US + (minute + 1) * US_PER_MINUTE,
});
const segmentAt = (minute: number, change: Partial<SegmentSummary> = {}): SegmentSummary[] =>
  fragmentOf(1, { ...minuteAt(minute), fragment: 100 + minute }).map((segment) => ({
    ...segment,
    ...change,
  }));
const keyFramesAt = (minute: number): SegmentSummary[] =>
  segmentAt(minute).map((segment) => ({
    ...segment,
    fragmentId: keyFramesFragmentId(segment.fragmentId) ?? segment.fragmentId,
  }));
const ofStream = (streamType: StreamType) => ({ key: { channelId: KEY.channelId, streamType } });

it("tells what the camera kept, also over a restart", async () => {
  for (const segment of segmentAt(0, { fragmentId: newCameraFragmentId() })) index.add(segment);
  const [day] = await recordedDays().of(KEY.channelId, DAY_1);
  expect(day?.fromCamera).toEqual([minuteAt(0)]);
  await index.stop();
  index = await openIndex(directory);
  const [again] = await recordedDays().of(KEY.channelId, DAY_1);
  expect(again?.fromCamera).toEqual([minuteAt(0)]);
  expect(read).toEqual([]);
});

it("tells nothing of what the camera kept where a preferred stream was recorded", async () => {
  const camera = { fragmentId: newCameraFragmentId() };
  for (const minute of [0, 2])
    for (const segment of segmentAt(minute, { ...camera, ...ofStream("Alternative"), segmentId: minute + 1 }))
      index.add(segment);
  for (const segment of segmentAt(0, { ...ofStream("Main"), segmentId: 9 })) index.add(segment);
  const [day] = await recordedDays().of(KEY.channelId, DAY_1);
  expect(day?.fromCamera).toEqual([minuteAt(2)]);
});

it("tells where key frames alone are left, and off the box, until the whole recording is here", async () => {
  const away = await openIndex(path.join(scratch.path, `away-${cases}`));
  for (const segment of [...keyFramesAt(0), ...keyFramesAt(2)]) away.add(segment);
  const days = recordedDays();
  all.setAway([{ index: away, reading: {} as SegmentReading }]);
  const [before] = await days.of(KEY.channelId, DAY_1);
  expect(before?.keyFrames).toEqual([minuteAt(0), minuteAt(2)]);
  expect(before?.away).toEqual([minuteAt(0), minuteAt(2)]);
  for (const segment of segmentAt(2)) index.add(segment);
  const [after] = await days.of(KEY.channelId, DAY_1);
  expect(after?.keyFrames).toEqual([minuteAt(0)]);
  expect(after?.away).toEqual([minuteAt(0)]);
  await away.stop();
});

it("tells no key frames where another stream of the channel is whole", async () => {
  for (const segment of [...keyFramesAt(0), ...keyFramesAt(2)]) index.add(segment);
  for (const segment of segmentAt(2, { ...ofStream("Main"), segmentId: 9 })) index.add(segment);
  const [day] = await recordedDays().of(KEY.channelId, DAY_1);
  expect(day?.keyFrames).toEqual([minuteAt(0)]);
  expect(day?.runs.slice(0, 2)).toEqual([minuteAt(0), minuteAt(2)]);
});

it("asks once for what is off the box of a day that is over", async () => {
  const days = recordedDays();
  await days.of(KEY.channelId, DAY_1);
  await days.of(KEY.channelId, DAY_1);
  expect(askedAway).toEqual([DAY_1]);
});
