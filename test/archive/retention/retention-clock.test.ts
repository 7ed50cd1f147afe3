import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { LEAD_BELIEVED_AFTER_US, RetentionClock } from "../../../src/archive/index.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const YEAR_US = 365 * DAY_US;

const scratch = mkdtempSync(path.join(tmpdir(), "nvrd-retention-clock-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let dataDir: string;
let clock: SimulatedClock;
let known: boolean;
let newestUs: number | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(scratch, "data-"));
  clock = new SimulatedClock();
  known = true;
  newestUs = undefined;
});

function started(): RetentionClock {
  const days = new RetentionClock({
    dataDir,
    clock,
    clockKnown: () => known,
    newestUs: () => newestUs,
    log: SILENT_LOG,
  });
  // It saves in the background, which must be over before the directory goes.
  onTestFinished(() => days.stop());
  days.start();
  return days;
}

/** Runs for a time with a look each minute, as retention does. */
function run(days: RetentionClock, us: number): void {
  for (let at = 0; at < us; at += 60_000_000) {
    clock.advance(60_000_000);
    days.tick();
  }
}

/** The machine is off for a while: the next service's monotonic clock begins anew. */
async function reboot(days: RetentionClock, offUs: number): Promise<RetentionClock> {
  await days.stop();
  clock = new SimulatedClock(clock.nowUs() + offUs);
  return started();
}

test("days are counted against the wall clock as long as that goes on as clocks do", () => {
  const days = started();
  run(days, 2 * DAY_US);
  expect(days.nowUs).toBe(clock.nowUs());
  clock.stepWall(50 * 60_000_000);
  run(days, HOUR_US);
  expect(days.nowUs).toBe(clock.nowUs());
});

test("a clock that leaps a year ahead is not believed for a day, then it is", () => {
  const days = started();
  run(days, HOUR_US);
  clock.stepWall(YEAR_US);
  run(days, LEAD_BELIEVED_AFTER_US - HOUR_US);
  expect(days.nowUs).toBe(SIMULATED_START_US + LEAD_BELIEVED_AFTER_US);
  run(days, 2 * HOUR_US);
  expect(days.nowUs).toBe(clock.nowUs());
});

test("a leap that is taken back within a day leaves nothing behind", () => {
  const days = started();
  clock.stepWall(YEAR_US);
  run(days, 20 * HOUR_US);
  clock.stepWall(-YEAR_US);
  run(days, HOUR_US);
  expect(days.nowUs).toBe(clock.nowUs());
  clock.stepWall(YEAR_US);
  run(days, 20 * HOUR_US);
  expect(days.nowUs).toBe(SIMULATED_START_US + 41 * HOUR_US);
});

test("another leap begins the wait anew", () => {
  const days = started();
  clock.stepWall(YEAR_US);
  run(days, 20 * HOUR_US);
  clock.stepWall(YEAR_US);
  run(days, 20 * HOUR_US);
  expect(days.nowUs).toBe(SIMULATED_START_US + 40 * HOUR_US);
});

test("a clock that goes back takes the count of days back with it at once", () => {
  const days = started();
  run(days, 10 * DAY_US);
  clock.stepWall(-5 * DAY_US);
  days.tick();
  expect(days.nowUs).toBe(clock.nowUs());
});

test("a clock that is a year ahead after a restart is not believed for a day of running", async () => {
  let days = started();
  run(days, DAY_US);
  const beforeUs = clock.nowUs();
  days = await reboot(days, YEAR_US);
  run(days, 10 * HOUR_US);
  expect(days.nowUs).toBe(beforeUs + 10 * HOUR_US);
  days = await reboot(days, HOUR_US / 2);
  run(days, 13 * HOUR_US);
  expect(days.nowUs).toBeLessThan(beforeUs + DAY_US);
  run(days, 2 * HOUR_US);
  expect(days.nowUs).toBe(clock.nowUs());
});

test("where the counted time was lost, the newest recording stands in for it", () => {
  newestUs = SIMULATED_START_US;
  clock.stepWall(YEAR_US);
  const days = started();
  run(days, HOUR_US);
  expect(days.nowUs).toBe(SIMULATED_START_US + HOUR_US);
});

test("a damaged file is passed over", () => {
  writeFileSync(path.join(dataDir, "retention.json"), '{"formatVersion":1,"countedUs":-4}');
  newestUs = SIMULATED_START_US - DAY_US;
  const days = started();
  expect(days.nowUs).toBe(SIMULATED_START_US - DAY_US);
});

test("a clock that is not known to be set is not looked at", () => {
  known = false;
  newestUs = SIMULATED_START_US;
  clock = new SimulatedClock(0);
  const days = started();
  run(days, HOUR_US);
  expect(days.isKnown).toBe(false);
  expect(days.nowUs).toBe(SIMULATED_START_US + HOUR_US);
  clock.stepWall(SIMULATED_START_US);
  known = true;
  days.tick();
  expect(days.nowUs).toBe(clock.nowUs());
});
