import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArchiveKey } from "../../../src/archive/index.js";
import { RECORD_HEADER_BYTES } from "../../../src/archive/segment/segment-format.js";
import { newGuid, type StreamKey, type StreamType } from "../../../src/base/index.js";
import { NINE_US } from "../../support/api/api-frames.js";
import {
  AUDIO,
  append,
  patternBytes,
  readFrames,
  SILENT_LOG,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";

/** Recordings of several streams of a channel, read as one. Times in the tests are seconds after nine o'clock. */

const FRAME_US = 40_000;
const FRAMES_A_GOP = 25;
const channelId = newGuid();
const MAIN: StreamKey = { channelId, streamType: "Main" };
const ALTERNATIVE: StreamKey = { channelId, streamType: "Alternative" };
const MAIN_FIRST: ArchiveKey = { channelId, streamTypes: ["Main", "Alternative", "ThirdAlternative"] };
const ALTERNATIVE_FIRST: ArchiveKey = { channelId, streamTypes: ["Alternative", "Main"] };

let directory: { readonly path: string; readonly remove: () => void };
let started: TestArchive;

beforeEach(async () => {
  directory = temporaryDirectory();
  started = await startArchive(directory.path, { segmentSeconds: 2 });
});
afterEach(async () => {
  await started.archive.stop();
  directory.remove();
});

const seconds = (us: number): number => Math.round((us - NINE_US) / 1000) / 1000;
const at = (second: number): number => NINE_US + Math.round(second * 1_000_000);

/** Frames of `[fromS, toS)`, a key frame a second from the first on. */
function write(key: StreamKey, fromS: number, toS: number): void {
  const writer = started.archive.writer(key);
  const count = Math.round((toS - fromS) * 25);
  for (let index = 0; index < count; index++) {
    const decodeTimeUs = at(fromS) + index * FRAME_US;
    const bytes = patternBytes(200, index);
    append(writer, { decodeTimeUs, bytes, key: index % FRAMES_A_GOP === 0, discontinuity: index === 0 });
    append(writer, {
      decodeTimeUs: decodeTimeUs + 1000,
      bytes: patternBytes(160, index),
      format: AUDIO,
      key: true,
    });
  }
}

/** A recording of `[fromS, toS)` that is over. */
async function record(key: StreamKey, fromS: number, toS: number): Promise<void> {
  write(key, fromS, toS);
  await started.archive.writer(key).end(at(toS));
}

const fragments = (key: ArchiveKey, fromS = -1000, toS = 1000): [number, number][] =>
  started.archive
    .fragments(key, at(fromS), at(toS))
    .map(({ fromUs, toUs }) => [seconds(fromUs), seconds(toUs)]);

interface Seen {
  readonly type: StreamType;
  readonly second: number;
  readonly starts: boolean;
}

/** The pictures that a reader gives, up to the live edge. */
async function read(key: ArchiveKey, fromS: number): Promise<Seen[]> {
  const reader = started.archive.read(key, { fromUs: at(fromS), videoOnly: true, endsAtEdge: true });
  const frames = await readFrames(reader, Number.POSITIVE_INFINITY);
  return frames.map(({ streamType: type, decodeTimeUs, startsFragment: starts }) => {
    return { type, second: seconds(decodeTimeUs), starts };
  });
}

/** Where a reading goes from one stream to another: the stream and the time of its first and last picture. */
function parts(seen: readonly Seen[]): [StreamType, number, number][] {
  const found: [StreamType, number, number][] = [];
  for (const { type, second, starts } of seen) {
    const last = found.at(-1);
    if (last === undefined || starts || last[0] !== type) found.push([type, second, second]);
    else last[2] = second;
  }
  return found;
}

/** The pieces that an export is made of, with the times of the pictures that the export takes of each. */
async function exported(key: ArchiveKey, fromS: number, toS: number) {
  const { archive } = started;
  const found: [StreamType, number, number][] = [];
  const query = { fromUs: at(fromS), toUs: at(toS), pieceUsMin: 0 };
  for (const segment of archive.recorded(key, query)) {
    const file = await archive.openRecorded(segment);
    for (const piece of segment.pieces) {
      const { frames } = await file.read(
        piece,
        file.start(piece),
        new SharedArrayBuffer(piece.bytesMax + RECORD_HEADER_BYTES),
      );
      const times = frames.filter(({ codec }) => codec < 16).map((frame) => frame.decodeTimeUs);
      const taken = times.filter((time) => time >= piece.fromUs && time < piece.toUs).map(seconds);
      found.push([segment.key.streamType, taken[0] ?? 0, taken.at(-1) ?? 0]);
    }
    file.close();
  }
  return found;
}

describe("a channel's streams as one recording", () => {
  it("lists what each stream has, gapless where one takes over from the other", async () => {
    await record(MAIN, 0, 4.4);
    await record(ALTERNATIVE, 4, 8.4);
    await record(MAIN, 8, 12);
    expect(fragments(MAIN_FIRST)).toEqual([
      [0, 4],
      [4, 8],
      [8, 12],
    ]);
    expect(fragments(ALTERNATIVE_FIRST)).toEqual([
      [0, 4],
      [4, 8],
      [8, 12],
    ]);
    expect(fragments(MAIN)).toEqual([
      [0, 4.4],
      [8, 12],
    ]);
  });

  it("has a gap where neither stream has anything", async () => {
    await record(MAIN, 0, 2);
    await record(ALTERNATIVE, 3, 5);
    expect(fragments(MAIN_FIRST)).toEqual([
      [0, 2],
      [3, 5],
    ]);
  });

  it("takes the preferred stream where two have a moment", async () => {
    await record(MAIN, 0, 10);
    await record(ALTERNATIVE, 3, 6);
    expect(fragments(MAIN_FIRST)).toEqual([[0, 10]]);
    expect(fragments(ALTERNATIVE_FIRST)).toEqual([
      [0, 3],
      [3, 6],
      [6, 10],
    ]);
    expect(parts(await read(ALTERNATIVE_FIRST, 0))).toEqual([
      ["Main", 0, 2.96],
      ["Alternative", 3, 5.96],
      ["Main", 6, 9.96],
    ]);
  });

  it("begins the other stream at its key frame, and ends the preferred one there", async () => {
    await record(MAIN, 0, 10);
    await record(ALTERNATIVE, 3.2, 6.4);
    expect(fragments(ALTERNATIVE_FIRST)).toEqual([
      [0, 3.2],
      [3.2, 6],
      [6, 10],
    ]);
    expect(parts(await read(ALTERNATIVE_FIRST, 0))).toEqual([
      ["Main", 0, 3.16],
      ["Alternative", 3.2, 5.96],
      ["Main", 6, 9.96],
    ]);
  });

  it("passes over a preferred recording that lies within one GOP of the other", async () => {
    await record(MAIN, 0, 5);
    await record(ALTERNATIVE, 3.2, 3.6);
    expect(fragments(ALTERNATIVE_FIRST)).toEqual([[0, 5]]);
    expect(parts(await read(ALTERNATIVE_FIRST, 0))).toEqual([["Main", 0, 4.96]]);
  });

  it.each([0, 3.3, 4.2, 7.9, 8.5])(
    "says the same of the fragments around second %d alone",
    async (second) => {
      await record(MAIN, 0, 4.4);
      await record(ALTERNATIVE, 4, 8.4);
      await record(MAIN, 8, 12);
      const all = fragments(MAIN_FIRST);
      const around = all.filter(([from, to]) => from <= second && second < to);
      expect(fragments(MAIN_FIRST, second, second + 0.001)).toEqual(around);
    },
  );

  it("reads on from stream to stream, each picture once and in order", async () => {
    await record(MAIN, 0, 4.4);
    await record(ALTERNATIVE, 4, 8.4);
    await record(MAIN, 8, 12);
    const seen = await read(MAIN_FIRST, 0);
    expect(parts(seen)).toEqual([
      ["Main", 0, 3.96],
      ["Alternative", 4, 7.96],
      ["Main", 8, 11.96],
    ]);
    expect(seen.map(({ second }) => second)).toEqual(
      Array.from({ length: 300 }, (_, index) => Math.round(index * 40) / 1000),
    );
  });

  it.each([
    ["in the earlier stream", 2.5, ["Main", 2, 3.96]],
    ["in the later stream", 5.5, ["Alternative", 5, 7.96]],
    ["at the join", 4, ["Alternative", 4, 7.96]],
    ["before all of it", -5, ["Main", 0, 3.96]],
  ] as const)("begins %s with the key frame before the moment", async (_, second, part) => {
    await record(MAIN, 0, 4.4);
    await record(ALTERNATIVE, 4, 8);
    expect(parts(await read(MAIN_FIRST, second))[0]).toEqual(part);
  });

  it("exports each moment once, from the stream that has it", async () => {
    await record(MAIN, 0, 2.4);
    await record(ALTERNATIVE, 2, 4.4);
    await record(MAIN, 4, 6);
    expect(await exported(MAIN_FIRST, 0.5, 5.5)).toEqual([
      ["Main", 0, 0.96],
      ["Main", 1, 1.96],
      ["Alternative", 2, 2.96],
      ["Alternative", 3, 3.96],
      ["Main", 4, 4.96],
      ["Main", 5, 5.96],
    ]);
  });

  it("exports the last pictures before a join that lies in the middle of a GOP", async () => {
    await record(MAIN, 0, 5);
    await record(ALTERNATIVE, 2.6, 4);
    expect(await exported(ALTERNATIVE_FIRST, 1, 4)).toEqual([
      ["Main", 1, 1.96],
      ["Main", 2, 2.56],
      ["Alternative", 2.6, 3.56],
      ["Alternative", 3.6, 3.96],
    ]);
  });

  it("finds the key frame nearest to a moment in the stream that has it, in a gap in any", async () => {
    await record(MAIN, 0, 4);
    await record(ALTERNATIVE, 10.2, 14);
    const nearest = (second: number) => seconds(started.archive.nearestFrameUs(MAIN_FIRST, at(second)) ?? 0);
    expect([nearest(2.1), nearest(11.3), nearest(9.9), nearest(5), nearest(100)]).toEqual([
      2, 11.2, 10.2, 3, 13.2,
    ]);
    expect([1, 5, 11].map((second) => started.archive.hasArchiveAt(MAIN_FIRST, at(second)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("goes on at the live edge when another stream is recorded", async () => {
    write(MAIN, 0, 2);
    const reader = started.archive.read(MAIN_FIRST, { fromUs: at(0), videoOnly: true });
    const first = await readFrames(reader, 50);
    expect(seconds(first.at(-1)?.decodeTimeUs ?? 0)).toBe(1.96);
    const waiting = readFrames(reader, 50);
    await started.archive.writer(MAIN).end(at(2));
    write(ALTERNATIVE, 2, 4);
    const second = await waiting;
    reader.close();
    expect(second[0]).toMatchObject({
      streamType: "Alternative",
      decodeTimeUs: at(2),
      startsFragment: true,
      key: true,
    });
    expect(second).toHaveLength(50);
  });

  it("leaves a segment that is still open for a stream that was recorded meanwhile", async () => {
    write(MAIN, 0, 2.4);
    const reader = started.archive.read(MAIN_FIRST, { fromUs: at(0), videoOnly: true });
    await readFrames(reader, 60);
    const waiting = readFrames(reader, 25);
    write(ALTERNATIVE, 2.4, 4.4);
    expect((await waiting)[0]).toMatchObject({ streamType: "Alternative", decodeTimeUs: at(2.4) });
    reader.close();
  });

  it("reads nothing but what one stream has where one is named", async () => {
    await record(MAIN, 0, 2);
    await record(ALTERNATIVE, 2, 4);
    expect(parts(await read(ALTERNATIVE, 0))).toEqual([["Alternative", 2, 3.96]]);
  });

  it("shows the same after a restart", async () => {
    await record(MAIN, 0, 4.4);
    await record(ALTERNATIVE, 4, 6);
    const before = fragments(MAIN_FIRST);
    const { index } = started;
    await started.archive.stop();
    started = await startArchive(directory.path, { segmentSeconds: 2, index, log: SILENT_LOG });
    await until(() => fragments(MAIN_FIRST).length === 2, "the recordings");
    expect(fragments(MAIN_FIRST)).toEqual(before);
    expect(parts(await read(MAIN_FIRST, 3))).toEqual([
      ["Main", 3, 3.96],
      ["Alternative", 4, 5.96],
    ]);
  });
});
