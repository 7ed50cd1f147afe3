import { expect, test } from "vitest";
import { IDLE_SLABS_KEPT, type Slab, SlabPool } from "../../src/live/index.js";
import { slabFrame } from "../support/media/synthetic-frames.js";

test("a pool hands out no more than its limit and takes slabs back", () => {
  const pool = new SlabPool({ slabBytes: 1024, totalBytesMax: 2048 });
  const first = pool.take();
  pool.take();
  expect(pool.take()).toBeUndefined();
  first?.release();
  expect(pool.take()).toBe(first);
  expect(pool.allocatedBytes).toBe(2048);
});

test("a slab is shared memory", () => {
  const slab = new SlabPool({ slabBytes: 1024, totalBytesMax: 1024 }).take();
  expect(slab?.memory).toBeInstanceOf(SharedArrayBuffer);
  expect(slab?.memory.byteLength).toBe(slab?.bytes.length);
});

test("releasing a slab too often is an error, not a second owner", () => {
  const slab = new SlabPool({ slabBytes: 1024, totalBytesMax: 1024 }).take();
  slab?.release();
  expect(() => slab?.release()).toThrow(/released more often/);
});

test("a frame's last release returns its slab, and a released frame cannot be retained", () => {
  const pool = new SlabPool({ slabBytes: 1024, totalBytesMax: 1024 });
  const { frame, slab } = slabFrame(pool, { decodeTimeUs: 1, byteLength: 10 });
  frame.retain();
  frame.release();
  expect(slab.leases).toBe(1);
  frame.release();
  expect(slab.leases).toBe(0);
  expect(() => frame.retain()).toThrow(/after its last release/);
});

test("other threads see what the filling thread writes", () => {
  const slab = new SlabPool({ slabBytes: 1024, totalBytesMax: 1024 }).take();
  slab?.bytes.fill(7, 100, 200);
  slab?.bytes.copyWithin(0, 150, 250);
  const seen = new Uint8Array(slab?.memory ?? new SharedArrayBuffer(0));
  expect([seen[0], seen[49], seen[50], seen[100], seen[199]]).toEqual([7, 7, 0, 7, 7]);
  expect(seen.length).toBe(1024);
});

/** Of this process. */
function residentBytes(): number {
  return process.memoryUsage.rss();
}

function manySlabs(count: number): { readonly pool: SlabPool; readonly slabs: Slab[] } {
  const slabBytes = 256 * 1024;
  const pool = new SlabPool({ slabBytes, totalBytesMax: count * slabBytes });
  const slabs = Array.from({ length: count }, () => pool.take()).filter((slab) => slab !== undefined);
  for (const slab of slabs) slab.bytes.fill(1);
  return { pool, slabs };
}

test("memory of slabs that stay idle goes back to the system", () => {
  const { pool, slabs } = manySlabs(256);
  for (const slab of slabs) slab.release();
  const before = residentBytes();
  pool.returnIdle();
  expect(pool.returnIdle()).toBeGreaterThan(60 * 1024 * 1024);
  expect(before - residentBytes()).toBeGreaterThan(56 * 1024 * 1024);
  expect(pool.allocatedBytes).toBe(IDLE_SLABS_KEPT * pool.slabBytes);
  expect(pool.idleBytes).toBe(IDLE_SLABS_KEPT * pool.slabBytes);
});

test("a slab whose memory was returned is handed out again, blank, and the pool's limit still holds", () => {
  const { pool, slabs } = manySlabs(32);
  for (const slab of slabs) slab.release();
  pool.returnIdle();
  pool.returnIdle();
  const again = Array.from({ length: 33 }, () => pool.take());
  expect(again.at(-1)).toBeUndefined();
  expect(new Set(again.slice(0, -1))).toEqual(new Set(slabs));
  again[31]?.bytes.fill(7);
  expect(new Uint8Array(again[31]?.memory ?? new SharedArrayBuffer(1))[0]).toBe(7);
  expect(pool.allocatedBytes).toBe(32 * pool.slabBytes);
});

test("slabs that were needed since the last call keep their memory", () => {
  const { pool, slabs } = manySlabs(32);
  for (const slab of slabs) slab.release();
  pool.returnIdle();
  const needed = Array.from({ length: 30 }, () => pool.take());
  for (const slab of needed) slab?.release();
  expect(pool.returnIdle()).toBe(0);
  expect(pool.allocatedBytes).toBe(32 * pool.slabBytes);
});

test("memory is short above a share of the pool, and refusals are counted", () => {
  const { pool, slabs } = manySlabs(16);
  expect(pool.isShort).toBe(true);
  expect(pool.take()).toBeUndefined();
  expect(pool.refusals).toBe(1);
  for (const slab of slabs.slice(0, 4)) slab.release();
  expect(pool.isShort).toBe(false);
});
