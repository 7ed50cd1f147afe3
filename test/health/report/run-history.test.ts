import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  ALIVE_INTERVAL_MS,
  CRASH_FILE,
  LAST_EXIT_FILE,
  RUNS_KEPT,
  RunHistory,
  readCrash,
  readRuns,
} from "../../../src/health/index.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { silentLog } from "../../support/site/site-samples.js";

const BOOT = "99999999-0000-4000-8000-000000000001";
const OTHER_BOOT = "99999999-0000-4000-8000-000000000002";
const START_MS = SIMULATED_START_US / 1000;

let directory: TemporaryDirectory;
let clock: SimulatedClock;
let histories: RunHistory[];

beforeEach(() => {
  directory = new TemporaryDirectory("runs");
  clock = new SimulatedClock();
  histories = [];
});

afterEach(async () => {
  await Promise.all(histories.map((run) => run.saved()));
  directory.remove();
});

function history(bootId = BOOT): RunHistory {
  const run = new RunHistory({ dataDir: directory.path, bootId, version: "1.2.3", clock, log: silentLog });
  histories.push(run);
  return run;
}

/** A run that ends as a process that is killed does: nothing of it goes on. */
async function killedRun(during: (run: RunHistory) => void = () => undefined): Promise<void> {
  const run = history();
  run.start();
  during(run);
  await run.saved();
}

function started(bootId = BOOT): RunHistory {
  const run = history(bootId);
  run.start();
  return run;
}

const endOf = (run: RunHistory) => run.runs[1]?.end;

it("the first run has none before it", async () => {
  const run = started();
  expect(run.runs).toEqual([
    { startMs: START_MS, bootId: BOOT, version: "1.2.3", aliveMs: START_MS, end: null },
  ]);
  expect(run.crash).toBeUndefined();
  await run.stop();
});

it("a run that stopped in order is told so, with when", async () => {
  const first = started();
  clock.advance(90_000_000);
  await first.stop();
  expect(clock.timers).toBe(0);
  const second = started();
  expect(second.runs[1]).toMatchObject({ aliveMs: START_MS + 90_000, end: { kind: "stopped", detail: "" } });
  await second.stop();
});

it.each(["updated", "failed"] as const)("a stop that was %s says so", async (kind) => {
  const first = started();
  first.expectEnd(kind, "why");
  await first.stop();
  expect(endOf(started())).toEqual({ kind, detail: "why" });
});

it("a run that says nothing of its end, in the same boot, was killed", async () => {
  await killedRun();
  expect(endOf(started())).toEqual({ kind: "killed", detail: "" });
});

it("in another boot, power was lost, and it is known when it still ran", async () => {
  await killedRun(() => clock.advance(3 * ALIVE_INTERVAL_MS * 1000 + 1));
  const next = started(OTHER_BOOT);
  expect(next.runs[1]).toMatchObject({
    aliveMs: START_MS + 3 * ALIVE_INTERVAL_MS,
    end: { kind: "power-lost" },
  });
});

it("an unforeseen error is a crash, whose text is kept", async () => {
  await killedRun((run) => run.noteCrash(new TypeError("x is not a function")));
  const next = started();
  expect(endOf(next)).toEqual({ kind: "crashed", detail: "TypeError: x is not a function" });
  expect(next.crash?.text).toContain("run-history.test.ts");
});

it("the crash of an earlier run is not that of one that was killed later", async () => {
  await killedRun((run) => run.noteCrash(new Error("old")));
  clock.advance(1_000_000);
  await killedRun();
  clock.advance(1_000_000);
  const last = started();
  expect(last.runs.slice(1).map(({ end }) => end?.kind)).toEqual(["killed", "crashed"]);
});

it.each([
  ["watchdog killed ABRT", "killed", "the watchdog: it made no progress"],
  ["oom-kill killed KILL", "killed", "no memory was left"],
  ["signal killed KILL", "killed", "signal KILL"],
  ["core-dump dumped SEGV", "crashed", "signal SEGV"],
  ["signal killed ABRT", "crashed", "signal ABRT"],
  ["exit-code exited 7", "crashed", "exit status 7"],
  ["success exited 0", "killed", ""],
  ["rubbish; $(rm -rf /)", "killed", ""],
  ["", "killed", ""],
])("what systemd says of the end, %j, is %s: %j", async (said, kind, detail) => {
  await killedRun();
  writeFileSync(directory.join(LAST_EXIT_FILE), `${said}\n`);
  expect(endOf(started())).toEqual({ kind, detail });
  expect(existsSync(directory.join(LAST_EXIT_FILE))).toBe(false);
});

it("only the newest runs are kept", async () => {
  for (let count = 0; count < RUNS_KEPT + 5; count++) await started().stop();
  const runs = readRuns(directory.path, silentLog);
  expect(runs).toHaveLength(RUNS_KEPT);
  expect(readFileSync(directory.join("restarts.json")).length).toBeLessThan(8192);
});

it.each(["", "{", "null", '{"formatVersion":1,"runs":[{"startMs":"x"}]}', `{"a":"${"x".repeat(100_000)}"}`])(
  "a damaged file (%#) is left behind, and counting begins anew",
  async (text) => {
    writeFileSync(directory.join("restarts.json"), text);
    writeFileSync(directory.join(CRASH_FILE), text);
    const run = started();
    expect(run.runs).toHaveLength(1);
    await run.stop();
    expect(readRuns(directory.path, silentLog)).toHaveLength(1);
    expect(readCrash(directory.path, silentLog)).toBeUndefined();
  },
);

it("a system disk that takes nothing stops nothing", async () => {
  const run = new RunHistory({
    dataDir: directory.join("none"),
    ...{ bootId: BOOT, version: "1", clock, log: silentLog },
  });
  run.start();
  run.noteCrash(new Error("x"));
  await run.stop();
  expect(run.runs[0]?.end?.kind).toBe("stopped");
});
