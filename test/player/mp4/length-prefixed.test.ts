import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lengthPrefixed, nalUnitsOf } from "../../../src/player/mp4/length-prefixed.js";

/** NAL units as an encoder makes them: no start code within, no zero at the end. */
const nal = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from([0x65, ...bytes.map((byte) => Math.max(4, byte))]));
const LONG = Buffer.from([0, 0, 0, 1]);
const SHORT = Buffer.from([0, 0, 1]);

function unitsIn(prefixed: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at < prefixed.length; ) {
    const length = prefixed.readUInt32BE(at);
    units.push(prefixed.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return units;
}

describe("NAL units with their length before them", () => {
  it("are those of the access unit, whatever start codes it has", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(nal, fc.boolean()), { minLength: 1, maxLength: 8 }), (nals) => {
        const unit = Buffer.concat(nals.flatMap(([bytes, long]) => [long ? LONG : SHORT, bytes]));
        expect(unitsIn(lengthPrefixed(unit))).toEqual(nals.map(([bytes]) => bytes));
      }),
    );
  });

  it("take the place of start codes of four bytes without a copy", () => {
    const unit = Buffer.concat([LONG, Buffer.from([0x67, 9]), LONG, Buffer.from([0x65, 8, 7])]);
    expect(lengthPrefixed(unit)).toBe(unit);
    expect(unit).toEqual(Buffer.from([0, 0, 0, 2, 0x67, 9, 0, 0, 0, 3, 0x65, 8, 7]));
  });

  it("never grow beyond the bytes allowed, and never overrun, whatever the bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 0, 0, 1, 2), { maxLength: 60 }),
        fc.integer({ min: 0, max: 3 }),
        (bytes, growthBytesMax) => {
          const prefixed = lengthPrefixed(Buffer.from(bytes), growthBytesMax);
          expect(prefixed.length).toBeLessThanOrEqual(bytes.length + growthBytesMax);
          const units = unitsIn(prefixed);
          expect(units.reduce((sum, unit) => sum + 4 + unit.length, 0)).toBe(prefixed.length);
        },
      ),
    );
  });

  it("are found without zeros after them", () => {
    const unit = Buffer.from([0, 0, 0, 1, 5, 6, 0, 0, 0, 0, 1, 7, 0]);
    expect(nalUnitsOf(unit)).toEqual([Buffer.from([5, 6]), Buffer.from([7])]);
  });
});
