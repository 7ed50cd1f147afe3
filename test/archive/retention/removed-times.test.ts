import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RemovedTime, RemovedTimes } from "../../../src/archive/index.js";
import { openIndex, SILENT_LOG } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import {
  guidOfNumber,
  MINUTE_US,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const GATE = guidOfNumber(1, 1);
const YARD = guidOfNumber(2, 1);
const HOUR_US = 60 * MINUTE_US;
const DAY_US = 24 * HOUR_US;

let directory: TemporaryDirectory;
let clock: SimulatedClock;
let removed: RemovedTimes;

beforeEach(() => {
  directory = new TemporaryDirectory("removed-times");
  clock = new SimulatedClock();
  removed = opened();
});
afterEach(() => directory.remove());

function opened(): RemovedTimes {
  const times = new RemovedTimes({ dataDir: directory.path, clock, log: SILENT_LOG });
  times.start();
  return times;
}

function time(fromMinute: number, toMinute: number, cause: RemovedTime["cause"] = "space"): RemovedTime {
  return { fromUs: START_US + fromMinute * MINUTE_US, toUs: START_US + toMinute * MINUTE_US, cause };
}

it("joins what follows each other, also over the minutes between two recordings", () => {
  for (let minute = 0; minute < 60; minute += 10) removed.note(GATE, time(minute, minute + 5));
  expect(removed.of(GATE)).toEqual([time(0, 55)]);
  expect(removed.of(YARD)).toEqual([]);
});

it("keeps causes apart, the later removal has the last word", () => {
  removed.note(GATE, time(0, 60, "age"));
  removed.note(GATE, time(60, 120, "space"));
  removed.note(GATE, time(50, 70, "age"));
  expect(removed.of(GATE)).toEqual([time(0, 70, "age"), time(70, 120, "space")]);
});

it("is bounded, however scattered the removals are: the oldest become one", () => {
  for (let day = 0; day < 100; day++) removed.note(GATE, time(day * 1440, day * 1440 + 60));
  const times = removed.of(GATE);
  expect(times).toHaveLength(32);
  expect([times[0]?.fromUs, times.at(-1)]).toEqual([START_US, time(99 * 1440, 99 * 1440 + 60)]);
});

it("survives a restart", async () => {
  removed.note(GATE, time(0, 60, "age"));
  await removed.stop();
  expect(opened().of(GATE)).toEqual([time(0, 60, "age")]);
});

it("is saved within a minute, for a run that does not end in order", async () => {
  removed.note(GATE, time(0, 60));
  clock.advance(60_000_000);
  await removed.stop();
  expect(await readFile(directory.join("removed-times.json"), "utf8")).toContain(GATE);
});

it("goes on without a damaged file", async () => {
  await writeFile(directory.join("removed-times.json"), "{");
  const times = opened();
  expect(times.of(GATE)).toEqual([]);
  times.note(GATE, time(0, 60));
  await times.stop();
  expect(opened().of(GATE)).toEqual([time(0, 60)]);
});

it("retention notes what it removes, with its cause", async () => {
  const index = await openIndex(directory.join("index"));
  const volume = new MemoryVolume(volumeOfNumber(1));
  const old = segmentOf({ stream: 2, fragment: 2, fromUs: START_US - 2 * DAY_US, gopUs: 10_000_000 });
  const segments = [0, 1, 2, 3].map((minute) =>
    segmentOf({
      stream: 1,
      sequence: minute,
      fromUs: START_US + minute * MINUTE_US,
      bytes: 1_000_000,
      gopUs: 10_000_000,
    }),
  );
  for (const segment of [old, ...segments]) {
    index.add({ ...segment, volumeId: volume.id });
    volume.put({ ...segment, volumeId: volume.id });
  }
  await index.flush();
  const { retention } = makeRetention({
    ...{ index, volumes: [volume], directory: directory.path, quota: { quotaBytes: 2_000_000 } },
    clock: new SimulatedClock(START_US + HOUR_US),
    options: {
      daysOf: (channelId) => ({ minDays: 0, maxDays: channelId === old.key.channelId ? 1 : 0 }),
      onRemoved: ({ key, fromUs, toUs }, cause) => removed.note(key.channelId, { fromUs, toUs, cause }),
    },
  });
  await retention.turn();
  expect(removed.of(old.key.channelId)).toEqual([{ fromUs: old.fromUs, toUs: old.toUs, cause: "age" }]);
  const [first] = removed.of(streamOfNumber(1).channelId);
  expect([first?.fromUs, first?.cause]).toEqual([START_US, "space"]);
  await retention.stop();
  await index.stop();
});
