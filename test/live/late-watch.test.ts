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
    watch.arrived(atUs, periodUs, periodUs);
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

/** Pictures of 25 a second, each `holdUs(atUs)` after the one before; told, and how late they are. */
function held(
  watch: LateWatch,
  untilUs: number,
  options: { holdUs: (hold: number) => number; late: (hold: number) => number },
) {
  let atUs = 0;
  for (let hold = 0; ; hold += 1) {
    const heldUs = options.holdUs(hold);
    atUs += heldUs;
    if (atUs > untilUs) return undefined;
    watch.arrived(atUs, heldUs, 40_000);
    if (watch.isBehind(options.late(hold), atUs, 40_000)) return atUs;
  }
}

/** No two in a row are alike. */
const uneven = (hold: number) => 400_000 + (hold % 3) * 100_000;

it("no clock is behind while pictures are held up on the way, for ten seconds", () => {
  const watch = new LateWatch();
  watch.restart(0, 0);
  const atUs = held(watch, 20 * SECOND_US, { holdUs: uneven, late: () => 1_100_000 }) ?? expect.unreachable();
  expect(atUs).toBeGreaterThan(10 * SECOND_US);
  expect(atUs).toBeLessThan(12.5 * SECOND_US);
});

it("holds that are all of one length are how pictures are sent: the clock is behind as if there were none", () => {
  const watch = new LateWatch();
  watch.restart(0, 0);
  const late = (hold: number) => 100_000 * hold;
  expect(held(watch, 20 * SECOND_US, { holdUs: () => 500_000, late })).toBeLessThanOrEqual(3_000_000);
});

it("a clock is behind if all that comes after each of three holds is later, and by more than a second", () => {
  const watch = new LateWatch();
  watch.restart(0, 0);
  const late = (hold: number) => 300_000 * hold;
  expect(held(watch, 20 * SECOND_US, { holdUs: uneven, late })).toBeLessThanOrEqual(3_500_000);
});
