import { expect, it } from "vitest";
import { PassedPackets } from "../../../src/rtsp/rtp/passed-packets.js";

/** A packet of an RTP header and `bytes` more, the one at `changed` another. */
function packet(timestamp: number, bytes = 60, changed?: number): Buffer {
  const buffer = Buffer.alloc(12 + bytes, 7);
  buffer.writeUInt32BE(timestamp, 4);
  if (changed !== undefined) buffer.writeUInt8(9, changed);
  return buffer;
}

function setUp() {
  const passed = new PassedPackets();
  const pass = (sequence: number, bytes: Buffer) => passed.passed(sequence, bytes, 0, bytes.length);
  const isOf = (sequence: number, bytes: Buffer) => passed.isOf(sequence, bytes, 0, bytes.length);
  return { passed, pass, isOf };
}

it("a packet that comes again is of the sequence, one of its number that differs begins another", () => {
  const { pass, isOf } = setUp();
  pass(5, packet(1000));
  expect(isOf(5, packet(1000))).toBe(true);
  expect(isOf(5, packet(1001))).toBe(false);
  expect(isOf(5, packet(1000, 61))).toBe(false);
  expect(isOf(5, packet(1000, 60, 8))).toBe(false);
  expect(isOf(5, packet(1000, 60, 23))).toBe(false);
  expect(isOf(5, packet(1000, 60, 56))).toBe(false);
  expect(isOf(5, packet(1000, 60, 71))).toBe(false);
  expect(isOf(6, packet(1000))).toBe(false);
});

it("bytes in the middle of a packet are not compared", () => {
  const { pass, isOf } = setUp();
  pass(5, packet(1000));
  expect([isOf(5, packet(1000, 60, 28)), isOf(5, packet(1000, 60, 43))]).toEqual([true, true]);
});

it("256 packets are remembered", () => {
  const { pass, isOf } = setUp();
  for (let sequence = 0; sequence < 257; sequence++) pass(sequence, packet(sequence));
  expect([isOf(0, packet(0)), isOf(1, packet(1)), isOf(256, packet(256))]).toEqual([false, true, true]);
});

it("a packet that was given up is of the sequence while it is not newer than the newest", () => {
  const { passed, pass, isOf } = setUp();
  pass(4, packet(1000));
  passed.gaveUp(5, 2);
  pass(7, packet(3000));
  expect([isOf(5, packet(2000)), isOf(6, packet(3000)), isOf(6, packet(3001))]).toEqual([true, true, false]);
});

it("of many that were given up the last 256 are remembered, over the end of the numbers", () => {
  const { passed, isOf } = setUp();
  passed.gaveUp(0xff80, 300);
  const first = (0xff80 + 300 - 256) & 0xffff;
  expect([
    isOf(first, packet(0)),
    isOf(first - 1, packet(0)),
    isOf(171, packet(0)),
    isOf(172, packet(0)),
  ]).toEqual([...[true, false, true, false]]);
});

it("nothing is remembered of a sequence that is forgotten", () => {
  const { passed, pass, isOf } = setUp();
  pass(5, packet(1000));
  passed.forget();
  expect(isOf(5, packet(1000))).toBe(false);
});
