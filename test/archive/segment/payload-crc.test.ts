import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { payloadCrc } from "../../../src/archive/segment/payload-crc.js";

describe("payload CRC", () => {
  it("is zlib's for any bytes, at any place, from any start", () => {
    const bytes = fc.uint8Array({ minLength: 41, maxLength: 2000 });
    fc.assert(
      fc.property(bytes, fc.nat(40), fc.integer({ min: 0, max: 0xffffffff }), (memory, from, crc) => {
        const part = memory.subarray(from);
        expect(payloadCrc(part, crc)).toBe(crc32(part, crc));
      }),
    );
  });

  it("is zlib's for each length around a block, and for shared memory", () => {
    const memory = new Uint8Array(new SharedArrayBuffer(4096)).map((_, index) => (index * 131) & 0xff);
    for (let length = 1; length <= 400; length += 1) {
      const part = memory.subarray(7, 7 + length);
      expect(payloadCrc(part, 0)).toBe(crc32(part, 0));
    }
  });
});
