import { expect, test } from "vitest";
import { SlabPool } from "../../src/live/index.js";
import { slabFrame } from "../support/media/synthetic-frames.js";

test("a pool hands out no more than its bound and takes slabs back", () => {
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

test("a frame's last release gives its slab back, and a dead frame cannot be revived", () => {
  const pool = new SlabPool({ slabBytes: 1024, totalBytesMax: 1024 });
  const { frame, slab } = slabFrame(pool, { decodeTimeUs: 1, byteLength: 10 });
  frame.retain();
  frame.release();
  expect(slab.leases).toBe(1);
  frame.release();
  expect(slab.leases).toBe(0);
  expect(() => frame.retain()).toThrow(/after its last release/);
});

test("what the filling thread writes is what other threads see", () => {
  const slab = new SlabPool({ slabBytes: 1024, totalBytesMax: 1024 }).take();
  slab?.bytes.fill(7, 100, 200);
  slab?.bytes.copyWithin(0, 150, 250);
  const seen = new Uint8Array(slab?.memory ?? new SharedArrayBuffer(0));
  expect([seen[0], seen[49], seen[50], seen[100], seen[199]]).toEqual([7, 7, 0, 7, 7]);
  expect(seen.length).toBe(1024);
});
