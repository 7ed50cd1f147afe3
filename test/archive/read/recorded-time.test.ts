import { expect, it } from "vitest";
import { memoryStore } from "../../../src/archive/index/index-store.js";
import { RecordedTime } from "../../../src/archive/index.js";

const DAY_US = 86_400_000_000;
const HOUR_US = 3_600_000_000;

/** Counts an hour of recording of `stream` on `day`. */
function record(store: ReturnType<typeof memoryStore>, stream: number, day: number, sign: 1 | -1 = 1): void {
  const fromUs = day * DAY_US;
  store.totals.count({ fromUs, toUs: fromUs + HOUR_US, bytes: 1 }, { stream, volume: 1 }, sign, 1);
}

it("is the sum of the stream with the longest recorded time, gaps left out", () => {
  const store = memoryStore();
  for (const day of [19_000, 19_001, 20_000]) record(store, 1, day);
  record(store, 2, 18_000);
  const time = new RecordedTime({ store });
  expect(time.longestUs).toBeUndefined();
  expect(time.read()).toBe(true);
  expect(time.longestUs).toBe(3 * HOUR_US);
});

it("is 0 where nothing is recorded, and 0 again when all is removed", () => {
  const store = memoryStore();
  const time = new RecordedTime({ store });
  time.read();
  expect(time.longestUs).toBe(0);
  record(store, 1, 19_000);
  time.read();
  expect(time.longestUs).toBe(HOUR_US);
  record(store, 1, 19_000, -1);
  time.read();
  expect(time.longestUs).toBe(0);
});

it.each([1, 2, 3, 6, 7])(
  "reads %i totals at once and finds the same, however the rounds are cut",
  (limit) => {
    const store = memoryStore();
    for (const day of [19_000, 19_001]) for (const stream of [0, 1, 2]) record(store, stream, day);
    record(store, 1, 19_000);
    const time = new RecordedTime({ store });
    let reads = 1;
    while (!time.read(limit)) reads += 1;
    expect(reads).toBe(Math.ceil(6 / limit));
    expect(time.longestUs).toBe(3 * HOUR_US);
    while (!time.read(limit));
    expect(time.longestUs).toBe(3 * HOUR_US);
  },
);
