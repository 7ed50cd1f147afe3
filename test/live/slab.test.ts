import { expect, test } from "vitest";
import { SlabPool } from "../../src/live/index.js";
import { slabFrame } from "../support/synthetic-frames.js";

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
  expect(slab?.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
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
