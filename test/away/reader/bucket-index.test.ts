import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AwayRecordings, type SegmentSummary, whenKnown } from "../../../src/archive/index.js";
import { SystemClock, US_PER_DAY } from "../../../src/base/index.js";
import {
  guidOfNumber,
  MINUTE_US,
  START_US,
  segmentOf,
  streamOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { minutes, putDay, startReader, type TestReader } from "../../support/away/bucket-samples.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { until } from "../../support/base/until.js";

const KEY = streamOfNumber(2);
const NEXT_DAY_US = START_US + US_PER_DAY;
const GOP_US = 10_000_000;

let store: ScriptedStore;
let directory: TemporaryDirectory;
let found: TestReader;
const clock = new SystemClock();

beforeEach(async () => {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-bucket-index");
});

afterEach(async () => {
  await found.stop();
  store.stop();
  directory.remove();
});

/** A bucket with these segments, by the days on which they begin. */
async function having(...segments: SegmentSummary[]): Promise<void> {
  for (const day of new Set(segments.map(({ fromUs }) => Math.floor(fromUs / US_PER_DAY))))
    putDay(store.objects, {
      ...{ prefix: "a/", box: "A", channel: "Gate" },
      segments: segments.filter(({ fromUs }) => Math.floor(fromUs / US_PER_DAY) === day),
    });
  found = await startReader(store, directory, { clock });
  await until("the boxes", () => found.reader.fault === undefined);
}

const ask = <T>(question: (index: AwayRecordings["index"]) => T): Promise<T> =>
  whenKnown(() => question(found.reader.recordings.index), clock);
/** A segment's place in its stream. */
const at = (epoch: number, fromUs: number) => ({ segmentId: 0, epoch, fromUs });
const begins = (segment: SegmentSummary | undefined) =>
  segment === undefined ? undefined : [segment.epoch, segment.fromUs - START_US];
const minute = (number: number, shape: Parameters<typeof segmentOf>[0] = {}) =>
  segmentOf({ stream: 2, gopUs: GOP_US, fromUs: START_US + number * MINUTE_US, ...shape });

describe("what a bucket has recorded", () => {
  it("is nothing of a channel that no box has, whatever is asked", async () => {
    await having(...minutes(START_US, 2));
    const other = streamOfNumber(6);
    expect(
      await ask((index) => [
        index.stretches(other, 0, NEXT_DAY_US),
        index.fragments(other, 0, NEXT_DAY_US),
        index.seek(other, START_US),
        index.following(other, at(0, START_US)),
        index.last(other, at(0, START_US)),
        index.nearestKeyFrameUs(other, START_US),
      ]),
    ).toEqual([[], [], undefined, undefined, undefined, undefined]);
  });

  it("is asked by its end and its begin: what only touches the time is none of it", async () => {
    await having(...minutes(START_US + MINUTE_US, 2));
    const [fromUs, toUs] = [START_US + MINUTE_US, START_US + 3 * MINUTE_US];
    const count = (from: number, to: number) => ask((index) => index.stretches(KEY, from, to).length);
    expect(await count(START_US, fromUs)).toBe(0);
    expect(await count(START_US, fromUs + 1)).toBe(1);
    expect(await count(toUs, toUs + 1)).toBe(0);
    expect(await count(toUs - 1, toUs)).toBe(1);
  });

  it("is one run a fragment and epoch, in the order of time, and joined over midnight", async () => {
    await having(
      ...minutes(NEXT_DAY_US - MINUTE_US, 1),
      ...minutes(NEXT_DAY_US, 1),
      minute(1, { epoch: 1 }),
      minute(1),
      minute(9, { fragment: 2 }),
      minute(10, { fragment: 3 }),
    );
    const stretches = await ask((index) => index.stretches(KEY, START_US, NEXT_DAY_US + MINUTE_US));
    expect(
      stretches.map(({ id, epoch, fromUs, toUs }) => [
        id,
        epoch,
        (fromUs - START_US) / MINUTE_US,
        (toUs - START_US) / MINUTE_US,
      ]),
    ).toEqual([
      [guidOfNumber(1, 4), 0, 1, 2],
      [guidOfNumber(1, 4), 1, 1, 2],
      [guidOfNumber(2, 4), 0, 9, 10],
      [guidOfNumber(3, 4), 0, 10, 11],
      [guidOfNumber(1, 4), 0, 1439, 1441],
    ]);
  });

  it("is found by a moment: the newest epoch that holds it, else what comes next, on a later day too", async () => {
    await having(minute(0), minute(0, { epoch: 1 }), minute(3), minute(1500));
    const seek = async (atUs: number) => begins(await ask((index) => index.seek(KEY, START_US + atUs)));
    expect(await seek(0)).toEqual([1, 0]);
    expect(await seek(MINUTE_US - 1)).toEqual([1, 0]);
    expect(await seek(MINUTE_US)).toEqual([0, 3 * MINUTE_US]);
    expect(await seek(4 * MINUTE_US)).toEqual([0, 1500 * MINUTE_US]);
    expect(await seek(1501 * MINUTE_US)).toBeUndefined();
  });

  it("is found in a segment that began the day before", async () => {
    await having(minute(1435, { durationUs: 10 * MINUTE_US }), minute(1450));
    const held = await ask((index) => index.seek(KEY, NEXT_DAY_US + MINUTE_US));
    expect(begins(held)).toEqual([0, 1435 * MINUTE_US]);
    expect(held?.gops).toHaveLength(60);
  });

  it("goes on in its epoch, over midnight too, and else with the oldest of the newer ones", async () => {
    await having(
      ...[minute(0), minute(2), minute(1442), minute(1443, { epoch: 3 }), minute(1444, { epoch: 2 })],
      ...[minute(1445, { epoch: 1 }), minute(2900, { epoch: 4 })],
    );
    const next = async (epoch: number, atUs: number) =>
      begins(await ask((index) => index.following(KEY, at(epoch, START_US + atUs))));
    expect(await next(0, 0)).toEqual([0, 2 * MINUTE_US]);
    expect(await next(0, 2 * MINUTE_US)).toEqual([0, 1442 * MINUTE_US]);
    expect(await next(0, 1442 * MINUTE_US)).toEqual([1, 1445 * MINUTE_US]);
    expect(await next(2, 1444 * MINUTE_US)).toEqual([3, 1443 * MINUTE_US]);
    expect(await next(3, 1443 * MINUTE_US)).toEqual([4, 2900 * MINUTE_US]);
    expect(await next(4, 2900 * MINUTE_US)).toBeUndefined();
  });

  it("goes on in its epoch the day after, although a newer one is there the same day", async () => {
    await having(minute(0), minute(1, { epoch: 1 }), minute(1500));
    const next = await ask((index) => index.following(KEY, at(0, START_US)));
    expect(begins(next)).toEqual([0, 1500 * MINUTE_US]);
  });

  it("ends before a moment in the newest segment of its epoch, of the same day or the day before", async () => {
    await having(minute(0), minute(1438), minute(1439, { epoch: 1 }), minute(1450), minute(1451));
    const last = async (epoch: number, number: number) =>
      begins(await ask((index) => index.last(KEY, at(epoch, START_US + number * MINUTE_US))));
    expect(await last(0, 1451)).toEqual([0, 1451 * MINUTE_US]);
    expect(await last(0, 1450.5)).toEqual([0, 1450 * MINUTE_US]);
    expect(await last(0, 1449)).toEqual([0, 1438 * MINUTE_US]);
    expect(await last(1, 1451)).toEqual([1, 1439 * MINUTE_US]);
    expect(await last(2, 1451)).toBeUndefined();
    expect(await last(0, 2 * 1440 + 20)).toEqual([0, 1451 * MINUTE_US]);
    expect(await last(1, 2 * 1440 + 20)).toBeUndefined();
  });

  it("has its nearest key frame before or behind a moment, on whichever day that is", async () => {
    await having(minute(0), minute(2), minute(1439), minute(3 * 1440 + 1));
    const nearest = async (us: number) =>
      ((await ask((index) => index.nearestKeyFrameUs(KEY, START_US + us))) ?? Number.NaN) - START_US;
    expect(await nearest(0)).toBe(0);
    expect(await nearest(14_000_000)).toBe(10_000_000);
    expect(await nearest(16_000_000)).toBe(20_000_000);
    // The last key frame of the first minute is 10 s before its end.
    expect(await nearest(84_000_000)).toBe(50_000_000);
    expect(await nearest(86_000_000)).toBe(2 * MINUTE_US);
    const lastOfDay = 1439 * MINUTE_US + 50_000_000;
    expect(await nearest(US_PER_DAY + MINUTE_US)).toBe(lastOfDay);
    expect(await nearest(2 * US_PER_DAY + 1)).toBe(lastOfDay);
    expect(await nearest(2.5 * US_PER_DAY)).toBe((3 * 1440 + 1) * MINUTE_US);
    expect(await nearest(9 * US_PER_DAY)).toBe((3 * 1440 + 1) * MINUTE_US + 50_000_000);
  });

  it("is read ahead only from days in memory", async () => {
    await having(minute(0), minute(1), minute(1500));
    const { index } = found.reader.recordings;
    const ahead = index as unknown as { followingAhead: typeof index.following };
    const place = at(0, START_US);
    expect(ahead.followingAhead(KEY, place)).toBeUndefined();
    await expect.poll(() => begins(ahead.followingAhead(KEY, place))).toEqual([0, MINUTE_US]);
  });
});
