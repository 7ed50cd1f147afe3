import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countWithin,
  DETECTOR_BYTES_MAX,
  DETECTOR_MEMORY_BYTES_MIN,
  MEMORY_BYTES_MIN,
  MEMORY_SHARE_NAMES,
  MEMORY_SHARES,
  preRollBytes,
  shareOut,
  volumeHeldBytes,
} from "../../../src/service/part/memory-shares.js";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const totals = fc.integer({ min: 256 * MIB, max: 64 * GIB });
const sumOf = (shares: Readonly<Record<string, number>>) =>
  Object.values(shares).reduce((sum, bytes) => sum + bytes, 0);

describe("memory shared out", () => {
  it("is never more than there is, unless the floors alone are", () => {
    fc.assert(
      fc.property(totals, (total) => {
        expect(sumOf(shareOut(total))).toBeLessThanOrEqual(Math.max(total, MEMORY_BYTES_MIN));
      }),
    );
  });

  it("gives each part its floor at the least and its cap at the most", () => {
    fc.assert(
      fc.property(totals, (total) => {
        const shares = shareOut(total);
        for (const name of MEMORY_SHARE_NAMES) {
          expect(shares[name]).toBeGreaterThanOrEqual(MEMORY_SHARES[name].floor);
          expect(shares[name]).toBeLessThanOrEqual(MEMORY_SHARES[name].cap);
        }
      }),
    );
  });

  it("gives no part less where there is more", () => {
    fc.assert(
      fc.property(totals, fc.nat(GIB), (total, more) => {
        const [less, larger] = [shareOut(total), shareOut(total + more)];
        for (const name of MEMORY_SHARE_NAMES) expect(larger[name]).toBeGreaterThanOrEqual(less[name]);
      }),
    );
  });

  it("is whole bytes, and whole thousandths", () => {
    fc.assert(
      fc.property(totals, (total) => {
        for (const bytes of Object.values(shareOut(total))) expect(Number.isSafeInteger(bytes)).toBe(true);
      }),
    );
    expect(MEMORY_SHARE_NAMES.reduce((sum, name) => sum + MEMORY_SHARES[name].weight, 0)).toBe(1000);
  });

  it("fits a control group of 512 MB, with room for more than the floors", () => {
    expect(MEMORY_BYTES_MIN).toBeLessThan(450e6);
    expect(shareOut(512e6).frames).toBeGreaterThan(MEMORY_SHARES.frames.floor);
  });

  it("has a whole share for the detector of objects where it looks unasked, and none on a small machine", () => {
    expect(shareOut(DETECTOR_MEMORY_BYTES_MIN).detector).toBe(DETECTOR_BYTES_MAX);
    expect(shareOut(DETECTOR_MEMORY_BYTES_MIN - 2).detector).toBeLessThan(DETECTOR_BYTES_MAX);
    expect(shareOut(768 * MIB).detector).toBe(0);
  });

  it("of a machine of 64 GiB has every cap", () => {
    const shares = shareOut(64 * GIB);
    for (const name of MEMORY_SHARE_NAMES)
      if (name !== "stillCache") expect(shares[name]).toBe(MEMORY_SHARES[name].cap);
  });
});

describe("the memory for frames", () => {
  it("holds what waits for the volumes and for motion together, with a quarter to spare", () => {
    fc.assert(
      fc.property(totals, fc.integer({ min: 1, max: 3 }), (total, volumes) => {
        const shares = shareOut(total);
        const held = volumes * volumeHeldBytes(shares, volumes) + preRollBytes(shares);
        if (volumes === 1) expect(held).toBeLessThanOrEqual(shares.frames * 0.75);
        else
          expect(held).toBeLessThanOrEqual(
            Math.max(shares.frames * 0.75, volumes * 16 * MIB + preRollBytes(shares)),
          );
      }),
    );
  });

  it("leaves the largest frame room on each volume, however many there are", () => {
    expect(volumeHeldBytes(shareOut(256 * MIB), 64)).toBe(16 * MIB);
    expect(volumeHeldBytes(shareOut(64 * GIB), 1)).toBe(64 * MIB);
  });
});

it("a share holds one thing at the least", () => {
  expect(countWithin(10, 100, 4)).toBe(1);
  expect(countWithin(250, 100, 4)).toBe(2);
  expect(countWithin(1000, 100, 4)).toBe(4);
});
