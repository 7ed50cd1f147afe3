import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { runToEnd } from "../support/service/background-process.js";

const MIB = 1024 * 1024;

it("memory that V8 keeps of a quiet program comes back", async () => {
  const script = join(REPOSITORY_ROOT, "test/support/base/garbage.mjs");
  const addon = join(REPOSITORY_ROOT, "build/nvrd.node");
  // As bin/nvrd has it: V8 looks for no garbage of a program that does nothing.
  const output = await runToEnd("node", ["--no-memory-reducer", script, addon]);
  const { begun, before, after } = JSON.parse(output) as { begun: boolean; before: number; after: number };
  expect(begun).toBe(true);
  expect(before).toBeGreaterThan(20 * MIB);
  expect(after).toBeLessThan(before / 2);
});
