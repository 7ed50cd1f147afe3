import { expect, it } from "vitest";
import type { Still } from "../../../src/picture/index.js";
import { StillCache } from "../../../src/picture/still/still-cache.js";

function still(bytes: number): Still {
  return { jpeg: new Uint8Array(bytes), width: 64, height: 36, shownUs: 0, tag: "t" };
}

it("keeps what was used last, within its bytes, whatever is put in", () => {
  const cache = new StillCache(20_000);
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
  const cache = new StillCache(20_000);
  for (let round = 0; round < 50; round++) cache.set("still", still(500 + round));
  expect(cache.size).toBe(1);
  expect(cache.bytes).toBe(549 + 1024);
});

it("does not keep one that would evict a quarter of the others", () => {
  const cache = new StillCache(20_000);
  cache.set("small", still(100));
  cache.set("large", still(5000));
  expect(cache.get("large")).toBeUndefined();
  expect(cache.get("small")).toBeDefined();
});

it("keeps nothing when it is given no memory", () => {
  const cache = new StillCache(0);
  cache.set("still", still(1));
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});
