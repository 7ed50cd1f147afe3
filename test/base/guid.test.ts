import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_GUID, guidFromBytes, guidToBytes, newGuid, parseGuid } from "../../src/base/index.js";

const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe("GUIDs", () => {
  it("are fresh, of version 4, in lower case with dashes", () => {
    const guids = Array.from({ length: 1000 }, newGuid);
    expect(new Set(guids).size).toBe(1000);
    for (const guid of guids)
      expect(guid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("convert between text and bytes, at any offset", () => {
    const property = fc.property(bytes16, fc.nat({ max: 20 }), (bytes, offset) => {
      const guid = guidFromBytes(bytes);
      expect(guidToBytes(guid)).toEqual(bytes);
      const larger = new Uint8Array(offset + 20);
      larger.set(bytes, offset);
      expect(guidFromBytes(larger, offset)).toBe(guid);
      expect(guidFromBytes(larger.subarray(offset), 0)).toBe(guid);
    });
    fc.assert(property);
  });

  it("are read in either case and in braces", () => {
    const property = fc.property(bytes16, fc.boolean(), fc.boolean(), (bytes, upper, braces) => {
      const guid = guidFromBytes(bytes);
      const cased = upper ? guid.toUpperCase() : guid;
      expect(parseGuid(braces ? `{${cased}}` : cased)).toBe(guid);
    });
    fc.assert(property);
  });

  it.each([
    "",
    "0",
    `{${EMPTY_GUID}`,
    `${EMPTY_GUID} `,
    EMPTY_GUID.replaceAll("-", ""),
    `${EMPTY_GUID.slice(0, -1)}g`,
  ])("are not %j", (text) => {
    expect(parseGuid(text)).toBeUndefined();
    expect(() => guidToBytes(text)).toThrow(RangeError);
  });
});
