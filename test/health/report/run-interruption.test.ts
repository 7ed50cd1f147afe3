import { expect, it } from "vitest";
import { RUN_ENDS } from "../../../src/contract/answer/index.js";
import { interruptionOf, interruptionText, readInterruption } from "../../../src/health/index.js";

const ALIVE_MS = Date.UTC(2026, 2, 1, 9, 30);
const run = { startMs: ALIVE_MS - 1000, bootId: "", version: "1.2.3", aliveMs: ALIVE_MS };

it.each(["failed", "crashed", "killed", "power-lost"] as const)(
  "a run that was %s is told, and read back",
  (kind) => {
    const interruption = interruptionOf({ ...run, end: { kind, detail: "signal KILL" } });
    expect(interruption).toEqual({ kind, aliveUs: ALIVE_MS * 1000 });
    expect(readInterruption(interruptionText({ kind, aliveUs: ALIVE_MS * 1000 }))).toEqual(interruption);
  },
);

it("a run that ended in order, or goes on, is none", () => {
  const ends = RUN_ENDS.filter((kind) => kind === "stopped" || kind === "updated");
  expect(ends.map((kind) => interruptionOf({ ...run, end: { kind, detail: "" } }))).toEqual([
    undefined,
    undefined,
  ]);
  expect(interruptionOf({ ...run, end: null })).toBeUndefined();
});

it("other texts are not read", () => {
  expect(
    ["", "killed", "lost; it still ran at 2026-03-01T09:30:00Z", "killed; it still ran at noon"].map(
      readInterruption,
    ),
  ).toEqual(Array(4).fill(undefined));
});
