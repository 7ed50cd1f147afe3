import { describe, expect, it } from "vitest";
import { UnitMemories } from "../../../src/compat/export/unit-memory.js";
import { UNIT_WHOLE_BYTES_MAX } from "../../../src/player/mp4/movie-unit.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const BYTES = 1_000_000;

describe("the memory of an export", () => {
  it("is used again by the next one that fits it", () => {
    const memories = new UnitMemories(new SimulatedClock());
    const first = memories.take(BYTES);
    expect(first.byteLength).toBeGreaterThanOrEqual(BYTES);
    memories.give(first);
    expect(memories.take(2 * UNIT_WHOLE_BYTES_MAX)).not.toBe(first);
    expect(memories.take(BYTES - 5000)).toBe(first);
    expect(memories.take(BYTES)).not.toBe(first);
  });

  it("is let go when nobody exports for some seconds", async () => {
    const clock = new SimulatedClock();
    const memories = new UnitMemories(clock);
    memories.give(memories.take(BYTES));
    expect(memories.count).toBe(1);
    await clock.advance(10_000_000);
    expect(memories.count).toBe(0);
  });

  it("is back with the kernel then, although another thread knows it", async () => {
    const clock = new SimulatedClock();
    const memories = new UnitMemories(clock);
    const taken = Array.from({ length: 8 }, () => memories.take(4 * BYTES));
    for (const memory of taken) new Uint8Array(memory.shared).fill(1);
    const before = process.memoryUsage.rss();
    for (const memory of taken) memories.give(memory);
    await clock.advance(10_000_000);
    expect(before - process.memoryUsage.rss()).toBeGreaterThan(25 * BYTES);
    expect(taken).toHaveLength(8);
  });

  it("is not kept when a long frame has made it large", () => {
    const memories = new UnitMemories(new SimulatedClock());
    memories.give(memories.take(UNIT_WHOLE_BYTES_MAX + 1));
    expect(memories.count).toBe(0);
  });

  it("is kept of some exports only", () => {
    const memories = new UnitMemories(new SimulatedClock());
    const taken = Array.from({ length: 20 }, () => memories.take(BYTES));
    for (const memory of taken) memories.give(memory);
    expect(memories.count).toBe(8);
  });
});
