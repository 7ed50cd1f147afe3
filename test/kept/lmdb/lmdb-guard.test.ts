import { afterEach, expect, test } from "vitest";
import { isLmdbCommitError, LmdbGuard } from "../../../src/kept/lmdb/lmdb-guard.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";

const guard = new LmdbGuard(SILENT_LOG);
afterEach(() => guard.stop());

function systemErrorOf(file: string): Error {
  const error = Object.assign(new Error("Input/output error"), { code: 5 });
  error.stack = `Error: Input/output error\n    at Function.<anonymous> (file:///opt/nvrd/node_modules/${file}:516:7)`;
  return error;
}

test("lmdb's rejections of a failed commit are recognised, and nothing else", () => {
  expect(isLmdbCommitError(new Error("Commit failed (see commitError for details)"))).toBe(true);
  expect(isLmdbCommitError(systemErrorOf("lmdb/write.js"))).toBe(true);
  expect(isLmdbCommitError(systemErrorOf("other/write.js"))).toBe(false);
  expect(isLmdbCommitError(Object.assign(new Error("no such file"), { code: "ENOENT" }))).toBe(false);
  expect(isLmdbCommitError("Commit failed")).toBe(false);
});

test("the guard counts lmdb's stray rejections and lets every other one end the process", () => {
  guard.start();
  const [listener] = process.listeners("unhandledRejection").slice(-1);
  const settled = Promise.resolve();
  listener?.(systemErrorOf("lmdb/write.js"), settled);
  expect(guard.commitErrors).toBe(1);
  expect(() => listener?.(new Error("a fault of ours"), settled)).toThrow("a fault of ours");
});
