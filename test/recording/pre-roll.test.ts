import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../src/base/index.js";
import { SlabPool } from "../../src/live/index.js";
import { PRE_ROLL_TOTAL_BYTES_MAX, PreRoll } from "../../src/recording/index.js";
import { slabFrame, syntheticFrame } from "../support/media/synthetic-frames.js";

const SECOND_US = 1_000_000;

function push(preRoll: PreRoll, timeUs: number, key: boolean, bytes = new Uint8Array(8)): boolean {
  const frame = syntheticFrame({ decodeTimeUs: timeUs, key, bytes });
  const fits = preRoll.push(frame);
  frame.release();
  return fits;
}

function drained(preRoll: PreRoll, fromUs: number): number[] {
  const times: number[] = [];
  preRoll.drain(fromUs, (frame) => times.push(frame.decodeTimeUs));
  return times;
}

describe("a pre-roll", () => {
  test("keeps whole GOPs that reach back as far as is wanted, and no more", () => {
    const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
    preRoll.keepUs = 3 * SECOND_US;
    for (let second = 0; second < 20; second += 1) push(preRoll, second * SECOND_US, second % 2 === 0);
    expect(preRoll.bytes).toBe(4 * 8);
    expect(drained(preRoll, 0)).toEqual([16, 17, 18, 19].map((second) => second * SECOND_US));
    expect(preRoll.bytes).toBe(0);
  });

  test("drains from the last key frame at or before the wanted time", () => {
    for (const [fromUs, expected] of [
      [1, [0, 1, 2, 3, 4, 5]],
      [2, [2, 3, 4, 5]],
      [3, [2, 3, 4, 5]],
      [9, [4, 5]],
    ] as const) {
      const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
      preRoll.keepUs = SECOND_US;
      for (let at = 0; at < 6; at += 1) push(preRoll, at, at % 2 === 0);
      expect(drained(preRoll, fromUs)).toEqual(expected);
    }
  });

  test("begins with a key frame: earlier frames are dropped", () => {
    const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
    push(preRoll, 1, false);
    push(preRoll, 2, true);
    expect(drained(preRoll, 0)).toEqual([2]);
  });

  test("drops the oldest GOPs when a stream has too many bytes, and finally the current one", () => {
    const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
    preRoll.keepUs = 60 * SECOND_US;
    const third = new Uint8Array((32 * 1024 * 1024) / 3);
    const fits = [0, 1, 2, 3].map((at) => push(preRoll, at, true, third));
    expect(fits).toEqual([true, true, true, false]);
    expect(preRoll.bytes).toBe(3 * third.length);
    expect(push(preRoll, 5, false, third)).toBe(false);
    expect(push(preRoll, 6, false, third)).toBe(false);
    expect(push(preRoll, 7, false, third)).toBe(false);
    expect(preRoll.bytes).toBe(0);
    expect(push(preRoll, 8, true)).toBe(true);
    expect(drained(preRoll, 0)).toEqual([8]);
  });

  test("takes exactly 32 MiB of one stream", () => {
    const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
    preRoll.keepUs = 60 * SECOND_US;
    const quarter = new Uint8Array(8 * 1024 * 1024);
    expect([0, 1, 2, 3].map((at) => push(preRoll, at, true, quarter))).toEqual([true, true, true, true]);
    expect(push(preRoll, 4, true, new Uint8Array(1))).toBe(false);
    expect(drained(preRoll, 0)).toEqual([1, 2, 3, 4]);
  });

  test("of many streams together keeps what their budget allows", () => {
    const budget = new ByteBudget(1000);
    const streams = Array.from({ length: 10 }, () => new PreRoll(budget));
    for (const preRoll of streams) preRoll.keepUs = 60 * SECOND_US;
    for (let at = 0; at < 100; at += 1)
      for (const preRoll of streams) push(preRoll, at, at % 5 === 0, new Uint8Array(50));
    expect(budget.bytes).toBeLessThanOrEqual(1000);
    expect(streams.reduce((sum, preRoll) => sum + preRoll.bytes, 0)).toBe(budget.bytes);
    for (const preRoll of streams) preRoll.clear();
    expect(budget.bytes).toBe(0);
  });

  test("gives every slab back", () => {
    const pool = new SlabPool({ slabBytes: 1000, totalBytesMax: 100_000 });
    const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
    preRoll.keepUs = 10;
    for (let at = 0; at < 200; at += 1) {
      const { frame } = slabFrame(pool, { decodeTimeUs: at, key: at % 3 === 0, byteLength: 10 });
      preRoll.push(frame);
      frame.release();
    }
    expect(pool.allocatedBytes - pool.idleBytes).toBeLessThanOrEqual(14_000);
    preRoll.drain(195, () => undefined);
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });

  test("that continues a recording reports it until the partly recorded GOP is dropped", () => {
    const preRoll = new PreRoll(new ByteBudget(PRE_ROLL_TOTAL_BYTES_MAX));
    preRoll.keepUs = 4;
    preRoll.continueFrom(10);
    push(preRoll, 12, false);
    push(preRoll, 13, true);
    push(preRoll, 16, false);
    expect([preRoll.continuesRecording, preRoll.startUs(12), preRoll.startUs(13)]).toEqual([true, 12, 13]);
    push(preRoll, 17, false);
    expect([preRoll.continuesRecording, preRoll.startUs(0)]).toEqual([false, 13]);
  });
});
