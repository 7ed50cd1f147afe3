import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter, readAnswer, readRequest } from "../../../src/host/control/control-protocol.js";

describe("LineSplitter", () => {
  it("finds the same lines however the bytes arrive", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""));
    const property = fc.property(fc.array(line), fc.array(fc.nat({ max: 500 })), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const splitter = new LineSplitter(100_000);
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
      const found = ends.flatMap((end, index) => splitter.push(bytes.subarray(ends[index - 1] ?? 0, end)));
      expect(found).toEqual(lines);
    });
    fc.assert(property);
  });

  it("refuses a line that is too long, at once and in pieces", () => {
    expect(() => new LineSplitter(10).push(Buffer.from("12345678901\n"))).toThrow(
      expect.objectContaining({ code: "TOO_LARGE" }),
    );
    const splitter = new LineSplitter(10);
    splitter.push(Buffer.from("123456"));
    expect(() => splitter.push(Buffer.from("78901"))).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
    expect(new LineSplitter(10).push(Buffer.from("1234567890\n1234567890\n"))).toHaveLength(2);
  });
});

describe("control messages", () => {
  it("of any JSON are read or refused, never crash", () => {
    const property = fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(["progress", "result", "error"]).toContain(readAnswer(text).kind);
      try {
        expect(typeof readRequest(text).command).toBe("string");
      } catch (error) {
        expect(["BAD_REQUEST", "NOT_SUPPORTED"]).toContain((error as { code: string }).code);
      }
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
