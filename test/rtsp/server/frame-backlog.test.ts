import { expect, it } from "vitest";
import { SlabPool } from "../../../src/live/index.js";
import { FrameBacklog } from "../../../src/rtsp/server/frame-backlog.js";
import { slabFrame, syntheticFrame } from "../../support/media/synthetic-frames.js";

const MIB = 1024 * 1024;
const SINCE = { sinceUs: 1000, counts: true };

const frameOf = (bytes: number) =>
  syntheticFrame({ decodeTimeUs: 0, key: false, bytes: new Uint8Array(bytes) });

it("is full beyond 4 MiB of frames that count, and never while nothing waits", () => {
  const backlog = new FrameBacklog();
  expect(backlog.isFull(frameOf(5 * MIB), 0)).toBe(false);
  backlog.push(frameOf(8 * MIB), { sinceUs: 1000, counts: false });
  backlog.push(frameOf(3 * MIB), SINCE);
  expect([backlog.isFull(frameOf(MIB), 1000), backlog.isFull(frameOf(MIB + 1), 1000)]).toEqual([false, true]);
  backlog.shift();
  expect(backlog.isFull(frameOf(MIB + 1), 1000)).toBe(true);
  backlog.shift();
  backlog.push(frameOf(1), SINCE);
  expect(backlog.isFull(frameOf(MIB + 1), 1000)).toBe(false);
});

it("is full when the first frame has waited for more than five seconds", () => {
  const backlog = new FrameBacklog();
  backlog.push(frameOf(1), { sinceUs: 1000, counts: false });
  backlog.push(frameOf(1), { sinceUs: 2000, counts: false });
  const fullAt = (us: number) => backlog.isFull(frameOf(1), us);
  expect([fullAt(5_001_000), fullAt(5_001_001)]).toEqual([false, true]);
  backlog.shift();
  expect([fullAt(5_002_000), fullAt(5_002_001)]).toEqual([false, true]);
});

it("holds each frame's bytes until it is taken or cleared", () => {
  const pool = new SlabPool({ slabBytes: 1000, totalBytesMax: 100_000 });
  const backlog = new FrameBacklog();
  for (let at = 0; at < 3; at++) {
    const { frame } = slabFrame(pool, { decodeTimeUs: at, key: true, byteLength: 600 });
    backlog.push(frame, SINCE);
    frame.release();
  }
  expect([backlog.length, backlog.first?.decodeTimeUs]).toEqual([3, 0]);
  const { first } = backlog;
  backlog.shift();
  expect([backlog.length, backlog.first?.decodeTimeUs]).toEqual([2, 1]);
  first?.release();
  expect(backlog.clear()).toBe(2);
  expect([backlog.length, pool.allocatedBytes - pool.idleBytes]).toEqual([0, 0]);
  expect(backlog.clear()).toBe(0);
});

it("counts from nothing again after it was cleared", () => {
  const backlog = new FrameBacklog();
  backlog.push(frameOf(4 * MIB), SINCE);
  backlog.clear();
  backlog.push(frameOf(1), SINCE);
  expect(backlog.isFull(frameOf(MIB), 1000)).toBe(false);
});
