import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, diskAmount } from "../../src/settings/values.js";

describe("an amount of disk", () => {
  it.each([
    [0, { bytes: 0 }],
    ["4096", { bytes: 4096 }],
    ["500 GB", { bytes: 500e9 }],
    [" 1.5tb ", { bytes: 1.5e12 }],
    ["2MB", { bytes: 2e6 }],
    ["80%", { percent: 80 }],
    ["99.5 %", { percent: 99.5 }],
  ])("reads %j", (value, amount) => {
    expect(diskAmount.read(value)).toEqual(amount);
  });

  it.each([
    -1,
    1.5,
    Number.NaN,
    "",
    "GB",
    "1 PB",
    "-1 GB",
    "0%",
    "101%",
    "1e9",
    "999999999999999 TB",
    null,
    {},
    [1],
  ])("refuses %j", (value) => {
    expect(diskAmount.read(value)).toBeUndefined();
  });

  it("is at most the disk for a share, and whole bytes for anything", () => {
    const texts = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.nat({ max: 1e13 }));
    const property = fc.property(texts, ([percent, totalBytes]) => {
      const amount = diskAmount.read(`${percent}%`);
      const bytes = amount === undefined ? -1 : bytesOf(amount, totalBytes);
      expect(bytes).toBeLessThanOrEqual(totalBytes);
      expect(Number.isSafeInteger(bytes)).toBe(true);
    });
    fc.assert(property);
  });
});
