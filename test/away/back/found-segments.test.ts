import { describe, expect, it } from "vitest";
import { type FarBytes, packGopTable, VolumeError } from "../../../src/archive/index.js";
import { summaryOf } from "../../../src/away/back/found-segments.js";
import type { FoundEntry } from "../../../src/away/plan/manifest.js";
import { NvrdError } from "../../../src/base/index.js";
import { type MadeSegment, segmentOfFrames } from "../../support/archive/segment-bytes.js";
import { guidOfNumber, START_US } from "../../support/archive/segment-fixtures.js";

const CHANNEL = guidOfNumber(1, 1);
const TIMES_US = [0, 40_000, 1_000_000, 2_000_000];
const MADE = segmentOfFrames(
  TIMES_US.map((atUs) => ({
    decodeTimeUs: START_US + atUs,
    key: atUs !== 40_000,
    payload: Buffer.alloc(100_000, 7),
  })),
  { toUs: START_US + 3_000_000, segmentId: START_US },
);

/** A segment as a manifest names it. */
function entryOf({ closed }: MadeSegment, change: Partial<FoundEntry> = {}): FoundEntry {
  return {
    ...{ stream: "Main", segmentId: START_US, volumeId: guidOfNumber(1, 3), fragmentId: guidOfNumber(1, 4) },
    ...{ fragmentSequence: 3, epoch: 2, fromUs: START_US, toUs: START_US + 3_000_000, bytes: closed.length },
    ...{ videoFrames: 4, audioFrames: 0, video: 1, audio: 0, sha256: "0".repeat(64), ...change },
  };
}

/** Reads from an object, and notes what was asked for. */
function readingOf(object: Buffer | Error) {
  const asked: [number, number][] = [];
  const read: FarBytes["read"] = async (_file, { from, to }) => {
    asked.push([from, to]);
    if (object instanceof Error) throw object;
    return object.subarray(from, to);
  };
  return { asked, reading: { bytes: { read } as FarBytes, signal: new AbortController().signal } };
}

describe("a segment that a manifest names", () => {
  it("has its GOP table from there: nothing of the segment is read", async () => {
    const table = Buffer.from(packGopTable(MADE.gops, START_US)).toString("base64");
    const { asked, reading } = readingOf(MADE.closed);
    expect(await summaryOf(CHANNEL, entryOf(MADE, { gops: table }), reading)).toEqual({
      ...{ key: { channelId: CHANNEL, streamType: "Main" }, segmentId: START_US, bytes: MADE.closed.length },
      ...{ volumeId: guidOfNumber(1, 3), fragmentId: guidOfNumber(1, 4), fragmentSequence: 3, epoch: 2 },
      ...{ fromUs: START_US, toUs: START_US + 3_000_000, videoFrames: 4, audioFrames: 0 },
      ...{ bootId: "00000000-0000-0000-0000-000000000000", gops: MADE.gops },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    ["no table", undefined],
    ["a torn one", "gICA"],
  ])(
    "with %s has that of its own end, of which no more is read than its head and its tail",
    async (_name, gops) => {
      const { asked, reading } = readingOf(MADE.closed);
      const found = await summaryOf(CHANNEL, entryOf(MADE, { gops }), reading);
      expect(found?.gops).toEqual(MADE.gops);
      expect(asked).toHaveLength(2);
      expect(asked[0]?.[0]).toBe(0);
      expect(asked[1]?.[1]).toBe(MADE.closed.length);
      expect(asked[0]?.[1]).toBeLessThan(10_000);
    },
  );

  it("that was given other times has them in its GOP table as well", async () => {
    const fromUs = START_US + 86_400_000_000;
    const { reading } = readingOf(MADE.closed);
    const found = await summaryOf(CHANNEL, entryOf(MADE, { fromUs, toUs: fromUs + 3_000_000 }), reading);
    expect(found?.gops.map(({ decodeTimeUs }) => decodeTimeUs - fromUs)).toEqual([0, 1_000_000, 2_000_000]);
  });

  it("is none without an end of its own, and none that is not there", async () => {
    const open = { ...MADE, closed: MADE.open };
    expect(await summaryOf(CHANNEL, entryOf(open), readingOf(MADE.open).reading)).toBeUndefined();
    const gone = new VolumeError("ENOENT", "it is not there");
    expect(await summaryOf(CHANNEL, entryOf(MADE), readingOf(gone).reading)).toBeUndefined();
  });

  it("cannot be told while its end cannot be read", async () => {
    const down = new NvrdError("NOT_AVAILABLE", "the bucket is silent");
    await expect(summaryOf(CHANNEL, entryOf(MADE), readingOf(down).reading)).rejects.toBe(down);
  });

  it.each([
    ["as long as any is", 8 * 1024 ** 3, true],
    ["longer than any is, by a byte", 8 * 1024 ** 3 + 1, false],
    ["shorter than where its last key frame begins", MADE.gops.at(-1)?.offset ?? 0, false],
    ["as long as the first byte of its last key frame", (MADE.gops.at(-1)?.offset ?? 0) + 1, true],
  ])("that is %s (%i bytes): right is %s", async (_name, bytes, isRight) => {
    const gops = Buffer.from(packGopTable(MADE.gops, START_US)).toString("base64");
    const found = await summaryOf(CHANNEL, entryOf(MADE, { gops, bytes }), readingOf(MADE.closed).reading);
    expect(found !== undefined).toBe(isRight);
  });
});
