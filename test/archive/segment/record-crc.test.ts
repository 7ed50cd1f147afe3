import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { payloadCrc, sealRecordHeader, wholeRecords } from "../../../src/archive/segment/record-crc.js";
import {
  RECORD_HEADER_BYTES,
  RecordKind,
  writeRecordCrc,
  writeRecordHeader,
} from "../../../src/archive/segment/segment-format.js";
import { loadNativeAddon } from "../../../src/base/index.js";

it("is the addon's", () => expect(payloadCrc).toBe(loadNativeAddon().functions.crc32));
it("seals by the addon's", () => expect(sealRecordHeader).toBe(loadNativeAddon().functions.sealRecordHeader));

it("is that of zlib for any length, start and seed, in shared memory too", () => {
  const memory = Buffer.from(new SharedArrayBuffer(4096));
  for (let at = 0; at < memory.length; at++) memory[at] = (at * 2_654_435_761) >>> 13;
  for (let length = 0; length < 300; length++) {
    const bytes = memory.subarray(length % 17, (length % 17) + length);
    expect(payloadCrc(bytes, length * 7919)).toBe(crc32(bytes, length * 7919));
  }
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 4096 }),
      fc.nat({ max: 0xffff_ffff }),
      (bytes, seed) => {
        expect(payloadCrc(bytes, seed)).toBe(crc32(bytes, seed));
      },
    ),
  );
});

const SEED = 0x1234_5678;

function records(lengths: readonly number[]): Buffer {
  const bytes = Buffer.alloc(
    lengths.reduce((sum, length) => sum + RECORD_HEADER_BYTES + length, 0),
    0x5a,
  );
  let at = 0;
  for (const payloadBytes of lengths) {
    const fields = { payloadBytes, codec: 1, flags: 0, presentationOffsetUs: 0, decodeTimeUs: at };
    writeRecordHeader(bytes, at, { kind: RecordKind.FRAME, ...fields });
    const start = at + RECORD_HEADER_BYTES;
    const crc = sealRecordHeader(bytes, at, SEED);
    writeRecordCrc(bytes, at, crc32(bytes.subarray(start, start + payloadBytes), crc));
    at = start + payloadBytes;
  }
  return bytes;
}

it("counts whole records up to the first that is damaged or cut off, whichever byte of it", () => {
  const bytes = records([100, 0, 77]);
  expect(wholeRecords(bytes, SEED)).toBe(bytes.length);
  expect(wholeRecords(bytes, SEED + 1)).toBe(0);
  const ends = [128, 156, 261];
  for (let at = 0; at < bytes.length; at++) {
    const whole = [0, ...ends].findLast((end) => end <= at) ?? 0;
    expect(wholeRecords(bytes.subarray(0, at), SEED)).toBe(whole);
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(wholeRecords(damaged, SEED)).toBe(whole);
  }
});

it("takes nothing for bytes that are none", () => {
  const call = wholeRecords as (...args: unknown[]) => number;
  for (const args of [[], [1, 2], ["text", 1], [new Float64Array(4), 1], [Buffer.alloc(40), "1"]])
    expect(call(...args)).toBe(0);
});

it("seals a header as its fields and the seed ask for, and touches nothing beside its CRC", () => {
  const header = records([0]).fill(0, 0, 4);
  const bytes = Buffer.concat([Buffer.alloc(5, 0xee), header, Buffer.alloc(5, 0xee)]);
  const expected = Buffer.from(bytes);
  expected.writeUInt32LE(crc32(bytes.subarray(5 + 4, 5 + 24), SEED), 5);
  expect(sealRecordHeader(bytes, 5, SEED)).toBe(crc32(expected.subarray(5, 5 + 24), SEED));
  expect(bytes).toEqual(expected);
});

it.each([-1, 1, 28, 2 ** 40])("refuses to seal a header where no whole one lies: at %j", (at) => {
  expect(() => sealRecordHeader(Buffer.alloc(RECORD_HEADER_BYTES), at, SEED)).toThrow(RangeError);
});
