import { beforeEach, describe, expect, it } from "vitest";
import { FailureTable } from "../../src/access/failure-table.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const LIMITS = { freeFailures: 2, firstWaitMs: 100, longestWaitMs: 350, forgetAfterMs: 1000, entriesMax: 2 };

describe("failures that are counted", () => {
  let clock: SimulatedClock;
  let table: FailureTable;

  beforeEach(() => {
    clock = new SimulatedClock();
    table = new FailureTable({ clock, limits: LIMITS });
  });

  const pass = (ms: number) => clock.advance(ms * 1000);
  const fail = (times: number, key = "a") => {
    for (let time = 0; time < times; time++) table.add(key);
  };

  it("bring no wait while they are few, then one that doubles up to the longest", () => {
    const waits = Array.from({ length: 6 }, () => {
      table.add("a");
      return [table.waitMs("a"), table.penaltyMs("a")];
    });
    expect(waits).toEqual([0, 0, 100, 200, 350, 350].map((ms) => [ms, ms]));
    expect(table.waitMs("b")).toBe(0);
  });

  it("bring a wait that passes, counted from the last of them", () => {
    fail(4);
    pass(150);
    expect([table.waitMs("a"), table.penaltyMs("a"), table.sinceFailureMs("a")]).toEqual([50, 200, 150]);
    pass(50);
    expect(table.waitMs("a")).toBe(0);
    pass(50);
    expect(table.waitMs("a")).toBe(0);
  });

  it("are forgotten after a time without any, and when they are told to be", () => {
    fail(3);
    pass(999.999);
    expect([table.has("a"), table.penaltyMs("a")]).toEqual([true, 100]);
    pass(0.001);
    expect([table.has("a"), table.penaltyMs("a"), table.isEmpty]).toEqual([false, 0, true]);
    fail(3);
    table.forget("a");
    expect([table.has("a"), table.isEmpty]).toEqual([false, true]);
  });

  it("begin anew after they were forgotten", () => {
    fail(3);
    pass(1000);
    fail(1);
    expect([table.has("a"), table.waitMs("a")]).toEqual([true, 0]);
  });

  it("are of so many at most, those that failed longest ago gone first", () => {
    fail(3, "a");
    fail(3, "b");
    fail(1, "a");
    fail(3, "c");
    expect(["a", "b", "c"].map((key) => table.has(key))).toEqual([true, false, true]);
  });

  it("are no longer waited for where somebody is turned away unseen, and these are counted", () => {
    table.addRefusal("a");
    expect([table.refusals("a"), table.sinceFailureMs("a"), table.waitMs("a")]).toEqual([1, undefined, 0]);
    fail(3);
    pass(40);
    table.addRefusal("a");
    expect([table.refusals("a"), table.waitMs("a"), table.sinceFailureMs("a")]).toEqual([2, 60, 40]);
    fail(1);
    expect(table.refusals("a")).toBe(2);
    expect(table.refusals("b")).toBe(0);
  });
});
