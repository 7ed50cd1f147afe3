import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  DAILY_DAYS,
  DiskHistory,
  HISTORY_DAYS,
  HISTORY_DISKS_MAX,
} from "../../../src/health/disk/disk-history.js";
import type { DiskState } from "../../../src/health/index.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { diskState } from "../../support/health/health-figures.js";

const DAY_MS = 86_400_000;
const log = createLog({ level: "silent" });
const START_DAY = Math.floor(SIMULATED_START_US / 1000 / DAY_MS);
let directory: TemporaryDirectory;
let clock: SimulatedClock;
let history: DiskHistory;

const open = (): DiskHistory => {
  const opened = new DiskHistory({ dataDir: directory.path, clock, log });
  opened.load();
  return opened;
};

beforeEach(() => {
  directory = new TemporaryDirectory("disk-history");
  clock = new SimulatedClock();
  history = open();
});

afterEach(async () => {
  await history.stop();
  directory.remove();
});

/** A disk that has just been read. */
function reading(change: Partial<DiskState["smart"]> = {}, disk: Partial<DiskState> = {}): DiskState {
  const known = diskState(disk);
  if (known.smart === undefined) throw new Error("no figures");
  return { ...known, smart: { ...known.smart, readMs: clock.nowUs() / 1000, ...change } };
}

const days = (): readonly number[] => history.of("/dev/sda")?.map(({ day }) => day - START_DAY) ?? [];

it("a day has one sample: the last figures, and the highest temperature", () => {
  history.note([reading({ temperatureCelsius: 48, powerOnHours: 100 })]);
  clock.advance(3_600_000_000);
  history.note([reading({ temperatureCelsius: 35, powerOnHours: 101, pendingSectors: 3 })]);
  expect(history.of("/dev/sda")).toEqual([
    expect.objectContaining({ day: START_DAY, temperatureCelsius: 48, powerOnHours: 101, pendingSectors: 3 }),
  ]);
});

it("years stay within bounds: each day of the last year, a day of each week before, ten years in all", () => {
  const all = 4200;
  for (let day = 0; day < all; day++) {
    // The clock stands: each day that passes would write the file.
    history.note([reading({ readMs: SIMULATED_START_US / 1000 + day * DAY_MS })]);
  }
  const sampledDays = days();
  const recent = sampledDays.filter((day) => day >= all - DAILY_DAYS);
  expect(recent).toHaveLength(DAILY_DAYS);
  expect(sampledDays.length).toBeLessThanOrEqual(DAILY_DAYS + (HISTORY_DAYS - DAILY_DAYS) / 7 + 2);
  expect(sampledDays[0]).toBeGreaterThanOrEqual(all - 1 - HISTORY_DAYS);
  expect(sampledDays[0]).toBeLessThan(all - HISTORY_DAYS + 14);
});

it("a restart keeps it, and the disk is known in another place", async () => {
  history.note([reading({ powerOnHours: 7 })]);
  await history.stop();
  history = open();
  history.note([reading({ powerOnHours: 8 }, { device: "/dev/sdf" })]);
  expect(history.of("/dev/sdf")).toHaveLength(1);
  clock.advance(DAY_MS * 1000);
  history.note([reading({ powerOnHours: 9 }, { device: "/dev/sdf" })]);
  expect(history.of("/dev/sdf")?.map(({ powerOnHours }) => powerOnHours)).toEqual([8, 9]);
  expect(history.of("/dev/sda")).toBeUndefined();
});

it("the disk that was not seen for longest is forgotten, so that the file stays small", () => {
  for (let disk = 0; disk <= HISTORY_DISKS_MAX; disk++) {
    history.note([reading({}, { serial: `S${disk}` })]);
  }
  clock.advance(DAY_MS * 1000);
  history.note([reading({}, { serial: "S1" })]);
  expect(history.of("/dev/sda")).toHaveLength(2);
  history.note([reading({}, { serial: "S0" })]);
  expect(history.of("/dev/sda")).toHaveLength(1);
});

it("it is written once a day, not at each reading", async () => {
  const file = directory.join("disk-history.json");
  history.note([reading()]);
  clock.advance(600_000_000);
  await history.stop();
  const first = readFileSync(file, "utf8");
  history.note([reading({ powerOnHours: 5000 })]);
  clock.advance(3_600_000_000);
  await history.stop();
  expect(readFileSync(file, "utf8")).toBe(first);
});

it("a clock that went back spoils nothing", () => {
  history.note([reading()]);
  history.note([reading({ readMs: 0 })]);
  expect(days()).toEqual([0]);
});

it("a disk that was not read has an empty history", () => {
  history.note([diskState({ smart: undefined })]);
  expect(history.of("/dev/sda")).toEqual([]);
});

it.each(["not json", '{"format":1,"disks":[{"key":"x","samples":[["a",[]]]}]}'])(
  "a damaged file (%s) is begun anew",
  (text) => {
    writeFileSync(directory.join("disk-history.json"), text);
    history = open();
    history.note([reading()]);
    expect(days()).toEqual([0]);
  },
);
