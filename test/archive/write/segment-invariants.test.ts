import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { BATCH_SCRATCH_BYTES } from "../../../src/archive/disk/volume-messages.js";
import { RecordKind } from "../../../src/archive/segment/segment-format.js";
import { packSegmentHeader, type SegmentHeader } from "../../../src/archive/segment/segment-header.js";
import { SegmentSequence } from "../../../src/archive/write/segment-sequence.js";
import type { WritingVolume } from "../../../src/archive/write/volume-choice.js";
import { SlabRegistry, WriteBatch } from "../../../src/archive/write/write-batch.js";
import { WritingSegment } from "../../../src/archive/write/writing-segment.js";
import { newGuid } from "../../../src/base/index.js";
import { makeFrame, newStreamKey, patternBytes, VIDEO } from "../../support/archive/archive-fixture.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const START_US = 1_700_000_000_000_000;
const broken = (code: string) => expect.objectContaining({ name: "InvariantError", code });

let batch: WriteBatch;
let slot = 0;

beforeEach(() => {
  batch = new WriteBatch(new SlabRegistry());
});

function makeSegment(): WritingSegment {
  const header: SegmentHeader = {
    segmentId: 1,
    nonce: randomBytes(8),
    volumeId: newGuid(),
    key: newStreamKey(),
    fragmentId: newGuid(),
    fragmentSequence: 0,
    bootId: newGuid(),
    epoch: 0,
    provisional: false,
    moves: 0,
    fromUs: START_US,
    createdWallUs: START_US,
    createdMonotonicUs: 1,
    video: VIDEO,
    audio: undefined,
  };
  slot += 1;
  const headerBytes = packSegmentHeader(header).length;
  return new WritingSegment({ header, headerBytes, crcSeed: 1, slot, frameDurationUs: 40_000 });
}

const picture = (atUs: number) =>
  makeFrame({ decodeTimeUs: START_US + atUs, bytes: patternBytes(3000, 1), key: true });

describe("a segment that is written", () => {
  it("takes a record where it ends alone: not into the run of another", () => {
    const [segment, other] = [makeSegment(), makeSegment()];
    segment.beginRun(batch);
    segment.add(picture(0), batch);
    other.beginRun(batch);
    const { plannedBytes } = segment;
    expect(() => segment.add(picture(1), batch)).toThrow(broken("segment-offset"));
    expect(segment.plannedBytes).toBe(plannedBytes);
    other.add(picture(0), batch);
  });

  it("takes no record behind one that it does not know of", () => {
    const segment = makeSegment();
    segment.beginRun(batch);
    segment.add(picture(0), batch);
    batch.addRecord(RecordKind.SYNC_MARK, Buffer.alloc(10), START_US);
    expect(() => segment.add(picture(1), batch)).toThrow(broken("segment-offset"));
    expect(() => segment.finish(batch, START_US + 2)).toThrow(broken("segment-offset"));
  });

  it("takes no picture before the last one, and none before it begins", () => {
    const segment = makeSegment();
    segment.beginRun(batch);
    expect(() => segment.add(picture(-1), batch)).toThrow(broken("segment-time"));
    segment.add(picture(1000), batch);
    expect(() => segment.add(picture(999), batch)).toThrow(broken("segment-time"));
    expect(batch.frames).toHaveLength(1);
  });

  it("ends behind its beginning and its last picture", () => {
    const segment = makeSegment();
    segment.beginRun(batch);
    expect(() => segment.finish(batch, START_US)).toThrow(broken("segment-end"));
    segment.add(picture(1000), batch);
    expect(() => segment.finish(batch, START_US + 999)).toThrow(broken("segment-end"));
    expect(() => segment.finish(batch, Number.NaN)).toThrow(broken("segment-end"));
    expect(batch.closing).toEqual([]);
    segment.finish(batch, START_US + 41_000);
    expect(batch.closing).toEqual([{ slot: segment.slot, bytes: segment.plannedBytes }]);
  });

  it("takes nothing behind its end", () => {
    const segment = makeSegment();
    segment.beginRun(batch);
    segment.add(picture(0), batch);
    segment.finish(batch, START_US + 40_000);
    expect(() => segment.add(picture(50_000), batch)).toThrow(broken("segment-open"));
  });
});

it("a batch that has no more room refuses a record before any of it is there", () => {
  batch.beginRun(1, 0);
  const mark = Buffer.alloc(2000);
  const full = () => {
    for (let added = 0; added * mark.length < 2 * BATCH_SCRATCH_BYTES; added++)
      batch.addRecord(RecordKind.SYNC_MARK, mark, START_US);
  };
  const { runEnd } = batch;
  expect(full).toThrow(broken("batch-room"));
  const { numbersUsed } = batch;
  expect(batch.runEnd).toBeGreaterThan(runEnd);
  expect(() => batch.addFrame(picture(0))).toThrow(broken("batch-room"));
  expect(() => batch.beginRun(2, 0)).toThrow(broken("batch-room"));
  expect(batch.numbersUsed).toBe(numbersUsed);
  expect(batch.frames).toEqual([]);
});

it("a segment's id is higher than that of the one before", () => {
  const opened: number[] = [];
  const sequence = new SegmentSequence({
    key: newStreamKey(),
    epochs: {
      note: () => undefined,
      newestUs: () => 0,
      epochFrom: () => 0,
      takeSegmentId: () => 7,
    },
    dating: { provisionalOffsetUs: () => undefined },
    bootId: newGuid(),
    interruptions: { endsFragment: () => true } as never,
    clock: new ManualClock(),
    segmentSeconds: 60,
    onOpen: (segment) => opened.push(segment.segmentId),
    audioBehind: () => undefined,
  });
  const writer = { takeSlot: () => 1, open: () => undefined };
  const volume = { id: newGuid(), writer } as unknown as WritingVolume;
  expect(sequence.place(picture(0), batch, volume)).toBe(true);
  expect(() => sequence.place(picture(61_000_000), batch, volume)).toThrow(broken("segment-id"));
  expect(opened).toEqual([7]);
});
