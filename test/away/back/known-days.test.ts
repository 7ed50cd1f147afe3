import { afterEach, beforeEach, expect, it } from "vitest";
import { KnownDays } from "../../../src/away/back/known-days.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { silentLog } from "../../support/site/site-samples.js";

let directory: TemporaryDirectory;

beforeEach(() => {
  directory = new TemporaryDirectory("known-days");
});
afterEach(() => directory.remove());

const daysOf = (place: string, clock = new SimulatedClock()): KnownDays =>
  new KnownDays({ directory: directory.path, place, clock, log: silentLog });

it("what was learnt of a place is known after a restart, of another place nothing", async () => {
  const days = daysOf("bucket/house/");
  expect(days.start()).toBe(false);
  days.note("a/2026-11-01", 3);
  days.note("a/2026-11-02", 1);
  days.note("a/2026-11-01", 4);
  days.forget("a/2026-11-02");
  expect([days.revisionOf("a/2026-11-01"), days.revisionOf("a/2026-11-02")]).toEqual([4, 0]);
  await days.stop();
  const again = daysOf("bucket/house/");
  expect([again.start(), again.names, again.revisionOf("a/2026-11-01")]).toEqual([true, ["a/2026-11-01"], 4]);
  const other = daysOf("bucket/other/");
  expect([other.start(), other.names]).toEqual([false, []]);
});

it("days that are noted together are saved together, two seconds later; what changes nothing is not saved", async () => {
  const clock = new SimulatedClock();
  const days = daysOf("bucket/", clock);
  days.start();
  days.forget("a/2026-11-01");
  expect(clock.timers).toBe(0);
  for (let day = 10; day < 30; day++) days.note(`a/2026-11-${day}`, 1);
  expect(clock.timers).toBe(1);
  clock.advance(2_000_000);
  await days.stop();
  const again = daysOf("bucket/");
  again.start();
  expect(again.names).toHaveLength(20);
});
