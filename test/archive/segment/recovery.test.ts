import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realDisk } from "../../../src/archive/disk/disk.js";
import { loadNativeDisk } from "../../../src/archive/disk/native-disk.js";
import { type RecoveryOutcome, recoverSegment } from "../../../src/archive/disk/recovery.js";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import {
  isRecordHeader,
  RECORD_HEADER_BYTES,
  RecordKind,
  readRecordHeader,
  readSegmentFraming,
  unpackProgress,
} from "../../../src/archive/segment/segment-format.js";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { readWhole } from "../../support/archive/archive-invariants.js";
import { WatchedThreads } from "../../support/archive/volume-threads.js";

const FRAME_US = 40_000;
const GOP_FRAMES = 6;
const disk = realDisk(loadNativeDisk().disk);
const LATE = { toUsMax: Number.MAX_SAFE_INTEGER };

interface Record {
  readonly offset: number;
  readonly end: number;
  readonly kind: number;
  readonly video: boolean;
}

let directory: ReturnType<typeof temporaryDirectory>;
/** A segment as a crash leaves it, and one of another stream. */
let torn: Buffer;
let stale: Buffer;
let records: Record[];
let syncedBytes = 0;

function recordsOf(bytes: Buffer): Record[] {
  const framing = readSegmentFraming(bytes);
  const found: Record[] = [];
  let offset = framing.headerBytes;
  while (isRecordHeader(bytes, offset, framing.crcSeed)) {
    const fields = readRecordHeader(bytes, offset);
    const end = offset + RECORD_HEADER_BYTES + fields.payloadBytes;
    if (fields.kind === RecordKind.SYNC_MARK) {
      syncedBytes = unpackProgress(bytes.subarray(offset + RECORD_HEADER_BYTES, end), framing).syncedBytes;
    }
    found.push({
      offset,
      end,
      kind: fields.kind,
      video: fields.codec < 16 && fields.kind === RecordKind.FRAME,
    });
    offset = end;
  }
  return found;
}

function framesBefore(end: number): number {
  return records.filter((record) => record.video && record.end <= end).length;
}

/** Recovers a file of these bytes. */
function recover(bytes: Buffer): { outcome: RecoveryOutcome; path: string } {
  const path = join(directory.path, "case.seg");
  writeFileSync(path, bytes);
  return { outcome: recoverSegment(disk, path, LATE), path };
}

/** Frames the recovered file is said to hold; its records and table checked deeply. */
function recoveredFrames(bytes: Buffer): number {
  const { outcome } = recover(bytes);
  if (outcome.kind === "removed") return 0;
  if (outcome.kind !== "recovered") throw new Error(outcome.kind);
  readWhole(new SegmentReads(disk, directory.path), "case.seg");
  const inGops = outcome.progress.gops.reduce((sum, gop) => sum + gop.frames, 0);
  expect(inGops).toBe(outcome.progress.videoFrames);
  return outcome.progress.videoFrames;
}

beforeAll(async () => {
  directory = temporaryDirectory();
  const threads = new WatchedThreads();
  const { archive, volumePath, index } = await startArchive(directory.path, { startThread: threads.start });
  const keys = [newStreamKey(), newStreamKey()];
  const startUs = Date.now() * 1000;
  for (let at = 0; at < 40; at++) {
    for (const key of keys) {
      const decodeTimeUs = startUs + at * FRAME_US;
      append(archive.writer(key), {
        decodeTimeUs,
        bytes: patternBytes(300 + at, at),
        key: at % GOP_FRAMES === 0,
      });
      append(archive.writer(key), { format: AUDIO, decodeTimeUs, bytes: patternBytes(80, at), key: true });
    }
    if (at % 4 === 3 && at < 36) await threads.nextSync(); // what is written after a sync begins with a mark
  }
  await until(() => keys.every((key) => (index.newest(key)?.videoFrames ?? 0) === 40), "all frames written");
  const names = readdirSync(join(volumePath, "open"));
  expect(names).toHaveLength(2);
  const copies = names.map((name) => {
    const copy = join(directory.path, name);
    copyFileSync(join(volumePath, "open", name), copy);
    return readFileSync(copy);
  });
  await archive.stop();
  [torn, stale] = [copies[0] ?? Buffer.alloc(0), copies[1] ?? Buffer.alloc(0)];
  recordsOf(stale);
  records = recordsOf(torn);
  expect(records.filter((record) => record.kind === RecordKind.SYNC_MARK).length).toBeGreaterThan(3);
  expect(syncedBytes).toBeGreaterThan(1000);
});

afterAll(() => directory.remove());

