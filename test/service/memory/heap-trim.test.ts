import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { processHeap } from "../../../src/base/index.js";
import { HEAP_FREE_BYTES_MIN, HEAP_QUIET_BYTES_MAX, HeapTrim } from "../../../src/service/part/heap-trim.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { runToEnd } from "../../support/service/background-process.js";

const MIB = 1024 * 1024;

/** A heap whose free and used bytes are the test's, and how often it was trimmed. */
function scriptedHeap() {
  const state = { free: 0, used: 50 * MIB, resident: 200 * MIB, trims: 0 };
  const heap = {
    freeBytes: () => state.free,
    usedBytes: () => state.used,
    trim: () => {
      state.trims += 1;
      state.resident -= state.free;
    },
  };
  return { state, trim: new HeapTrim(heap, () => state.resident) };
}

function look(trim: HeapTrim, times: number): void {
  for (let time = 0; time < times; time += 1) trim.look();
}

describe("memory that a burst of pictures left", () => {
  it("is given back once, when it is quiet", () => {
    const { state, trim } = scriptedHeap();
    for (const used of [100, 200, 300]) {
      state.free = (300 - used) * MIB;
      state.resident = 500 * MIB;
      trim.look();
    }
    state.free = 300 * MIB;
    trim.look();
    expect(state.trims).toBe(0);
    look(trim, 10);
    expect(state.trims).toBe(1);
    expect(state.resident).toBe(200 * MIB);
  });

  it("is given back again after the next burst", () => {
    const { state, trim } = scriptedHeap();
    state.free = 100 * MIB;
    for (let burst = 0; burst < 3; burst += 1) {
      state.resident = 400 * MIB;
      look(trim, 3);
    }
    expect(state.trims).toBe(3);
  });

  it("is given back where it is as little as exports leave", () => {
    const { state, trim } = scriptedHeap();
    look(trim, 3);
    state.free = 9 * MIB;
    state.resident += 9 * MIB;
    look(trim, 3);
    expect(state.trims).toBe(1);
  });

  it("is given back where it was still in use when the heap was last trimmed", () => {
    const { state, trim } = scriptedHeap();
    state.used = 90 * MIB;
    state.free = 20 * MIB;
    look(trim, 3);
    expect(state.trims).toBe(1);
    state.used = 50 * MIB;
    state.free = 40 * MIB;
    look(trim, 3);
    expect(state.trims).toBe(2);
  });

  it("is not looked for while the process grows by what is used", () => {
    const { state, trim } = scriptedHeap();
    state.free = 20 * MIB;
    look(trim, 3);
    expect(state.trims).toBe(1);
    state.used += 40 * MIB;
    state.resident += 40 * MIB;
    look(trim, 10);
    expect(state.trims).toBe(1);
  });

  it("is not looked for while the process has not grown", () => {
    const { state, trim } = scriptedHeap();
    state.free = 100 * MIB;
    look(trim, 3);
    expect(state.trims).toBe(1);
    state.free = 100 * MIB;
    look(trim, 10);
    expect(state.trims).toBe(1);
  });

  it("stays where it is little, or in use", () => {
    const { state, trim } = scriptedHeap();
    state.free = HEAP_FREE_BYTES_MIN - 1;
    look(trim, 10);
    for (let look = 0; look < 10; look += 1) {
      state.free = 200 * MIB + (look % 2) * (HEAP_QUIET_BYTES_MAX + 1);
      trim.look();
    }
    expect(state.trims).toBe(0);
  });
});

it("what lies free between pieces in use goes back to the kernel", () => {
  const heap = processHeap();
  if (heap === undefined) throw new Error("the addon is not built");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Smaller than what malloc maps by itself, and each touched.
  let pieces = Array.from({ length: 3000 }, () => new Uint8Array(48 * 1024).fill(1));
  const most = process.memoryUsage.rss();
  pieces = pieces.filter((_, at) => at % 60 === 0);
  for (let round = 0; round < 3; round += 1) collect();
  expect(heap.freeBytes()).toBeGreaterThan(100 * MIB);
  heap.trim();
  expect(most - process.memoryUsage.rss()).toBeGreaterThan(80 * MIB);
  expect(pieces).toHaveLength(50);
});

it("what lies free at the end of each arena of malloc goes back to the kernel", async () => {
  const script = join(REPOSITORY_ROOT, "test/support/base/arena-burst.mjs");
  const addon = join(REPOSITORY_ROOT, "build/nvrd.node");
  const output = await runToEnd("env", [...mallocOfTheProgram(), "node", script, addon]);
  const { freed, trimmed } = JSON.parse(output) as { freed: number; trimmed: number };
  // Three pieces of 8 MiB at the least: one in an arena, two in the other.
  expect(freed).toBeGreaterThan(20 * MIB);
  expect(trimmed).toBeLessThan(4 * MIB);
});

/** What bin/nvrd sets for malloc. */
function mallocOfTheProgram(): readonly string[] {
  const [firstLine = ""] = readFileSync(join(REPOSITORY_ROOT, "bin/nvrd"), "utf8").split("\n");
  return firstLine.split(" ").filter((word) => word.startsWith("MALLOC_"));
}
