import { beforeEach, describe, expect, it } from "vitest";
import { ByteStream } from "../../../src/rtsp/depacketize/byte-stream.js";
import { CUT_BYTES_MIN } from "../../../src/rtsp/depacketize/depacketizer.js";
import type { NalSyntax } from "../../../src/rtsp/depacketize/nal-syntax.js";
import type { RtpPacket } from "../../../src/rtsp/rtp/types.js";

/** As H.264 has it: slices are of the types 1 to 5, fragments of 28. */
const SYNTAX = {
  headerBytes: 1,
  fragments: { structureMask: 0x1f, structure: 28 },
  type: (buffer: Buffer, at: number) => (buffer[at] ?? 0) & 0x1f,
  isPicture: (type: number) => type >= 1 && type <= 5,
} as unknown as NalSyntax;
const [SLICE, IDR, FORBIDDEN] = [0x41, 0x65, 0xff];
const HEADER_BYTES = 12;

function packet(first: readonly number[], bytes: number, change: Partial<RtpPacket> = {}): RtpPacket {
  const buffer = Buffer.alloc(HEADER_BYTES + bytes);
  buffer.set(first, HEADER_BYTES);
  const span = { payloadStart: HEADER_BYTES, payloadEnd: HEADER_BYTES + bytes };
  return { buffer, ...span, timestamp: 7, marker: false, lost: 0, ...change } as RtpPacket;
}

describe("a camera that cuts its pictures anywhere", () => {
  let stream: ByteStream;

  beforeEach(() => {
    stream = new ByteStream(SYNTAX);
  });

  /** The first packet of a picture, with a start code. */
  const begin = (bytes = CUT_BYTES_MIN) => stream.note(packet([0, 0, 0, 1], bytes), true, IDR & 0x1f);
  const takes = (first: readonly number[], bytes = 500, change: Partial<RtpPacket> = {}) =>
    stream.takes(packet(first, bytes, change), false);

  it("is found by a packet behind a cut unit that is no part of a picture by itself", () => {
    begin();
    expect([takes([FORBIDDEN]), stream.isFound]).toEqual([true, true]);
  });

  it.each([
    ["with the header of another kind of slice", [SLICE], CUT_BYTES_MIN, true],
    ["with the header of the picture's own slices", [IDR], CUT_BYTES_MIN, false],
    ["that is short and might be a unit of another kind", [0x06], CUT_BYTES_MIN - 1, false],
    ["that is as long as cut ones and of another kind", [0x06], CUT_BYTES_MIN, true],
    ["that begins a fragment of the picture's kind", [0x7c, 0x85], 500, false],
    ["that begins a fragment of another kind of slice", [0x7c, 0x81], 500, true],
    ["that goes on with a fragment which nothing began", [0x7c, 0x05], 500, true],
    ["that is empty", [], 0, false],
  ])("is found by one %s: %j of %i bytes, %s", (_name, first, bytes, isFound) => {
    begin();
    expect(takes(first, bytes)).toBe(isFound);
  });

  it("is not found by a packet that is longer than the one before, lost its neighbour or is of another time", () => {
    begin();
    expect(takes([FORBIDDEN], CUT_BYTES_MIN + 1)).toBe(false);
    expect(takes([FORBIDDEN], 500, { lost: 1 })).toBe(false);
    expect(takes([FORBIDDEN], 500, { timestamp: 8 })).toBe(false);
    expect(takes([FORBIDDEN], CUT_BYTES_MIN)).toBe(true);
  });

  it("is not found behind a unit that is too short to be cut", () => {
    begin(CUT_BYTES_MIN - 1);
    expect(takes([FORBIDDEN])).toBe(false);
  });

  it("is one until a picture begins without a start code, unless something was lost before it", () => {
    begin();
    takes([FORBIDDEN]);
    stream.note(packet([FORBIDDEN], 500, { marker: true }), false, IDR & 0x1f);
    expect(takes([IDR], 500, { timestamp: 8, lost: 1 })).toBe(true);
    expect(stream.takes(packet([0, 0, 0, 1], 500, { timestamp: 8 }), true)).toBe(true);
    expect(takes([IDR], 500)).toBe(true);
    expect([takes([IDR], 500, { timestamp: 8 }), stream.isFound]).toEqual([false, false]);
  });

  it("is forgotten with its session", () => {
    begin();
    takes([FORBIDDEN]);
    stream.reset();
    expect([stream.isFound, takes([FORBIDDEN])]).toEqual([false, false]);
  });
});
