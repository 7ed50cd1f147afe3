import { expect, it } from "vitest";
import type { Still } from "../../../src/picture/index.js";
import { StillCache, UNUSED_KEPT_MS } from "../../../src/picture/still/still-cache.js";
import { ManualClock } from "../../support/base/manual-clock.js";

function still(bytes: number): Still {
  return { jpeg: new Uint8Array(bytes), width: 64, height: 36, shownUs: 0, tag: "t" };
}

it("keeps what was used last, within its bytes, whatever is put in", () => {
  const cache = new StillCache(20_000, new ManualClock());
  for (let index = 0; index < 100; index++) {
    cache.set(`still ${index}`, still(1000));
    expect(cache.bytes).toBeLessThanOrEqual(20_000);
    // The first one is used all the time.
    expect(cache.get("still 0")).toBeDefined();
  }
  expect(cache.size).toBe(9);
  expect(cache.get("still 99")).toBeDefined();
  expect(cache.get("still 50")).toBeUndefined();
});

it("counts a still that replaces another once", () => {
  const cache = new StillCache(20_000, new ManualClock());
  for (let round = 0; round < 50; round++) cache.set("still", still(500 + round));
  expect(cache.size).toBe(1);
  expect(cache.bytes).toBe(549 + 1024);
});

it("does not keep one that would evict a quarter of the others", () => {
  const cache = new StillCache(20_000, new ManualClock());
  cache.set("small", still(100));
  cache.set("large", still(5000));
  expect(cache.get("large")).toBeUndefined();
  expect(cache.get("small")).toBeDefined();
});

it("keeps nothing when it is given no memory", () => {
  const cache = new StillCache(0, new ManualClock());
  cache.set("still", still(1));
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

it("gives back the memory of stills that nobody asked for again, and keeps those that are asked for", () => {
  const clock = new ManualClock();
  const cache = new StillCache(20_000, clock);
  cache.set("once", still(1000));
  cache.set("again", still(1000));
  for (let passedMs = 0; passedMs < 2 * UNUSED_KEPT_MS; passedMs += UNUSED_KEPT_MS / 3) {
    clock.advance(UNUSED_KEPT_MS / 3);
    expect(cache.get("again")).toBeDefined();
  }
  expect(cache.get("once")).toBeUndefined();
  clock.advance(2 * UNUSED_KEPT_MS);
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

const STILL_BYTES = 64 * 1024;

it("keeps a copy: who made a still may do with it what it likes", () => {
  const cache = new StillCache(20_000, new ManualClock());
  const made = still(1000);
  made.jpeg.fill(7);
  cache.set("still", made);
  made.jpeg.fill(0);
  expect(cache.get("still")?.jpeg[500]).toBe(7);
});

it("frees a still that nobody asked for again", () => {
  const clock = new ManualClock();
  const cache = new StillCache(10 * STILL_BYTES, clock);
  const made = still(STILL_BYTES);
  made.jpeg.fill(7);
  cache.set("still", made);
  const borrowed = cache.get("still");
  clock.advance(2 * UNUSED_KEPT_MS);
  expect(cache.size).toBe(0);
  // Memory that is freed is taken away from whoever has it.
  expect(borrowed?.jpeg).toHaveLength(0);
  expect(made.jpeg).toHaveLength(STILL_BYTES);
});

it("does not touch what was taken of it, or what was evicted for want of room", () => {
  const clock = new ManualClock();
  const cache = new StillCache(5 * STILL_BYTES, clock);
  const made = still(STILL_BYTES);
  made.jpeg.fill(7);
  cache.set("first", made);
  const evicted = cache.get("first");
  for (let index = 0; index < 5; index++) cache.set(`still ${index}`, made);
  expect(cache.get("first")).toBeUndefined();
  const taken = cache.take("still 4");
  clock.advance(2 * UNUSED_KEPT_MS);
  expect(cache.size).toBe(0);
  for (const { jpeg } of [made, evicted, taken].filter((one) => one !== undefined))
    expect(jpeg.every((byte) => byte === 7)).toBe(true);
});
