import { expect, it } from "vitest";
import { PicturePace } from "../../src/live/picture-pace.js";

const FRAME_US = 40_000;

/** After so many pictures as far apart. */
function paced(pictures = 1000, periodUs = FRAME_US): PicturePace {
  const pace = new PicturePace();
  for (let picture = 0; picture < pictures; picture += 1) pace.arrived(periodUs);
  return pace;
}

it("the period is that of the pictures that came", () => {
  expect(new PicturePace().periodUs).toBe(0);
  expect(paced().periodUs).toBe(FRAME_US);
});

it("a tick that brings several pictures at once does not show in the period", () => {
  const pace = paced();
  for (let tick = 0; tick < 200; tick += 1) {
    pace.arrived(5 * FRAME_US);
    for (let picture = 1; picture < 5; picture += 1) pace.arrived(0);
  }
  expect(Math.abs(pace.periodUs - FRAME_US)).toBeLessThan(FRAME_US / 10);
});

it("the period follows another rate within some ten seconds", () => {
  const pace = paced();
  for (let picture = 0; picture < 100; picture += 1) pace.arrived(100_000);
  expect(Math.abs(pace.periodUs - 100_000)).toBeLessThan(10_000);
});

it("a pause of half a second counts, a longer one counts as much", () => {
  const [half, two, long] = [500_000, 2_000_000, 3_600_000_000].map((pauseUs) => {
    const pace = paced();
    pace.arrived(pauseUs);
    return pace.periodUs;
  });
  expect(half).toBeGreaterThan(FRAME_US);
  expect([two, long]).toEqual([half, half]);
});

it("with few pictures a pause of eight periods counts", () => {
  const [seven, eight, long] = [7, 8, 80].map((periods) => {
    const pace = paced(1000, 1_000_000);
    pace.arrived(periods * 1_000_000);
    return pace.periodUs;
  });
  expect(eight).toBeGreaterThan(seven ?? 0);
  expect(long).toBe(eight);
});

it("the next picture comes a period later, drawn to its arrival", () => {
  const pace = paced();
  expect(pace.next(0, FRAME_US)).toBe(FRAME_US);
  // 2 % of the way: 40 ms of 2 s.
  expect(pace.next(0, FRAME_US + 100_000)).toBeCloseTo(FRAME_US + 2000);
  expect(pace.next(0, FRAME_US - 100_000)).toBeCloseTo(FRAME_US - 2000);
});

it("no picture is more than 380 ms before its arrival, 100 ms after it, or before the one before", () => {
  const pace = paced();
  expect(pace.next(0, 900_000)).toBe(520_000);
  expect(pace.next(800_000, 700_000)).toBe(800_001);
  expect(pace.next(770_000, 700_000)).toBe(800_000);
  expect(pace.next(1_000_000, 0)).toBe(1_000_001);
});

it("after a pause the next picture begins at its arrival", () => {
  expect(paced().next(0, 1_000_001)).toBe(1_000_001);
  expect(paced().next(0, 1_000_000)).toBe(620_000);
  const slow = paced(1000, 1_000_000);
  expect(slow.next(0, 4_000_001)).toBe(4_000_001);
  expect(slow.next(0, 4_000_000)).toBe(3_620_000);
});
