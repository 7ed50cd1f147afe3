import { expect, it } from "vitest";
import { freeMemory } from "../../src/base/index.js";

const MIB = 1024 * 1024;
const PIECES = 50;

function free(bytes: Uint8Array): boolean {
  if (freeMemory === undefined) throw new Error("the addon is not built");
  return freeMemory(bytes);
}

it("takes the memory away from the array at once", () => {
  const pieces = Array.from({ length: PIECES }, () => new Uint8Array(MIB).fill(1));
  const before = process.memoryUsage().arrayBuffers;
  for (const piece of pieces) expect(free(piece)).toBe(true);
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan((PIECES - 1) * MIB);
  expect(pieces.every((piece) => piece.length === 0)).toBe(true);
});

it("does it once", () => {
  const bytes = Buffer.allocUnsafeSlow(1000);
  expect([free(bytes), bytes.length, free(bytes)]).toEqual([true, 0, true]);
});

it("leaves a part of a buffer alone, which others have parts of", () => {
  const whole = new Uint8Array(1000).fill(7);
  for (const part of [whole.subarray(1), whole.subarray(0, 999), Buffer.from("of Node's pool")])
    expect(free(part)).toBe(false);
  expect(whole.every((byte) => byte === 7)).toBe(true);
});

it("leaves shared memory alone, which other threads may have", () => {
  const shared = new Uint8Array(new SharedArrayBuffer(1000));
  expect([free(shared), shared.length]).toEqual([false, 1000]);
});
