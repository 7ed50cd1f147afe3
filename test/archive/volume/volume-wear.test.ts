import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { reservedFiles, VolumeWear, volumeStatus } from "../../../src/archive/index.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = mkdtempSync(path.join(tmpdir(), "nvrd-wear-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const ID = volumeOfNumber(1);

let dataDir: string;
let clock: SimulatedClock;
let volume: { id: string; writtenBytes: number };

beforeEach(() => {
  dataDir = mkdtempSync(path.join(scratch, "data-"));
  clock = new SimulatedClock();
  volume = { id: ID, writtenBytes: 0 };
});

function started(): VolumeWear {
  const wear = new VolumeWear({ dataDir, volumes: () => [volume], clock, log: SILENT_LOG });
  wear.start();
  return wear;
}

function write(bytes: number, us: number): void {
  volume.writtenBytes += bytes;
  clock.advance(us);
}

/** Writes, is counted, and goes on to the next day. */
function writeADay(wear: VolumeWear, bytes: number): void {
  volume.writtenBytes += bytes;
  wear.of(ID);
  clock.stepWall(DAY_US);
}

test("bytes are counted by day, and projected to a year at the mean rate", async () => {
  const wear = started();
  for (let day = 0; day < 10; day++) writeADay(wear, 1e12);
  expect(wear.of(ID).writtenTodayBytes).toBe(0);
  volume.writtenBytes += 3e11;
  clock.stepWall(DAY_US / 2);
  const figures = wear.of(ID);
  expect(figures.writtenTodayBytes).toBe(3e11);
  expect(figures.writtenYearBytes).toBe(1.03e13);
  expect(figures.projectedYearBytes).toBeCloseTo((1.03e13 / 10.5) * 365, -8);
  await wear.stop();
});

test("the count goes on after a restart, and after the volume's threads began anew", async () => {
  let wear = started();
  write(5e9, HOUR_US);
  await wear.stop();
  volume = { id: ID, writtenBytes: 0 };
  wear = started();
  write(2e9, HOUR_US);
  expect(wear.of(ID).writtenTodayBytes).toBe(7e9);
  volume.writtenBytes = 1e9;
  expect(wear.of(ID).writtenTodayBytes).toBe(8e9);
  await wear.stop();
});

test("what a crash loses is less than a quarter of an hour", async () => {
  const wear = started();
  for (let minute = 0; minute < 44; minute++) write(1e6, HOUR_US / 60);
  // Not stopped: the next service reads what the timer has saved.
  volume = { id: ID, writtenBytes: 0 };
  await expect.poll(() => started().of(ID).writtenTodayBytes).toBeGreaterThan(29e6);
  await wear.stop();
});

test("of the last year only 365 days count", async () => {
  const wear = started();
  for (let day = 0; day < 500; day++) writeADay(wear, 1e9);
  expect(wear.of(ID).writtenYearBytes).toBe(364e9);
  await wear.stop();
});

test("a projection counts the day that is 364 days back, and of the first day at least an hour", async () => {
  const wear = started();
  volume.writtenBytes = 24e9;
  // An hour is the least that passed: just after midnight the rate of a moment says nothing.
  expect(wear.of(ID).projectedYearBytes).toBeCloseTo(24e9 * 24 * 365, -6);
  clock.stepWall(364 * DAY_US);
  expect(wear.of(ID)).toMatchObject({ writtenTodayBytes: 0, writtenYearBytes: 24e9 });
  expect(wear.of(ID).projectedYearBytes).toBeCloseTo((24e9 / 364) * 365, -3);
  clock.stepWall(DAY_US);
  expect(wear.of(ID)).toEqual({ writtenTodayBytes: 0, writtenYearBytes: 0, projectedYearBytes: 0 });
  await wear.stop();
});

test("a day that lies ahead after the clock went back does not count, nor is it forgotten", async () => {
  const wear = started();
  writeADay(wear, 5e9);
  volume.writtenBytes += 3e9;
  wear.of(ID);
  clock.stepWall(-DAY_US);
  expect(wear.of(ID).writtenYearBytes).toBe(5e9);
  clock.stepWall(DAY_US);
  expect(wear.of(ID)).toMatchObject({ writtenTodayBytes: 3e9, writtenYearBytes: 8e9 });
  await wear.stop();
});

