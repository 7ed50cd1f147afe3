import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RecordedAccess, RecordedQuery, RecordedSegment } from "../../../src/archive/index.js";
import { RECORD_HEADER_BYTES } from "../../../src/archive/segment/segment-format.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { NINE_US } from "../../support/api/api-frames.js";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";

const FRAME_US = 40_000;
const key = newStreamKey();

let directory: { readonly path: string; readonly remove: () => void };
let started: TestArchive;
let frames: { atUs: number; bytes: Uint8Array; audio: boolean }[];

beforeEach(async () => {
  directory = temporaryDirectory();
  started = await startArchive(directory.path, { segmentSeconds: 2 });
  frames = [];
});
afterEach(async () => {
  await started.archive.stop();
  directory.remove();
});

/** Pictures with a sound between each two, a key frame each `gopFrames`. */
function recordRun(count: number, gopFrames: number, fromUs = NINE_US): void {
  const writer = started.archive.writer(key);
  for (let index = 0; index < count; index++) {
    const atUs = fromUs + index * FRAME_US;
    const bytes = patternBytes(100 + (index % 7) * 50, index);
    append(writer, { decodeTimeUs: atUs, bytes, key: index % gopFrames === 0, discontinuity: index === 0 });
    const sound = patternBytes(160, index + 5000);
    append(writer, { decodeTimeUs: atUs + 1000, bytes: sound, format: AUDIO, key: true });
    frames.push({ atUs, bytes, audio: false }, { atUs: atUs + 1000, bytes: sound, audio: true });
  }
}

const query = (fromS: number, toS: number, pieceUsMin = 0): RecordedQuery => ({
  fromUs: NINE_US + fromS * 1_000_000,
  toUs: NINE_US + toS * 1_000_000,
  pieceUsMin,
});

/** All frames of the pieces, read one piece after the other. */
async function framesOf(archive: RecordedAccess, segments: Iterable<RecordedSegment>) {
  const found: { atUs: number; bytes: Buffer; audio: boolean }[] = [];
  for (const segment of segments) {
    const file = await archive.openRecorded(segment);
    for (const piece of segment.pieces) {
      const memory = new SharedArrayBuffer(piece.bytesMax);
      const read = await file.read(piece, file.start(piece), memory);
      expect(read.position).toBe(piece.endOffset);
      const bytes = read.frames.reduce((sum, frame) => sum + RECORD_HEADER_BYTES + frame.bytes.length, 0);
      expect(bytes).toBeLessThanOrEqual(piece.bytesMax);
      expect(read.frames[0]?.key).toBe(piece.key);
      for (const { decodeTimeUs: atUs, bytes, codec } of read.frames)
        found.push({ atUs, bytes: Buffer.from(bytes), audio: codec === Codec.PCMU });
    }
    file.close();
  }
  return found;
}

const expected = (fromUs: number, toUs: number) =>
  frames
    .filter(({ atUs }) => atUs >= fromUs && atUs < toUs)
    .map((frame) => ({ ...frame, bytes: Buffer.from(frame.bytes) }));

describe("what is recorded of a time", () => {
  it.each([
    ["GOPs of a second", 25, 0, 10, 0, 10],
    ["GOPs of a second, from their middle", 25, 3.5, 5.2, 3, 6],
    ["GOPs longer than a segment, from the middle of one", 125, 7, 9, 5, 10],
    ["one GOP longer than all", 250, 4, 5, 0, 6],
  ])("is read whole in %s", async (_what, gopFrames, fromS, toS, firstS, leastEndS) => {
    recordRun(250, gopFrames);
    await started.archive.writer(key).end();
    const segments = [...started.archive.recorded(key, query(fromS, toS))];
    const found = await framesOf(started.archive, segments);
    const endUs = segments.at(-1)?.pieces.at(-1)?.toUs ?? 0;
    expect(endUs).toBeGreaterThanOrEqual(NINE_US + Math.min(toS, leastEndS) * 1_000_000);
    expect(found).toEqual(expected(NINE_US + firstS * 1_000_000, endUs));
    expect(segments.slice(1).every(({ continues }) => continues)).toBe(true);
  });

  it("is cut into pieces of about the time wished for, each begun by a key frame", async () => {
    recordRun(250, 1);
    await started.archive.writer(key).end();
    const pieces = [...started.archive.recorded(key, query(0, 10, 900_000))].flatMap(
      ({ pieces: all }) => all,
    );
    expect(pieces.length).toBeLessThanOrEqual(15);
    expect(pieces.every((piece) => piece.key)).toBe(true);
    expect(await framesOf(started.archive, started.archive.recorded(key, query(0, 10, 900_000)))).toEqual(
      expected(NINE_US, NINE_US + 10_000_000),
    );
  });

  it("does not continue behind a gap", async () => {
    recordRun(50, 25);
    await started.archive.writer(key).end();
    recordRun(50, 25, NINE_US + 20_000_000);
    await started.archive.writer(key).end();
    const segments = [...started.archive.recorded(key, query(0, 60))];
    const breaks = segments.filter(({ continues }) => !continues).map(({ fromUs }) => fromUs);
    expect(breaks).toEqual([NINE_US, NINE_US + 20_000_000]);
    expect((await framesOf(started.archive, segments)).length).toBe(200);
  });

  it("comes in recorded order where the clock was set back", async () => {
    recordRun(50, 25, NINE_US + 30_000_000);
    await started.archive.writer(key).end();
    recordRun(50, 25, NINE_US + 5_000_000);
    await started.archive.writer(key).end();
    const times = [...started.archive.recorded(key, query(0, 60))].map(({ fromUs }) => fromUs);
    expect(times[0]).toBe(NINE_US + 30_000_000);
    expect(times.at(-1)).toBeLessThan(NINE_US + 30_000_000);
  });

  it("leaves out the GOP that is being written, and begins with the same pieces when it is done", async () => {
    recordRun(130, 25);
    const now = () => [...started.archive.recorded(key, query(0, 60))].flatMap(({ pieces }) => pieces);
    await until(() => now().length === 5, "five whole GOPs");
    const before = now();
    expect(await framesOf(started.archive, started.archive.recorded(key, query(0, 60)))).toEqual(
      expected(NINE_US, NINE_US + 5_000_000),
    );
    await started.archive.writer(key).end();
    expect(now().slice(0, 5)).toEqual(before);
    expect(now().length).toBe(6);
  });

  it("is nothing where nothing is", async () => {
    recordRun(50, 25);
    await started.archive.writer(key).end();
    expect([...started.archive.recorded(key, query(3, 60))]).toEqual([]);
    expect([...started.archive.recorded(newStreamKey(), query(0, 60))]).toEqual([]);
  });
});
