import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const SCRIPT = join(REPOSITORY_ROOT, "test/support/base/without-descriptors.mjs");
const DESCRIPTORS = 256;
const LACK = "too many files are open";

it("a program that cannot be started for want of descriptors is reported at each place, and ends no process", () => {
  const args = [`--nofile=${DESCRIPTORS}`, process.execPath, SCRIPT, join(REPOSITORY_ROOT, "dist")];
  const { status, stdout, stderr } = spawnSync("prlimit", args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toEqual({
    startProgram: { error: `true cannot be started: ${LACK}` },
    startScript: { error: `nothing.js cannot be started: ${LACK}` },
    walkInChild: { value: { isStarted: false, reason: expect.stringContaining(LACK) } },
    readJournal: { error: expect.stringContaining(LACK) },
    runCommand: { error: expect.stringContaining(LACK) },
    childDiskNames: { error: expect.stringContaining(LACK) },
    smartctl: { value: { kind: "failed", reason: expect.stringContaining(LACK) } },
    hardwareProbe: { value: expect.stringContaining(LACK) },
    askByNodeOnvif: { value: null },
  });
});