describe("recovery of a segment that was being written", () => {
  it("keeps every whole frame, wherever the file was cut", () => {
    const cuts = new Set<number>();
    for (const { offset, end } of records) {
      for (const at of [offset, offset + 1, offset + 27, offset + 28, offset + 29, end - 1, end])
        cuts.add(at);
    }
    for (const cut of cuts) expect(recoveredFrames(torn.subarray(0, cut))).toBe(framesBefore(cut));
  });

  it("removes a file cut within its header, or without a frame", () => {
    const headerBytes = readSegmentFraming(torn).headerBytes;
    for (const cut of [0, 1, 8, 16, 100, headerBytes - 1, headerBytes, headerBytes + 20]) {
      const { outcome, path } = recover(torn.subarray(0, cut));
      expect(outcome.kind).toBe("removed");
      expect(existsSync(path)).toBe(false);
    }
  });

  it("cuts at a damaged byte after what was synced, and keeps all before it", () => {
    const tail = records.filter((record) => record.offset >= syncedBytes);
    expect(tail.length).toBeGreaterThan(0);
    for (const { offset, end } of tail) {
      for (const at of [offset, offset + 5, offset + 20, offset + 28, end - 1]) {
        const bytes = Buffer.from(torn);
        bytes[at] = (bytes[at] ?? 0) ^ 0x40;
        expect(recoveredFrames(bytes)).toBe(framesBefore(offset));
      }
    }
  });

  it("does not cut at a damaged frame that had been synced", () => {
    const synced = records.filter((record) => record.video && record.end <= syncedBytes);
    for (const { offset } of synced.slice(3, 9)) {
      const bytes = Buffer.from(torn);
      bytes[offset + 40] = (bytes[offset + 40] ?? 0) ^ 1;
      const { outcome } = recover(bytes);
      expect(outcome.kind === "recovered" && outcome.progress.videoFrames).toBe(40);
    }
  });

  it("finds the frames by themselves when a sync mark of the chain is damaged, and marks the GOP", () => {
    const marks = records.filter((record) => record.kind === RecordKind.SYNC_MARK);
    const mark = marks[1];
    const frame = records.find((record) => record.video && record.offset > (mark?.end ?? 0));
    const bytes = Buffer.from(torn);
    for (const at of [(mark?.offset ?? 0) + 50, (frame?.offset ?? 0) + 40]) bytes[at] = (bytes[at] ?? 0) ^ 1;
    const { outcome } = recover(bytes);
    if (outcome.kind !== "recovered") throw new Error(outcome.kind);
    expect(outcome.skipped).toBe(2);
    expect(outcome.progress.videoFrames).toBe(39);
    expect(outcome.progress.gops.some((gop) => gop.damaged)).toBe(true);
    expect(recordsOf(torn).at(-1)?.end).toBe(torn.length);
  });

  it("goes on at the next sync mark when a header before it is damaged and the chain is broken", () => {
    const marks = records.filter((record) => record.kind === RecordKind.SYNC_MARK);
    const bytes = Buffer.from(torn);
    const first = marks[0]?.offset ?? 0;
    const frame = records.find((record) => record.video && record.offset > first + 100)?.offset ?? 0;
    for (const at of [first + 50, frame + 5]) bytes[at] = (bytes[at] ?? 0) ^ 0x80;
    const { outcome } = recover(bytes);
    if (outcome.kind !== "recovered") throw new Error(outcome.kind);
    expect(outcome.bytes).toBeGreaterThan(torn.length);
    expect(outcome.progress.videoFrames).toBeGreaterThan(25);
    expect(outcome.progress.videoFrames).toBeLessThan(40);
  });

  it("takes neither zeros nor noise nor another segment's records for its own", () => {
    const tails = [Buffer.alloc(100_000), Buffer.from(patternBytes(100_000, 5)), stale, stale.subarray(300)];
    for (const tail of tails) {
      expect(recoveredFrames(Buffer.concat([torn, tail]))).toBe(40);
      const cut = records[records.length - 3]?.offset ?? 0;
      expect(recoveredFrames(Buffer.concat([torn.subarray(0, cut + 10), tail]))).toBe(framesBefore(cut));
    }
  });

  it("recovers a recovered file to the same again", () => {
    const { outcome, path } = recover(torn.subarray(0, torn.length - 5));
    const again = recoverSegment(disk, path, LATE);
    if (outcome.kind !== "recovered" || again.kind !== "closed") throw new Error(again.kind);
    expect(again.progress).toEqual(outcome.progress);
    expect(again.bytes).toBe(outcome.bytes);
  });

  it("ends a segment no later than asked, and after its last frame", () => {
    const path = join(directory.path, "case.seg");
    writeFileSync(path, torn);
    const framing = readSegmentFraming(torn);
    const outcome = recoverSegment(disk, path, { toUsMax: framing.fromUs });
    if (outcome.kind !== "recovered") throw new Error(outcome.kind);
    const lastUs = framing.fromUs + 39 * FRAME_US;
    expect(outcome.progress.toUs).toBeGreaterThan(lastUs);
    expect(outcome.progress.toUs).toBeLessThanOrEqual(lastUs + FRAME_US);
  });

  it("leaves a file of a newer format as it is", () => {
    const bytes = Buffer.from(torn);
    bytes.writeUInt32LE(9, 8);
    const { outcome, path } = recover(bytes);
    expect(outcome.kind).toBe("refused");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});
