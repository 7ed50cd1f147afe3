import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatApiTime,
  formatApiTimeMs,
  formatIsoTime,
  parseApiTime,
  parseIsoTime,
} from "../../src/base/index.js";

const at = (iso: string) => Date.parse(iso) * 1000;

describe("parseApiTime", () => {
  it.each([
    ["12.09.2023 03:49:51", "2023-09-12T03:49:51Z"],
    ["12.09.2023 03:49:51.5", "2023-09-12T03:49:51.500Z"],
    ["12.09.2023 03:49:51.123", "2023-09-12T03:49:51.123Z"],
    ["12.09.2023 3:49:51", "2023-09-12T03:49:51Z"],
    ["2.9.2023 3:4:5", "2023-09-02T03:04:05Z"],
    ["12-09-2023 03:49:51", "2023-09-12T03:49:51Z"],
    ["12/09/2023 03:49:51", "2023-09-12T03:49:51Z"],
    ["12.09.23 03:49:51", "2023-09-12T03:49:51Z"],
    ["2023.09.12 03:49:51", "2023-09-12T03:49:51Z"],
    ["2023-09-12 03:49:51", "2023-09-12T03:49:51Z"],
    ["12.09.2023+03:49:51", "2023-09-12T03:49:51Z"],
    ["01.01.2222 23:59:59", "2222-01-01T23:59:59Z"],
    ["01.01.1970 00:00:00", "1970-01-01T00:00:00Z"],
    ["29.02.2024 00:00:00", "2024-02-29T00:00:00Z"],
    ["31.12.1969 23:59:59.999", "1970-01-01T00:00:00Z"],
    ["01.01.0001 00:00:00", "1970-01-01T00:00:00Z"],
  ])("reads %s", (text, iso) => {
    expect(parseApiTime(text)).toBe(at(iso));
  });

  it("reads up to seven fraction digits, cut to microseconds", () => {
    expect(parseApiTime("12.09.2023 03:49:51.1234567")).toBe(at("2023-09-12T03:49:51Z") + 123_456);
  });

  it.each([
    "",
    "now",
    "12.09.2023",
    "12.09.2023 03:49",
    "31.02.2023 00:00:00",
    "29.02.2023 00:00:00",
    "00.01.2023 00:00:00",
    "01.13.2023 00:00:00",
    "12.09.2023 24:00:00",
    "12.09.2023 23:60:00",
    "12.09.2023 23:59:60",
    "12.09-2023 03:49:51",
    "12.09.202 03:49:51",
    "123.09.2023 03:49:51",
    "2023.09.2023 03:49:51",
    "12.09.2023T03:49:51",
    "12.09.2023 03:49:51.12345678",
    "12.09.2023 03:49:51Z",
    "01.01.0000 00:00:00",
    "30.02.0001 00:00:00",
    "1\u0660.09.2023 03:49:51",
  ])("refuses %j", (text) => {
    expect(parseApiTime(text)).toBeUndefined();
  });

  it("never throws, and returns a whole number or undefined", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.nat({ max: 99_999 }).map(String),
      fc.constantFrom(".", "-", "/", ":", " ", "+"),
    );
    const property = fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
      const timeUs = parseApiTime(pieces.join(""));
      expect(timeUs === undefined || (Number.isInteger(timeUs) && timeUs >= 0)).toBe(true);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it("takes time linear in a hostile text", () => {
    expect(parseApiTime(`1.1.2023${" ".repeat(100_000)}x`)).toBeUndefined();
  });
});

/** As far as a double holds microseconds (clock.ts). */
const milliseconds = fc.integer({ min: 0, max: Date.UTC(2255, 0, 1) });

describe("the API's time spellings", () => {
  it("of seconds and milliseconds are read back as they were", () => {
    const property = fc.property(milliseconds, (ms) => {
      expect(parseApiTime(formatApiTimeMs(ms * 1000))).toBe(ms * 1000);
      expect(parseApiTime(formatApiTime(ms * 1000))).toBe(Math.floor(ms / 1000) * 1_000_000);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it("truncate instead of rounding", () => {
    const timeUs = at("2023-12-31T23:59:59Z") + 999_999;
    expect(formatApiTime(timeUs)).toBe("31.12.2023 23:59:59");
    expect(formatApiTimeMs(timeUs)).toBe("31.12.2023 23:59:59.999");
    expect(formatIsoTime(timeUs)).toBe("2023-12-31T23:59:59.9999990Z");
  });

  it("of ISO have seven fraction digits and keep every microsecond", () => {
    const property = fc.property(milliseconds, fc.nat({ max: 999 }), (ms, us) => {
      const text = formatIsoTime(ms * 1000 + us);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}0Z$/);
      expect(Date.parse(text)).toBe(ms);
      expect(text.slice(-5, -2)).toBe(String(us).padStart(3, "0"));
    });
    fc.assert(property, { numRuns: 1000 });
  });
});

describe("parseIsoTime", () => {
  it("reads what formatIsoTime writes", () => {
    const property = fc.property(milliseconds, fc.nat({ max: 999 }), (ms, us) => {
      expect(parseIsoTime(formatIsoTime(ms * 1000 + us))).toBe(ms * 1000 + us);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it.each([
    ["2023-09-12T03:49:51", "2023-09-12T03:49:51Z"],
    ["2023-09-12T03:49:51+02:30", "2023-09-12T01:19:51Z"],
    ["2024-02-29T00:00:00.5Z", "2024-02-29T00:00:00.500Z"],
  ])("reads %s", (text, expected) => {
    expect(parseIsoTime(text)).toBe(at(expected));
  });

  it.each([
    "2023-02-29T00:00:00Z",
    "2023-13-01T00:00:00Z",
    "2023-01-01T24:00:00Z",
    "2023-01-01T00:00:00+99:00",
    "1969-12-31T23:59:59Z",
    "2023-01-01",
    "2023-01-01T00:00Z",
    "12.09.2023 03:49:51",
    "",
  ])("refuses %j", (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });
});
