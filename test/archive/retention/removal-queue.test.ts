import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { type ProtectedUntil, RemovalQueue } from "../../../src/archive/retention/removal-queue.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import {
  fragmentOf,
  guidOfNumber,
  MINUTE_US,
  START_US,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const LATER_US = START_US + 1e15;
let index: LmdbSegmentIndex;
let runs = 0;
let protectedUntil: ProtectedUntil;

beforeEach(async () => {
  runs += 1;
  index = await openIndex(path.join(scratch.path, `index-${runs}`));
  protectedUntil = () => undefined;
});

function queueOf(volume: number): RemovalQueue {
  return new RemovalQueue({
    index,
    volumeId: volumeOfNumber(volume),
    daysOf: () => ({ minDays: 0, maxDays: 0 }),
    protectedUntil: (...span) => protectedUntil(...span),
  });
}

/** Minutes of the start of all that the queue gives. */
function minutesOf(queue: RemovalQueue): number[] {
  const minutes: number[] = [];
  for (let next = queue.take(() => true); next !== undefined; next = queue.take(() => true)) {
    minutes.push((next.fromUs - START_US) / MINUTE_US);
  }
  return minutes;
}

test("segments that the index gets late are found, those of a stream that was thought to be elsewhere too", async () => {
  const queue = queueOf(1);
  for (const segment of fragmentOf(3, { volume: 2, fromUs: START_US + 10 * MINUTE_US })) index.add(segment);
  await index.flush();
  await queue.open(LATER_US);
  expect(minutesOf(queue)).toEqual([]);
  for (const segment of fragmentOf(2, { volume: 1, fragment: 2 })) index.add(segment);
  await index.flush();
  await queue.open(LATER_US);
  expect(minutesOf(queue)).toEqual([0, 1]);
  await index.stop();
});

test("a segment that is held since its stream was looked at stays, and what is newer of the stream waits for it", async () => {
  const segments = fragmentOf(3);
  for (const segment of segments) index.add(segment);
  await index.flush();
  const queue = queueOf(1);
  await queue.open(LATER_US);
  const release = index.hold(segments[0]?.segmentId ?? 0);
  expect(minutesOf(queue)).toEqual([]);
  release();
  await queue.open(LATER_US);
  expect(minutesOf(queue)).toEqual([0, 1, 2]);
  await index.stop();
});

test("segments that come late are found although all that was newer is gone", async () => {
  const [oldest, older, newer] = fragmentOf(3);
  if (oldest === undefined || older === undefined || newer === undefined) throw new Error("no segments");
  const queue = queueOf(1);
  const look = async () => {
    await index.flush();
    await queue.open(LATER_US);
  };
  index.add(newer);
  await look();
  expect(minutesOf(queue)).toEqual([2]);
  await index.remove([newer]);
  await look();
  index.add(oldest);
  index.add(older);
  await look();
  expect(minutesOf(queue)).toEqual([0, 1]);
  await queue.open(LATER_US);
  expect(minutesOf(queue)).toEqual([0, 1]);
  await index.stop();
});

test("a fragment that goes on on another volume is found there, and back", async () => {
  const of = (volume: number, from: number, count: number) =>
    fragmentOf(count, { volume, fromUs: START_US + from * MINUTE_US });
  for (const segment of [...of(1, 0, 3), ...of(2, 3, 2), ...of(1, 5, 2)]) index.add(segment);
  await index.flush();
  const [first, second] = [queueOf(1), queueOf(2)];
  await first.open(LATER_US);
  await second.open(LATER_US);
  expect(minutesOf(first)).toEqual([0, 1, 2, 5, 6]);
  expect(minutesOf(second)).toEqual([3, 4]);
  const [fragment, ...others] = index.fragments(of(1, 0, 1)[0]?.key ?? fail(), 0, LATER_US);
  expect([fragment?.toUs, others]).toEqual([START_US + 7 * MINUTE_US, []]);
  await index.stop();
});

test("what is not durable in the index is not given", async () => {
  const [first, ...rest] = fragmentOf(5);
  if (first === undefined) throw new Error("no segment");
  index.add(first);
  await index.flush();
  for (const segment of rest) index.add(segment);
  const queue = queueOf(1);
  await queue.open(LATER_US);
  expect(minutesOf(queue)).toEqual([0]);
  await index.stop();
});

test("what is protected after the queue was opened is not given", async () => {
  for (const segment of fragmentOf(6)) index.add(segment);
  await index.flush();
  const queue = queueOf(1);
  await queue.open(LATER_US);
  const toUs = START_US + 4 * MINUTE_US;
  protectedUntil = (_, fromUs) => (fromUs < toUs ? toUs : undefined);
  expect(minutesOf(queue)).toEqual([4, 5]);
  await index.stop();
});

test("a year of protected recordings is passed in one step", async () => {
  const dayUs = 1440 * MINUTE_US;
  const shape = { durationUs: 10 * MINUTE_US, gopUs: 10 * MINUTE_US };
  for (let day = 0; day < 365; day++) {
    for (const segment of fragmentOf(144, { ...shape, fragment: day, fromUs: START_US + day * dayUs }))
      index.add(segment);
    if (day % 30 === 0) await index.flush();
  }
  await index.flush();
  let asked = 0;
  const toUs = START_US + 364 * dayUs;
  protectedUntil = (_, fromUs) => {
    asked += 1;
    return fromUs < toUs ? toUs : undefined;
  };
  const queue = queueOf(1);
  await queue.open(LATER_US);
  expect(queue.take(() => true)?.fromUs).toBe(toUs);
  expect(asked).toBeLessThan(10);
  await index.stop();
});

test("a stream that is on another volume alone is looked through once", async () => {
  for (let run = 0; run < 50; run++) {
    const fromUs = START_US + run * 20 * MINUTE_US;
    for (const segment of fragmentOf(2, { volume: 2, fragment: run, fromUs })) index.add(segment);
  }
  await index.flush();
  const places: number[] = [];
  const { stored } = index;
  const queue = new RemovalQueue({
    index: {
      streams: () => index.streams(),
      isDurable: () => true,
      stored: {
        lateSegments: 0,
        newestRun: (key) => stored.newestRun(key),
        followingOn: (volumeId, key, at) => {
          places.push(at.fromUs);
          return stored.followingOn(volumeId, key, at);
        },
      },
    },
    volumeId: guidOfNumber(1, 3),
    daysOf: () => ({ minDays: 0, maxDays: 0 }),
    protectedUntil,
  });
  await queue.open(LATER_US);
  await queue.open(LATER_US);
  expect(places).toEqual([-1, START_US + 49 * 20 * MINUTE_US]);
  await index.stop();
});

function fail(): never {
  throw new Error("no segment");
}
