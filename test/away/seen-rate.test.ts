import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { SeenRate } from "../../src/away/seen-rate.js";
import { AwayBox } from "../support/away/away-box.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const TIMES = 60;
/** 12 s as the box sees it: less than a server may be silent. */
const TAKEN_MS = 12_000 / TIMES;
const SEGMENTS = 8;
const AT_ONCE = 3;

let box: AwayBox | undefined;

afterEach(async () => {
  await box?.stop();
  box = undefined;
});

/** How many others were under way when each segment began, of a store that takes so long for each. */
async function othersAtEach(takenMs: number): Promise<readonly number[]> {
  box = await AwayBox.start({}, TIMES);
  let underWay = 0;
  const others: number[] = [];
  box.store.gate = async ({ method, key }) => {
    if (method !== "PUT" || !key.endsWith(".seg")) return;
    others.push(underWay);
    underWay += 1;
    await setTimeout(takenMs);
    underWay -= 1;
  };
  for (let at = 0; at < SEGMENTS; at++) box.record({ fromUs: (at + 1) * 60_000_000 });
  box.run();
  await box.sentAll();
  return others;
}

describe("a target without a limit", () => {
  it("gets one segment at a time once its link was seen to be slow", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    const others = await othersAtEach(TAKEN_MS);
    expect(others.slice(0, AT_ONCE)).toEqual([0, 1, 2]);
    // What had its turn before the first one ended goes on.
    expect(others.slice(AT_ONCE + 1)).toEqual(Array.from({ length: SEGMENTS - AT_ONCE - 1 }, () => 0));
  });

  it("gets several at once while answers only come late", { timeout: 2 * PATIENCE_MS }, async () => {
    const others = await othersAtEach(2000 / TIMES);
    expect(Math.max(...others.slice(AT_ONCE))).toBe(AT_ONCE - 1);
  });
});

it("what a link carries is seen over all sends together, and forgotten with the first quick one", () => {
  const clock = new SimulatedClock();
  const seen = new SeenRate(clock);
  const [first, second] = [seen.begin(), seen.begin()];
  clock.advance(10e6);
  seen.note(40_000);
  first();
  expect(seen.bytesPerSecond).toBe(4000);
  clock.advance(10e6);
  seen.note(40_000);
  second();
  expect(seen.bytesPerSecond).toBe(4000);
  const third = seen.begin();
  clock.advance(1e6);
  seen.note(1000);
  third();
  expect(seen.bytesPerSecond).toBeUndefined();
});
