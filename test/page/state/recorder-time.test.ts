import { beforeEach, expect, it, vi } from "vitest";

const AHEAD_MS = 8_000_000;

/** The page's clock as it begins, on a device whose clock stands. */
async function begin() {
  vi.resetModules();
  return await import("../../../src/page/state/recorder-time.js");
}

let clock: Awaited<ReturnType<typeof begin>>;
beforeEach(async () => {
  clock = await begin();
});

it("the recorder's time is told from the middle of question and answer", () => {
  clock.takeRecorderTime(9_000_000, 1_000_000, 1_000_040);
  expect(clock.aheadMs.peek()).toBe(AHEAD_MS - 20);
});

it("the recorder's time now is the device's, by as much ahead as the recorder's clock is", () => {
  const now = Date.now();
  clock.takeRecorderTime(now + AHEAD_MS, now, now);
  expect(clock.recorderNow() - Date.now()).toBe(AHEAD_MS);
});

it("a slow answer takes nothing from what a fast one told", () => {
  clock.takeRecorderTime(9_000_000, 1_000_000, 1_000_000);
  clock.takeRecorderTime(9_000_000, 1_000_000, 1_004_000);
  expect(clock.aheadMs.peek()).toBe(AHEAD_MS);
});

it("a slow answer counts where a clock was set meanwhile", () => {
  clock.takeRecorderTime(9_000_000, 1_000_000, 1_000_000);
  clock.takeRecorderTime(1_000_000, 1_000_000, 1_004_000);
  expect(clock.aheadMs.peek()).toBe(-2000);
});

it("a device's clock that is set back between question and answer spoils nothing for long", () => {
  clock.takeRecorderTime(9_000_000, 1_000_000, 400_000);
  clock.takeRecorderTime(9_000_000, 1_000_000, 1_000_040);
  expect(clock.aheadMs.peek()).toBe(AHEAD_MS - 20);
});
