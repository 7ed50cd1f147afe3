import { expect, it } from "vitest";
import { DECODING_STRETCH_MAX, DecodingLoad } from "../../../src/picture/transcode/decoding-load.js";

const SHARE_MAX = 0.5;
const THREADS = 3;
const SECOND_US = 1_000_000;

/** So many seconds of those that take `busyUs` of processor time a second at the full rate, and less at a lower one. */
function busy(load: DecodingLoad, busyUs: number, seconds: number, fromUs = 0): number {
  for (let second = 1; second <= seconds; second++) {
    load.note(busyUs / load.stretch);
    load.check(fromUs + second * SECOND_US);
  }
  return fromUs + seconds * SECOND_US;
}

function loadOf(threads = THREADS): DecodingLoad {
  const load = new DecodingLoad({ threads: () => threads, shareMax: SHARE_MAX });
  load.check(0);
  return load;
}

it("those that take less than their share of the codec's threads look at all the pictures they want", () => {
  const load = loadOf();
  busy(load, SHARE_MAX * THREADS * SECOND_US * 0.99, 100);
  expect(load.stretch).toBe(1);
  expect(load.isStrained).toBe(false);
});

it("those that would take more look at fewer, so that they keep to it, and it is said", () => {
  const load = loadOf();
  busy(load, 4 * SHARE_MAX * THREADS * SECOND_US, 100);
  expect(load.share).toBeLessThanOrEqual(SHARE_MAX * 1.1);
  expect(load.share).toBeGreaterThan(SHARE_MAX * 0.6);
  expect(load.isStrained).toBe(true);
});

it("when there is room again, they look at all again", () => {
  const load = loadOf(1);
  const atUs = busy(load, 8 * SECOND_US, 100);
  busy(load, 0.1 * SECOND_US, 100, atUs);
  expect(load.stretch).toBe(1);
});

it("however much it is, pictures come at a bounded distance", () => {
  const load = loadOf(1);
  for (let second = 1; second <= 100; second++) {
    load.note(64 * SECOND_US);
    load.check(second * SECOND_US);
  }
  expect(load.stretch).toBe(DECODING_STRETCH_MAX);
});
