import { expect, it } from "vitest";
import { Pace } from "../../src/base/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const CHUNK_BYTES = 10_000;
const BYTES_PER_SECOND = 1_000_000;

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Asks for chunks, each after the last, and counts those that may go. */
function sender(pace: Pace): { readonly sent: () => number } {
  let chunks = 0;
  const run = async (): Promise<void> => {
    for (;;) {
      await pace.wait(CHUNK_BYTES);
      chunks += 1;
      await settled();
    }
  };
  void run();
  return { sent: () => chunks * CHUNK_BYTES };
}

/** Lets time pass in steps: timers are as late as a step is long. */
async function pass(clock: SimulatedClock, seconds: number, stepUs: number): Promise<void> {
  for (let us = 0; us < seconds * 1e6; us += stepUs) {
    clock.advance(stepUs);
    for (let turn = 0; turn < 12; turn++) await settled();
  }
}

it("several requests together keep to the limit", async () => {
  const clock = new SimulatedClock();
  const pace = new Pace(clock);
  pace.limit(BYTES_PER_SECOND);
  const senders = [1, 2, 3].map(() => sender(pace));
  await pass(clock, 2, 5_000);
  const sent = senders.reduce((sum, one) => sum + one.sent(), 0);
  expect(sent).toBeGreaterThan(1.95 * BYTES_PER_SECOND);
  expect(sent).toBeLessThanOrEqual(2 * BYTES_PER_SECOND + 2 * CHUNK_BYTES);
});

it("a timer that is late takes nothing from what follows", async () => {
  const clock = new SimulatedClock();
  const pace = new Pace(clock);
  pace.limit(BYTES_PER_SECOND);
  await pace.wait(CHUNK_BYTES);
  // 30 ms have passed where 10 ms were paid for: two more may go at once, the third has to wait.
  clock.advance(30_000);
  await pace.wait(CHUNK_BYTES);
  await pace.wait(CHUNK_BYTES);
  const sent = sender(pace);
  await settled();
  await settled();
  expect([clock.timers, sent.sent()]).toEqual([1, CHUNK_BYTES]);
});

it("a pause does not end with a burst", async () => {
  const clock = new SimulatedClock();
  const pace = new Pace(clock);
  pace.limit(BYTES_PER_SECOND);
  clock.advance(60e6);
  const one = sender(pace);
  await settled();
  for (let turn = 0; turn < 200; turn++) await settled();
  // A tenth of a second's worth, and what may always go.
  expect(one.sent()).toBeLessThanOrEqual(BYTES_PER_SECOND / 10 + 2 * CHUNK_BYTES);
});