test("each volume has its own count", async () => {
  const other = { id: volumeOfNumber(2), writtenBytes: 7e9 };
  volume.writtenBytes = 5e9;
  const wear = new VolumeWear({ dataDir, volumes: () => [volume, other], clock, log: SILENT_LOG });
  wear.start();
  expect([wear.of(ID), wear.of(other.id)].map(({ writtenTodayBytes }) => writtenTodayBytes)).toEqual([
    5e9, 7e9,
  ]);
  expect(wear.of(volumeOfNumber(3))).toEqual({
    ...{ writtenTodayBytes: 0, writtenYearBytes: 0, projectedYearBytes: 0 },
  });
  await wear.stop();
});

/** The days that the file of the count has, per volume. */
async function daysKept(wear: VolumeWear): Promise<Record<string, Record<string, number>>> {
  await wear.stop();
  return JSON.parse(readFileSync(path.join(dataDir, "wear.json"), "utf8")).volumes;
}

test("the file keeps 400 days of a volume, the newest", async () => {
  const wear = started();
  for (let day = 0; day < 402; day++) writeADay(wear, 1 + day);
  const bytes = Object.values((await daysKept(wear))[ID] ?? {});
  expect([bytes.length, Math.min(...bytes), Math.max(...bytes)]).toEqual([400, 3, 402]);
});

test("the file keeps 64 volumes, those that were written to last", async () => {
  let volumes: { id: string; writtenBytes: number }[] = [];
  const wear = new VolumeWear({ dataDir, volumes: () => volumes, clock, log: SILENT_LOG });
  wear.start();
  const seen = (number: number, writtenBytes: number): void => {
    volumes = [{ id: volumeOfNumber(number), writtenBytes }];
    wear.of(volumeOfNumber(number));
  };
  for (let number = 1; number <= 64; number++) seen(number, 1);
  seen(1, 2);
  for (const number of [65, 66]) seen(number, 1);
  const kept = Object.keys(await daysKept(wear));
  expect(kept).toHaveLength(64);
  const numbers = [1, 2, 3, 4, 66].filter((number) => kept.includes(volumeOfNumber(number)));
  expect(numbers).toEqual([1, 4, 66]);
});

test("the file is written once a quarter of an hour, and not before", async () => {
  const wear = started();
  const file = path.join(dataDir, "wear.json");
  for (let minute = 0; minute < 14; minute++) write(1e6, HOUR_US / 60);
  expect(existsSync(file)).toBe(false);
  write(1e6, HOUR_US / 60);
  await expect.poll(() => existsSync(file)).toBe(true);
  await wear.stop();
});

test("a damaged file costs the count, not the start", () => {
  writeFileSync(path.join(dataDir, "wear.json"), '{"formatVersion":1,"volumes":{"x":{"-1":null}}}');
  expect(started().of(ID).writtenYearBytes).toBe(0);
});

test("a volume's status counts what it may hold by the inodes where they end before the bytes", () => {
  const wear = { writtenTodayBytes: 1e12, writtenYearBytes: 1e12, projectedYearBytes: 365e12 };
  const status = (free: number, segments: number) =>
    volumeStatus({
      ...{
        id: ID,
        directory: "/srv/a",
        isRetired: false,
        isUnread: false,
        wear,
        protectedBytes: 0,
        channels: [],
      },
      ...{ usedBytes: 3e12, segments, workloadTbPerYear: undefined },
      space: { totalBytes: 8e12, freeBytes: 5e12, files: { total: 4_000_000, free } },
      quota: { reserveBytes: 1e12 },
    });
  // A segment has a megabyte on average: what is free holds 2 days of 10^6 segments, besides the reserve.
  const few = status(2_000_000 + reservedFiles(4_000_000), 3_000_000);
  expect(few.allowedBytes).toBe(5e12);
  expect(status(0, 3_000_000).allowedBytes).toBe(3e12);
  expect(status(3_900_000, 1000).allowedBytes).toBe(7e12);
  // Of a few segments the average says nothing.
  expect(status(2000, 3).allowedBytes).toBe(7e12);
});

test("a volume's status sets its writing against the drive's rating and its room", () => {
  const wear = { writtenTodayBytes: 1e12, writtenYearBytes: 1e12, projectedYearBytes: 365e12 };
  const status = volumeStatus({
    ...{
      id: ID,
      directory: "/srv/a",
      isRetired: false,
      isUnread: false,
      wear,
      usedBytes: 3e12,
      segments: 100,
      protectedBytes: 0,
      channels: [],
    },
    space: { totalBytes: 8e12, freeBytes: 5e12 },
    quota: { reserveBytes: 1e12 },
    workloadTbPerYear: 180,
  });
  expect(status.allowedBytes).toBe(7e12);
  expect(status.workloadShare).toBeCloseTo(365 / 180);
});
