import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moveDown } from "../../src/rtsp/move-bytes.js";

describe("moving bytes down", () => {
  it("gives what copyWithin gives, at any distance, overlap and length, and touches nothing else", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(100), fc.nat(400), (to, distance, length) => {
        const moved = Buffer.from(new SharedArrayBuffer(1000));
        for (let index = 0; index < moved.length; index += 1) moved[index] = (index * 7919) >> 3;
        const expected = Buffer.from(moved);
        expected.copyWithin(to, to + distance, to + distance + length);
        moveDown(new DataView(moved.buffer), moved, to, to + distance, length);
        expect(moved.equals(expected)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
