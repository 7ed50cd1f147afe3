import { expect, it } from "vitest";
import type { CodedUnit } from "../../../src/picture/index.js";
import { RUN_BYTES_MAX, RUN_FRAMES_MAX, RunBound, runUntil } from "../../../src/picture/index.js";

/** Units as `decode+offset`. */
function units(...texts: readonly string[]): CodedUnit[] {
  return texts.map((text, index) => {
    const [decodeTimeUs = 0, presentationOffsetUs = 0] = text.split("+").map(Number);
    return { bytes: [], key: index === 0, decodeTimeUs, presentationOffsetUs };
  });
}

const lastOf = (run: readonly CodedUnit[] | undefined): number | undefined => run?.at(-1)?.decodeTimeUs;

it("ends with the frame shown at the moment, or the last before it", () => {
  const gop = units("0", "40", "80");
  expect([0, 39, 40, 79, 500].map((atUs) => lastOf(runUntil(gop, atUs)))).toEqual([0, 0, 40, 40, 80]);
  expect(runUntil(gop, -1)).toBeUndefined();
});

it("goes by presentation time if frames are sent in another order", () => {
  // I0 P3 B1 B2 as they are sent; shown at 40, 160, 80 and 120.
  const gop = units("0+40", "40+120", "80+0", "120+0");
  expect([40, 80, 119, 120, 159, 160].map((atUs) => lastOf(runUntil(gop, atUs)))).toEqual([
    0, 80, 80, 120, 120, 40,
  ]);
  expect(runUntil(gop, 39)).toBeUndefined();
  // What is sent after the wanted frame is no part of it.
  expect(runUntil(gop, 160)).toHaveLength(2);
});

it("is bounded in frames and bytes, whatever the first one takes", () => {
  const frames = new RunBound();
  const taken = Array.from({ length: RUN_FRAMES_MAX + 5 }, () => frames.admit(1)).filter(Boolean).length;
  expect(taken).toBe(RUN_FRAMES_MAX);
  const bytes = new RunBound();
  expect([RUN_BYTES_MAX + 1, 1].map((size) => bytes.admit(size))).toEqual([true, false]);
});
