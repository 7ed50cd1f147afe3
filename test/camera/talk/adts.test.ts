import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AdtsReader, aacFormat, adtsHeader } from "../../../src/camera/talk/adts.js";

/** An ADTS frame by its fields (ISO/IEC 13818-7, 6.2); `rateIndex` 8 is 16 kHz. */
function frame(unit: Buffer, { rateIndex = 8, channels = 1, checksum = false, blocks = 1 } = {}): Buffer {
  const length = 7 + (checksum ? 2 : 0) + unit.length;
  const header = Buffer.from([
    0xff,
    checksum ? 0xf0 : 0xf1,
    0x40 | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc | (blocks - 1),
  ]);
  return Buffer.concat([header, Buffer.alloc(checksum ? 2 : 0, 7), unit]);
}

const FORMAT = aacFormat(16_000, 1);
const unitsOf = (reader: AdtsReader, pieces: readonly Uint8Array[]): Buffer[] =>
  pieces.flatMap((piece) => reader.push(piece));

describe("a stream of ADTS frames", () => {
  it("has the access units that were put into it, in whatever pieces it comes", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lengths, cuts, fc.boolean(), (sizes, pieces, checksum) => {
        const units = sizes.map((size, index) => Buffer.alloc(size, index + 1));
        let rest = Buffer.concat(units.map((unit) => frame(unit, { checksum })));
        const reader = new AdtsReader(FORMAT);
        const found: Buffer[] = [];
        for (let at = 0; rest.length > 0; at += 1) {
          const size = pieces[at % pieces.length] ?? 1;
          found.push(...reader.push(rest.subarray(0, size)));
          rest = rest.subarray(size);
        }
        expect(found).toEqual(units);
      }),
    );
  });

  it("ends where it is damaged, or goes on in another format", () => {
    const unit = Buffer.alloc(20, 3);
    for (const [bytes, words] of [
      [Buffer.alloc(40), /not AAC in ADTS/],
      [frame(unit, { blocks: 2 }), /not AAC in ADTS/],
      [frame(unit, { channels: 2 }), /16000 Hz with 1 channel, and is of 16000 Hz with 2 channels/],
      [frame(unit, { rateIndex: 3 }), /and is of 48000 Hz/],
    ] as const) {
      const reader = new AdtsReader(FORMAT);
      expect(unitsOf(reader, [frame(unit)])).toEqual([unit]);
      expect(() => reader.push(bytes)).toThrow(words);
    }
  });

  it("says how much is missing up to the end of a frame", () => {
    const reader = new AdtsReader(FORMAT);
    expect(reader.missing).toBe(7);
    reader.push(frame(Buffer.alloc(100)).subarray(0, 7));
    expect(reader.missing).toBe(100);
  });
});

it("a header tells rate, channels and what a decoder needs", () => {
  expect(adtsHeader(frame(Buffer.alloc(9), { rateIndex: 3, channels: 2 }))).toMatchObject({
    ...{ sampleRate: 48_000, channels: 2, headerBytes: 7, bytes: 16 },
    initialization: Buffer.from("1190", "hex"),
  });
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.alloc(7),
    frame(Buffer.alloc(9), { rateIndex: 13 }),
    frame(Buffer.alloc(0)),
  ])
    expect(adtsHeader(bytes)).toBeUndefined();
});
