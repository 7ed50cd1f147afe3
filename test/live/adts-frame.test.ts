import fc from "fast-check";
import { expect, it } from "vitest";
import { parseAacConfig } from "../../src/live/codec/aac-config.js";
import { readAdtsFrame } from "../../src/live/codec/adts-frame.js";

interface Header {
  readonly objectType: number;
  readonly rateIndex: number;
  readonly channels: number;
  readonly frameBytes: number;
  readonly hasChecksum: boolean;
}

/** An ADTS header, bit by bit (ISO/IEC 14496-3, 1.A.2.2). */
function headerOf({ objectType, rateIndex, channels, frameBytes, hasChecksum }: Header): Buffer {
  const u = (value: number, count: number) => value.toString(2).padStart(count, "0");
  const fixed = `${u(0xfff, 12)}000${hasChecksum ? "0" : "1"}${u(objectType - 1, 2)}${u(rateIndex, 4)}1${u(channels, 3)}0000`;
  const bits = `${fixed}${u(frameBytes, 13)}${u(0x7ff, 11)}00`;
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

const AAC_LC: Header = { objectType: 2, rateIndex: 3, channels: 2, frameBytes: 300, hasChecksum: false };

it("a header says how long the frame is and how it is coded", () => {
  const header = fc.record({
    objectType: fc.integer({ min: 1, max: 4 }),
    rateIndex: fc.integer({ min: 0, max: 12 }),
    channels: fc.integer({ min: 1, max: 7 }),
    frameBytes: fc.integer({ min: 10, max: 8191 }),
    hasChecksum: fc.boolean(),
  });
  fc.assert(
    fc.property(header, fc.nat(9), (given, at) => {
      const bytes = Buffer.concat([Buffer.alloc(at, 0xff), headerOf(given)]);
      const { objectType, rateIndex, channels, frameBytes, hasChecksum } = given;
      const config = Buffer.alloc(2);
      config.writeUInt16BE(objectType * 2048 + rateIndex * 128 + channels * 8);
      expect(readAdtsFrame(bytes, at, bytes.length)).toEqual({
        headerBytes: hasChecksum ? 9 : 7,
        frameBytes,
        config,
      });
    }),
  );
});

it("its configuration is one of AAC", () => {
  const config = readAdtsFrame(headerOf(AAC_LC), 0, 7)?.config ?? Buffer.alloc(0);
  expect(parseAacConfig(config)).toEqual({ sampleRate: 48_000, channels: 2, frameSamples: 1024 });
});

it.each([
  ["of a reserved rate", { ...AAC_LC, rateIndex: 13 }],
  ["of a frame of nothing but the header", { ...AAC_LC, frameBytes: 7 }],
  ["of a frame of nothing but the header and its checksum", { ...AAC_LC, frameBytes: 9, hasChecksum: true }],
])("a header %s is none", (_name, header) => {
  expect(readAdtsFrame(headerOf(header), 0, 7)).toBeUndefined();
});

it.each([
  ["a shorter frame", { ...AAC_LC, frameBytes: 8 }],
  ["a shorter frame with a checksum", { ...AAC_LC, frameBytes: 10, hasChecksum: true }],
])("the header of %s is one", (_name, header) => {
  expect(readAdtsFrame(headerOf(header), 0, 7)?.frameBytes).toBe(header.frameBytes);
});

it("what ends before the header does, or begins otherwise, is none", () => {
  const bytes = headerOf(AAC_LC);
  expect(readAdtsFrame(bytes, 0, 6)).toBeUndefined();
  expect(readAdtsFrame(bytes, 1, 7)).toBeUndefined();
  for (const [at, bit] of [
    [0, 0x01],
    [1, 0x10],
    [1, 0x02],
    [1, 0x04],
  ] as const) {
    const wrong = Buffer.from(bytes);
    wrong[at] = (wrong[at] ?? 0) ^ bit;
    expect(readAdtsFrame(wrong, 0, 7)).toBeUndefined();
  }
});
