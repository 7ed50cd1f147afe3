import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/index.js";
import { LmdbGuard } from "../../src/kept/lmdb/lmdb-guard.js";
import { CrashWatch } from "../../src/service/part/crash-watch.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

let lines: string[];
let noted: unknown[];
let ended: unknown[];
let clock: ManualClock;
let watch: CrashWatch;
let guard: LmdbGuard;

beforeEach(() => {
  lines = [];
  noted = [];
  clock = new ManualClock();
  ended = [];
  const log = createLog({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
  watch = new CrashWatch({ runs: { noteCrash: (error) => noted.push(error) }, clock, log }, (error) =>
    ended.push(error),
  );
  watch.start();
  guard = new LmdbGuard(log, watch.rejected);
  guard.start();
});
afterEach(() => {
  watch.stop();
  guard.stop();
});

/** What Node does with an exception that nobody caught. */
const uncaught = (error: unknown): void =>
  process.listeners("uncaughtException").at(-1)?.(error as Error, "uncaughtException");
const unhandled = (reason: unknown): void =>
  process.listeners("unhandledRejection").at(-1)?.(reason, Promise.resolve());
const systemError = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, errno: -24 });

describe("an error that nobody caught", () => {
  it.each([
    ["EMFILE", "accept"],
    ["EAGAIN", "spawn node"],
    ["ENOMEM", "spawn smartctl"],
    ["ENOSPC", "write"],
    ["ECONNRESET", "read"],
  ])("%s of %s is logged, and the process goes on", (code, syscall) => {
    uncaught(systemError(code, syscall));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`${syscall} ${code}`);
    expect([noted, ended]).toEqual([[], []]);
  });

  it("of a thread that could not begin is logged, and the process goes on", () => {
    uncaught(Object.assign(new Error("no thread"), { code: "ERR_WORKER_INIT_FAILED" }));
    expect(lines[0]).toContain("no thread");
    expect(ended).toEqual([]);
  });

  it.each([
    ["of the program", new TypeError("x is not a function")],
    ["that names a code of its own", Object.assign(new Error("x"), { code: "ENOENT" })],
    ["that is no error at all", "x"],
  ])("%s is stored and ends the process", (_what, error) => {
    uncaught(error);
    expect([noted, ended, lines]).toEqual([[error], [error], []]);
  });

  it("in a promise that nobody waits for is logged, and the process goes on", () => {
    unhandled(new TypeError("x is not a function"));
    expect(lines[0]).toContain("x is not a function");
    expect([noted, ended]).toEqual([[], []]);
  });

  it("that comes again and again does not fill the log", () => {
    for (let times = 0; times < 500; times += 1) unhandled(new Error("again"));
    expect(lines).toHaveLength(20);
    clock.advance(59_000);
    expect(lines).toHaveLength(20);
    clock.advance(1_000);
    expect(lines.slice(20)).toEqual([
      expect.stringContaining("480 more faults that nobody caught were not logged"),
    ]);
    unhandled(new Error("later"));
    clock.advance(60_000);
    expect(lines.slice(21)).toEqual([expect.stringContaining("later")]);
  });

  it("and was not logged is reported by its number when the service stops", () => {
    for (let times = 0; times < 23; times += 1) unhandled(new Error("again"));
    watch.stop();
    expect(lines.slice(20)).toEqual([
      expect.stringContaining("3 more faults that nobody caught were not logged"),
    ]);
  });
});

it("a process goes on after faults of single pieces of work, and ends as Node ends it after one of the program", () => {
  const script = join(REPOSITORY_ROOT, "test/support/service/stray-faults.mjs");
  const args = [script, join(REPOSITORY_ROOT, "dist")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stdout.trim().split("\n")).toEqual(["alive", "noted of the program"]);
  expect(status).toBe(1);
  expect(stderr).toContain("TypeError: of the program");
});
