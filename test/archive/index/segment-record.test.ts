import { describe, expect, it } from "vitest";
import { EPOCH_MAX, TIME_US_MAX } from "../../../src/archive/index/index-keys.js";
import {
  checkSummary,
  packRecord,
  recordEpoch,
  SEGMENT_DURATION_MAX_US,
  SEGMENT_GOPS_MAX,
  unpackRecord,
} from "../../../src/archive/index/segment-record.js";
import type { SegmentSummary } from "../../../src/archive/index.js";
import { START_US, segmentOf } from "../../support/archive/segment-fixtures.js";

const NUMBERS = { volume: 3, boot: 5 };

function withGops(count: number): SegmentSummary {
  const segment = segmentOf();
  const gops = Array.from({ length: count }, (_, index) => ({
    ...{ decodeTimeUs: segment.fromUs + index, offset: 256 + index, frames: 1, damaged: false },
  }));
  return { ...segment, gops };
}

const refusal = (summary: SegmentSummary): string => {
  try {
    checkSummary(summary);
    return "taken";
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^.*: /, "") : "no error";
  }
};

describe("a segment's record", () => {
  it.each([
    ["after its start", 250],
    ["at its start", 0],
    ["before its start", -250],
  ])("gives back what was packed, with an id %s", (_name, distanceUs) => {
    const segment = segmentOf({ segmentId: START_US + distanceUs, epoch: 7, sequence: 9 });
    for (const boot of [5, undefined]) {
      const record = packRecord(segment, { volume: 3, boot });
      const { key: _key, volumeId: _volume, bootId, ...rest } = segment;
      expect(unpackRecord(record, segment.fromUs)).toEqual({ ...rest, volume: 3, boot: boot ?? bootId });
      expect(unpackRecord(record, segment.fromUs, false).gops).toEqual([]);
      expect(recordEpoch(record)).toBe(7);
    }
  });

  it("is refused where it is torn before its table of GOPs", () => {
    const segment = { ...segmentOf(), gops: [] };
    for (const boot of [5, undefined]) {
      const record = packRecord(segment, { ...NUMBERS, boot });
      for (let length = 0; length < record.length; length += 1)
        expect(() => unpackRecord(record.subarray(0, length), segment.fromUs), `${length}`).toThrow(
          RangeError,
        );
    }
  });
});

describe("the index takes what its records can hold", () => {
  const segment = segmentOf();
  const atEnd = { fromUs: TIME_US_MAX - 1000, toUs: TIME_US_MAX, gops: [] };
  it.each<[string, Partial<SegmentSummary>]>([
    ["ten minutes", { toUs: segment.fromUs + SEGMENT_DURATION_MAX_US }],
    ["the last epoch", { epoch: EPOCH_MAX }],
    ["the last time", atEnd],
    ["a microsecond", { toUs: segment.fromUs + 1, gops: [] }],
    [
      "a GOP at its very end",
      { gops: [{ decodeTimeUs: segment.toUs, offset: 1, frames: 1, damaged: false }] },
    ],
    ["zeros", { fragmentSequence: 0, bytes: 0, videoFrames: 0, audioFrames: 0, segmentId: 0 }],
  ])("%s", (_name, members) => {
    const taken = { ...segment, ...members };
    expect(refusal(taken)).toBe("taken");
    const record = unpackRecord(packRecord(taken, NUMBERS), taken.fromUs);
    expect(record).toMatchObject({ epoch: taken.epoch, toUs: taken.toUs, gops: taken.gops });
  });

  it("as many GOPs as ten minutes of an intra-only stream have, and no more", () => {
    expect(refusal(withGops(SEGMENT_GOPS_MAX))).toBe("taken");
    expect(refusal(withGops(SEGMENT_GOPS_MAX + 1))).toBe("it has too many GOPs");
  });

  it.each<[string, Partial<SegmentSummary>, string]>([
    [
      "more than ten minutes",
      { toUs: segment.fromUs + SEGMENT_DURATION_MAX_US + 1 },
      "it is longer than ten minutes",
    ],
    ["an end at its start", { toUs: segment.fromUs }, "it ends before it starts"],
    ["an epoch beyond the last", { epoch: EPOCH_MAX + 1 }, "a number is out of range"],
    ["a time beyond the last", { ...atEnd, toUs: TIME_US_MAX + 1 }, "a number is out of range"],
    ["a negative number", { audioFrames: -1 }, "a number is out of range"],
    ["a part of a byte", { bytes: 0.5 }, "a number is out of range"],
    ["an id that is none", { fragmentId: "x" as SegmentSummary["fragmentId"] }, "an id is no GUID"],
    [
      "an unknown stream",
      { key: { ...segment.key, streamType: "Other" as SegmentSummary["key"]["streamType"] } },
      "its stream type is unknown",
    ],
    [
      "a GOP before it",
      { gops: [{ decodeTimeUs: segment.fromUs - 1, offset: 1, frames: 1, damaged: false }] },
      "a GOP lies outside it",
    ],
    [
      "a GOP behind it",
      { gops: [{ decodeTimeUs: segment.toUs + 1, offset: 1, frames: 1, damaged: false }] },
      "a GOP lies outside it",
    ],
    ["GOPs out of order", { gops: [...segment.gops].reverse() }, "a GOP lies outside it"],
  ])("not %s", (_name, members, reason) => {
    expect(refusal({ ...segment, ...members })).toBe(reason);
  });
});
