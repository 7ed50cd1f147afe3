import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TargetState } from "../../../src/away/target-state.js";
import { US_PER_DAY } from "../../../src/base/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { silentLog } from "../../support/site/site-samples.js";

const FIRST_US = Date.parse("2026-11-01T12:00:00Z") * 1000;

let directory: TemporaryDirectory;
let clock: SimulatedClock;

beforeEach(() => {
  directory = new TemporaryDirectory("target-state");
  clock = new SimulatedClock();
});
afterEach(() => directory.remove());

function started(): TargetState {
  const state = new TargetState({ directory: directory.path, clock, log: silentLog });
  state.start();
  return state;
}

it("sums what was sent on each day, and knows it again after a restart", async () => {
  const state = started();
  state.noteSent(100, FIRST_US);
  state.noteSent(20, FIRST_US + US_PER_DAY);
  state.noteSent(3, FIRST_US);
  await state.stop();
  expect(started().kept).toMatchObject({
    ...{ sentSegments: 3, sentBytes: 123 },
    sentDays: [
      { day: "2026-11-01", bytes: 103 },
      { day: "2026-11-02", bytes: 20 },
    ],
  });
});

it("keeps the newest 31 days, also when the clock was set back meanwhile", () => {
  const state = started();
  for (let day = 40; day >= 0; day -= 1) state.noteSent(day + 1, FIRST_US + day * US_PER_DAY);
  const { sentDays } = state.kept;
  expect(sentDays).toHaveLength(31);
  expect([sentDays[0], sentDays.at(-1)]).toEqual([
    { day: "2026-11-11", bytes: 11 },
    { day: "2026-12-11", bytes: 41 },
  ]);
});

it("goes on from a state that an older version has written, which knew no days", async () => {
  const state = started();
  state.noteSent(100, FIRST_US);
  await state.stop();
  const file = directory.join("state.json");
  const { sentDays: _days, ...older } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify(older));
  expect(started().kept).toMatchObject({ sentBytes: 100, sentDays: [] });
});
