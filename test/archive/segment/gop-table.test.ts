import fc from "fast-check";
import { expect, test } from "vitest";
import { packGopTable, unpackGopTable } from "../../../src/archive/segment/gop-table.js";

const gopTables = fc
  .array(
    fc.record({
      timeStepUs: fc.nat(100_000_000),
      offsetStep: fc.nat(2 ** 31 - 1),
      frames: fc.nat(100_000),
      damaged: fc.boolean(),
    }),
    { maxLength: 300 },
  )
  .map((steps) => {
    let decodeTimeUs = 1_700_000_000_000_000;
    let offset = 0;
    return steps.map((step) => {
      decodeTimeUs += step.timeStepUs;
      offset += step.offsetStep;
      return { decodeTimeUs, offset, frames: step.frames, damaged: step.damaged };
    });
  });

test("a packed GOP table reads back as it was", () => {
  fc.assert(
    fc.property(gopTables, (gops) => {
      expect(unpackGopTable(packGopTable(gops, 1_700_000_000_000_000), 1_700_000_000_000_000)).toEqual(gops);
    }),
  );
});

test("arbitrary bytes are read or refused with RangeError, never worse", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        expect(unpackGopTable(bytes, 0).length).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
