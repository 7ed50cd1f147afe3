import { expect, it } from "vitest";
import { LateWatch } from "../../src/live/late-watch.js";

const SECOND_US = 1_000_000;
const SLOW_PERIOD_US = 1_100_000;

/** A clock in time until a picture comes two seconds late. */
function stalled(): LateWatch {
  const watch = new LateWatch();
  watch.restart(0, 0);
  expect(watch.isBehind(2 * SECOND_US, SECOND_US, SLOW_PERIOD_US)).toBe(false);
  return watch;
}

it("a clock that stopped for a while is behind with the third picture that does not catch up", () => {
  const watch = stalled();
  expect(watch.isBehind(2 * SECOND_US, SECOND_US + SLOW_PERIOD_US, SLOW_PERIOD_US)).toBe(false);
  expect(watch.isBehind(2 * SECOND_US, SECOND_US + 2 * SLOW_PERIOD_US, SLOW_PERIOD_US)).toBe(true);
});

it("a link that delivers what has waited makes no clock behind", () => {
  const watch = stalled();
  for (let at = 1; at <= 20; at += 1) {
    const lateUs = Math.max(0, 2 * SECOND_US - at * 100_000);
    expect(watch.isBehind(lateUs, SECOND_US + at * 50_000, 50_000)).toBe(false);
  }
});

/** When a clock is told to be behind whose pictures have come every 25 ms since `restart`. */
function behindUs(lateAt: (atUs: number) => number, watch = new LateWatch()): number | undefined {
  const periodUs = 25_000;
  watch.restart(lateAt(0), 0);
  for (let atUs = periodUs; atUs <= 20 * SECOND_US; atUs += periodUs) {
    watch.arrived(atUs, { elapsedUs: periodUs, stepUs: periodUs, periodUs });
    if (watch.isBehind(lateAt(atUs), atUs, periodUs)) return atUs;
  }
  return undefined;
}

it("a clock at half the speed is behind after six looks of an eighth of a second", () => {
  expect(behindUs((atUs) => atUs / 2)).toBe(750_000);
});

it("a clock that is a tenth slow is behind when it has lost a quarter of a second", () => {
  expect(behindUs((atUs) => atUs / 10)).toBe(2_750_000);
});

it("a clock all of whose pictures are 400 ms late is behind after two looks of 2.5 s", () => {
  expect(behindUs(() => 400_000)).toBe(5_000_000);
  expect(behindUs(() => 340_000)).toBeUndefined();
});

it("pictures that are late by chance, and some of them in time, make no clock behind", () => {
  expect(behindUs((atUs) => ((atUs / 25_000) % 7) * 100_000)).toBeUndefined();
});

it("what was seen of one mapping says nothing of the next", () => {
  const watch = new LateWatch();
  expect(behindUs((atUs) => atUs / 2, watch)).toBe(750_000);
  expect(behindUs((atUs) => atUs / 2, watch)).toBe(750_000);
  expect(behindUs(() => 400_000, watch)).toBe(5_000_000);
  expect(behindUs(() => 400_000, watch)).toBe(5_000_000);
  const byChance = (atUs: number) => ((atUs / 25_000) % 7) * 100_000;
  expect(behindUs(byChance, watch)).toBeUndefined();
  expect(behindUs((atUs) => atUs / 2, watch)).toBe(750_000);
  expect(behindUs(byChance, watch)).toBeUndefined();
  expect(behindUs(() => 400_000, watch)).toBe(5_000_000);
});

it("no clock is behind while pictures are held up on the way", () => {
  const watch = new LateWatch();
  watch.restart(0, 0);
  let isReported = false;
  const holdAt = (atUs: number, hold: number): void => {
    const elapsedUs = 400_000 + (hold % 2) * 200_000;
    watch.arrived(atUs, { elapsedUs, stepUs: 40_000, periodUs: 40_000 });
    isReported ||= watch.isBehind(1_100_000, atUs, 40_000);
  };
  for (let hold = 1; hold <= 5; hold += 1) holdAt(hold * 500_000, hold);
  expect(isReported).toBe(false);
  // Without a picture in time for some three seconds they are no excuse.
  for (let hold = 6; hold <= 16; hold += 1) holdAt(hold * 500_000, hold);
  expect(isReported).toBe(true);
});

/** When a clock is found out, of 25 pictures a second of which some come at once behind each hold. */
function foundOutUs(holdUs: (hold: number) => number, pictures: number): number {
  const watch = new LateWatch();
  watch.restart(0, 0);
  let atUs = 0;
  for (let hold = 0; atUs < 30 * SECOND_US; hold += 1) {
    atUs += holdUs(hold);
    for (let picture = 0; picture < pictures; picture += 1) {
      const elapsedUs = picture === 0 ? holdUs(hold) : 0;
      watch.arrived(atUs, { elapsedUs, stepUs: 40_000, periodUs: 40_000 });
      if (watch.isBehind(100_000 * hold, atUs, 40_000)) return atUs;
    }
  }
  return Number.POSITIVE_INFINITY;
}

it("holds of one length are how pictures are sent: a clock is behind as if there were none", () => {
  expect(foundOutUs(() => 500_000, 5)).toBeLessThanOrEqual(3_000_000);
});

it("one picture behind each of them is a camera that takes fewer", () => {
  expect(foundOutUs(() => 500_000, 1)).toBeLessThan(4 * SECOND_US);
});

it("a clock is behind if all that comes behind each of three holds is later, and by more than a second", () => {
  const foundUs = foundOutUs((hold) => 400_000 + (hold % 3) * 100_000, 5);
  expect(foundUs).toBeGreaterThan(6 * SECOND_US);
  expect(foundUs).toBeLessThan(8 * SECOND_US);
});

it("a camera that takes fewer pictures holds none up, as its clock says", () => {
  const watch = new LateWatch();
  watch.restart(0, 0);
  watch.arrived(500_000, { elapsedUs: 500_000, stepUs: 500_000, periodUs: 100_000 });
  expect(watch.isHeld).toBe(false);
  // Its clock steps back.
  watch.arrived(SECOND_US, { elapsedUs: 500_000, stepUs: 150_000, periodUs: 110_000 });
  expect(watch.isHeld).toBe(false);
  watch.arrived(2 * SECOND_US, { elapsedUs: SECOND_US, stepUs: 500_000, periodUs: 120_000 });
  expect(watch.isHeld).toBe(true);
});
