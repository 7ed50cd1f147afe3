import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  Archive,
  type ArchiveAccess,
  type ArchivedFrame,
  type ArchiveReader,
  type RecordedAccess,
  type RecordedChange,
  type RecordedFile,
  type RecordedPiece,
  type RecordedQuery,
  type RecordedSegment,
} from "../../../src/archive/index.js";
import { RECORD_HEADER_BYTES } from "../../../src/archive/segment/segment-format.js";
import { type StreamKey, SystemClock, US_PER_DAY } from "../../../src/base/index.js";
import { isAudioCodec } from "../../../src/live/codec/codec.js";
import { MemoryArchive } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  SILENT_LOG,
  VIDEO,
} from "../../support/archive/archive-fixture.js";
import { openIndex } from "../../support/archive/index-harness.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const FRAME_US = 40_000;
const FRAMES_OF_GOP = 5;
const GOP_US = FRAMES_OF_GOP * FRAME_US;
const FRAMES = 20;
const RUN_US = FRAMES * FRAME_US;
const ALL: RecordedQuery = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER, pieceUsMin: 0 };
const DAY_SECONDS = 24 * 3600;

interface RunShape {
  /** After nine o'clock. */
  readonly second?: number;
  readonly frames?: number;
  readonly hasSound?: boolean;
}

/** An archive, and who records into it. */
interface Side {
  readonly archive: ArchiveAccess & RecordedAccess;
  /** A run without a gap, closed and known to the index. */
  record(key: StreamKey, frames: readonly ArchivedFrame[]): Promise<void>;
}

async function onDisk(): Promise<Side> {
  const directory = await temporaryDirectory();
  const index = await openIndex(path.join(directory, "index"), { commitIntervalMs: 20 });
  const archive = new Archive({
    ...{ dataDir: directory, volumes: [{ path: path.join(directory, "volume") }], index },
    ...{ clock: new SystemClock(), log: SILENT_LOG, startThread: threadsOnDisk(REAL_DISK) },
    ...{ startWaitMs: PATIENCE_MS, tickMs: 10, syncIntervalMs: 30 },
  });
  onTestFinished(async () => {
    await archive.stop();
    await index.stop();
  });
  await archive.start();
  return {
    archive,
    async record(key, frames) {
      const writer = archive.writer(key);
      for (const { codec, decodeTimeUs, key: isKey, bytes, startsFragment } of frames) {
        const format = isAudioCodec(codec) ? AUDIO : VIDEO;
        append(writer, { format, decodeTimeUs, key: isKey, bytes, discontinuity: startsFragment });
      }
      await writer.end((frames.findLast(({ codec }) => !isAudioCodec(codec))?.decodeTimeUs ?? 0) + FRAME_US);
      await index.flush();
    },
  };
}

async function inMemory(): Promise<Side> {
  const archive = new MemoryArchive();
  return { archive, record: async (key, frames) => archive.record(key, frames) };
}

/** What stands for the archive answers as the archive does: whoever is tested with it, is tested with less otherwise. */
describe.each<[string, () => Promise<Side>]>([
  ["the archive on the disk", onDisk],
  ["the archive in memory", inMemory],
])("%s", (_name, make) => {
  async function archiveWith(...shapes: readonly RunShape[]) {
    const { archive, record } = await make();
    const key = newStreamKey();
    const runs = shapes.map(runOf);
    for (const run of runs) await record(key, run);
    return { archive, record, key, frames: runs.flat() };
  }

  it("knows what was recorded as runs without a gap, each to the end of its last frame", async () => {
    const { archive, key } = await archiveWith({}, { second: 60 });
    const fragments = archive.fragments(key, 0, Number.MAX_SAFE_INTEGER);
    expect(fragments.map(({ fromUs, toUs }) => [fromUs, toUs])).toEqual([
      [at(0), at(0) + RUN_US],
      [at(60), at(60) + RUN_US],
    ]);
    expect(new Set(fragments.map(({ id }) => id)).size).toBe(2);
  });

  it("answers with the runs that overlap an interval, whole, its end left out", async () => {
    const { archive, key } = await archiveWith({}, { second: 60 }, { second: 120 });
    const starts = (fromUs: number, toUs: number) =>
      archive.fragments(key, fromUs, toUs).map((fragment) => fragment.fromUs);
    expect(starts(at(0) + RUN_US - 1, at(60) + 1)).toEqual([at(0), at(60)]);
    expect(starts(at(0) + RUN_US, at(60))).toEqual([]);
    expect(archive.fragments(newStreamKey(), 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  it("knows whether a moment is recorded", async () => {
    const { archive, key } = await archiveWith({});
    const moments = [at(0) - 1, at(0), at(0) + RUN_US - 1, at(0) + RUN_US];
    expect(moments.map((us) => archive.hasArchiveAt(key, us))).toEqual([false, true, true, false]);
  });

  it("knows whether a moment has sound, of what is recorded", async () => {
    const { archive, key } = await archiveWith({ hasSound: true }, { second: 60 });
    const moments = [at(0) + GOP_US, at(60) + GOP_US, at(30)];
    expect(moments.map((us) => archive.hasSoundAt(key, us))).toEqual([true, false, undefined]);
  });

  it("finds the key frame nearest to a moment, wherever that lies; sound is none", async () => {
    const { archive, key } = await archiveWith({ hasSound: true }, { second: 60 });
    const near = (us: number) => archive.nearestFrameUs(key, us);
    expect(near(0)).toBe(at(0));
    expect(near(at(0) + GOP_US + FRAME_US)).toBe(at(0) + GOP_US);
    expect(near(at(0) + 2 * GOP_US - FRAME_US)).toBe(at(0) + 2 * GOP_US);
    expect(near(at(60) - 1)).toBe(at(60));
    expect(near(at(1000))).toBe(at(60) + RUN_US - GOP_US);
    expect(archive.nearestFrameUs(newStreamKey(), at(0))).toBeUndefined();
  });

  it("names the channels that anything is recorded of, with how far that reaches", async () => {
    const { archive, record, key } = await archiveWith({}, { second: 60 });
    await record({ ...key, streamType: "Alternative" }, runOf({ second: 120 }));
    const { channelId } = key;
    expect(archive.recordedChannels()).toEqual([{ id: channelId, fromUs: at(0), toUs: at(120) + RUN_US }]);
    expect(archive.hasChannel(channelId)).toBe(true);
    expect(archive.hasChannel(newStreamKey().channelId)).toBe(false);
  });

  it("counts what was given to another camera as that one's until it is taken back", async () => {
    const { archive, key } = await archiveWith({});
    const { channelId } = newStreamKey();
    const formerId = key.channelId;
    const owned = () => [formerId, channelId].map((id) => archive.hasChannel(id));
    await archive.giveRecordings(formerId, channelId);
    expect(archive.givenRecordings()).toMatchObject([{ formerId, channelId }]);
    expect(owned()).toEqual([false, true]);
    await archive.takeBackRecordings(formerId);
    expect(archive.givenRecordings()).toEqual([]);
    expect(owned()).toEqual([true, false]);
  });

  it("keeps what it is given of a day until the day changes, whatever is recorded of others", async () => {
    const { archive, record, key } = await archiveWith({});
    const day = Math.floor(at(0) / US_PER_DAY);
    const recorded = {
      ...{ runs: [{ fromUs: at(0), toUs: at(0) + RUN_US }], sound: [], keyFrames: [], fromCamera: [] },
    };
    expect(archive.keptDay(key, day)).toBeUndefined();
    archive.keepDay(key, day, recorded);
    expect(archive.keptDay(key, day)).toEqual(recorded);
    await record(newStreamKey(), runOf({}));
    await record(key, runOf({ second: DAY_SECONDS }));
    expect(archive.keptDay(key, day)).toEqual(recorded);
    await record(key, runOf({ second: DAY_SECONDS + 60 }));
    expect(archive.keptDay(key, day)).toEqual(recorded);
  });

  it("says of each change which time of which stream it is", async () => {
    const { archive, record, key } = await archiveWith();
    const changes: (RecordedChange | undefined)[] = [];
    archive.onChange((change) => changes.push(change));
    await record(key, runOf({ hasSound: true }));
    const span = { fromUs: at(0), toUs: at(0) + RUN_US };
    expect(changes).toMatchObject([{ key, ...span, added: { ...span, key, videoFrames: FRAMES } }]);
  });

  describe("read", () => {
    it("gives all that was recorded, in its order, and says where a run begins", async () => {
      const { archive, key, frames } = await archiveWith({ hasSound: true }, { second: 60 });
      const reader = archive.read(key, { fromUs: at(0), endsAtEdge: true });
      expect(await readAll(reader)).toEqual(frames.map(plain));
    });

    it.each<[string, number, number]>([
      ["the last key frame before a moment", at(0) + GOP_US + FRAME_US, at(0) + GOP_US],
      ["the key frame of that moment", at(0) + GOP_US, at(0) + GOP_US],
      ["the next run, in a gap", at(30), at(60)],
      ["the first run, before all", at(-30), at(0)],
    ])("begins with %s", async (_what, fromUs, firstUs) => {
      const { archive, key } = await archiveWith({ hasSound: true }, { second: 60 });
      const [first] = await readAll(archive.read(key, { fromUs, endsAtEdge: true }));
      expect(first).toMatchObject({ decodeTimeUs: firstUs, key: true, isSound: false });
    });

    it("leaves sound out where that is asked for", async () => {
      const { archive, key, frames } = await archiveWith({ hasSound: true });
      const reader = archive.read(key, { fromUs: at(0), endsAtEdge: true, videoOnly: true });
      expect(await readAll(reader)).toEqual(frames.map(plain).filter(({ isSound }) => !isSound));
    });

    it("is over behind all that is recorded, where it is to end there", async () => {
      const { archive, key } = await archiveWith({});
      expect(await readAll(archive.read(key, { fromUs: at(30), endsAtEdge: true }))).toEqual([]);
      expect(await readAll(archive.read(newStreamKey(), { fromUs: at(0), endsAtEdge: true }))).toEqual([]);
    });

    it("waits at the edge for what is recorded next, and says that it waits", async () => {
      const { archive, record, key } = await archiveWith({});
      const edges: number[] = [];
      const reader = archive.read(key, { fromUs: at(30), onEdge: () => edges.push(1) });
      const next = reader.next();
      await expect.poll(() => edges).toEqual([1]);
      await record(key, runOf({ second: 60 }));
      expect((await next)[0]).toMatchObject({ decodeTimeUs: at(60), startsFragment: true });
      reader.close();
    });

    it("ends with nothing when it is closed, also while it waits", async () => {
      const { archive, key } = await archiveWith({});
      const reader = archive.read(key, { fromUs: at(30) });
      const next = reader.next();
      reader.close();
      expect(await next).toEqual([]);
      expect(await reader.next()).toEqual([]);
      const other = archive.read(key, { fromUs: at(0) });
      other.close();
      other.close();
      expect(await other.next()).toEqual([]);
    });
  });

  describe("taken as files", () => {
    it("gives each frame as it was recorded, a piece for each GOP", async () => {
      const { archive, key, frames } = await archiveWith({ hasSound: true });
      const [segment, ...more] = archive.recorded(key, ALL);
      expect(more).toEqual([]);
      expect(segment).toMatchObject({ key, fromUs: at(0), hasAudio: true, continues: false });
      const pieces = segment?.pieces ?? [];
      expect(pieces.map(({ fromUs, toUs, key: isKey }) => [fromUs, toUs, isKey])).toEqual(
        [0, 1, 2, 3].map((gop) => [at(0) + gop * GOP_US, at(0) + (gop + 1) * GOP_US, true]),
      );
      const found = await framesOf(archive, segment);
      // Where a run begins is the segment's to say.
      expect(found).toEqual(frames.map((frame) => plain({ ...frame, startsFragment: false })));
    });

    it("joins GOPs to pieces of the length that is wished for", async () => {
      const { archive, key } = await archiveWith({});
      const [segment] = archive.recorded(key, { ...ALL, pieceUsMin: GOP_US + 1 });
      expect(segment?.pieces.map(({ fromUs }) => fromUs)).toEqual([at(0), at(0) + 2 * GOP_US]);
    });

    it("begins with the GOP of a moment, and ends with that before an end", async () => {
      const { archive, key } = await archiveWith({}, { second: 60 });
      const span = { fromUs: at(0) + GOP_US + FRAME_US, toUs: at(0) + 2 * GOP_US + 1, pieceUsMin: 0 };
      const pieces = [...archive.recorded(key, span)].flatMap((segment) => segment.pieces);
      expect(pieces.map(({ fromUs }) => fromUs)).toEqual([at(0) + GOP_US, at(0) + 2 * GOP_US]);
      expect([...archive.recorded(key, { fromUs: at(10), toUs: at(60), pieceUsMin: 0 })]).toEqual([]);
    });

    it("does not continue over a gap, and says which run a segment is of", async () => {
      const { archive, key } = await archiveWith({}, { second: 60 });
      const segments = [...archive.recorded(key, ALL)];
      expect(segments.map(({ fromUs, continues }) => [fromUs, continues])).toEqual([
        [at(0), false],
        [at(60), false],
      ]);
      expect(new Set(segments.map(({ fragmentId }) => fragmentId)).size).toBe(2);
      expect(new Set(segments.map(({ segmentId }) => segmentId)).size).toBe(2);
    });

    it("reads as much as there is memory for, and says how much a frame needs that finds too little", async () => {
      const { archive, key, frames } = await archiveWith({});
      const { file, piece } = await firstPiece(archive, key);
      const start = file.start(piece);
      const needed = RECORD_HEADER_BYTES + (frames[0]?.bytes.length ?? 0);
      expect(await file.read(piece, start, new SharedArrayBuffer(10))).toMatchObject({
        ...{ frames: [], position: start, neededBytes: RECORD_HEADER_BYTES },
      });
      expect(await file.read(piece, start, new SharedArrayBuffer(needed - 1))).toMatchObject({
        ...{ frames: [], position: start, neededBytes: needed },
      });
      const some = await file.read(piece, start, new SharedArrayBuffer(needed + 40), 30);
      expect(some).toMatchObject({ positions: [start], position: start + needed, neededBytes: 0 });
      const rest = await file.read(piece, some.position, new SharedArrayBuffer(piece.bytesMax));
      expect(rest.position).toBe(piece.endOffset);
      expect(rest.frames).toHaveLength(FRAMES_OF_GOP - 1);
      file.close();
      file.close();
    });

    it("opens nothing that is not there, or that nobody needs any more", async () => {
      const { archive, key } = await archiveWith({});
      const [segment] = archive.recorded(key, ALL);
      if (segment === undefined) throw new Error("nothing is recorded");
      const missing = archive.openRecorded({ ...segment, segmentId: segment.segmentId + 1 });
      await expect(missing).rejects.toMatchObject({ code: "NOT_FOUND" });
      const gone = AbortSignal.abort();
      await expect(archive.openRecorded(segment, gone)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    });
  });
});

function at(second: number): number {
  return NINE_US + second * 1_000_000;
}

/** Pictures 40 ms apart, a key frame each five, with a sound between each two where it has any. */
function runOf({ second = 0, frames = FRAMES, hasSound = false }: RunShape): ArchivedFrame[] {
  return Array.from({ length: frames }, (_, index): ArchivedFrame[] => {
    const common = {
      ...({ streamType: "Main", presentationOffsetUs: 0, damaged: false, undecodable: false } as const),
    };
    const decodeTimeUs = at(second) + index * FRAME_US;
    const picture = {
      ...{ ...common, codec: VIDEO.codec, decodeTimeUs, key: index % FRAMES_OF_GOP === 0 },
      ...{ startsFragment: index === 0, bytes: patternBytes(100 + index, index) },
    };
    const sound = {
      ...{ ...common, codec: AUDIO.codec, decodeTimeUs: decodeTimeUs + 1000, key: true },
      ...{ startsFragment: false, bytes: patternBytes(80, index + 1000) },
    };
    return hasSound ? [picture, sound] : [picture];
  }).flat();
}

function plain({ codec, decodeTimeUs, key, startsFragment, bytes }: ArchivedFrame) {
  const hex = Buffer.from(bytes).toString("hex");
  return { isSound: isAudioCodec(codec), decodeTimeUs, key, startsFragment, bytes: hex };
}

async function readAll(reader: ArchiveReader) {
  const all: ReturnType<typeof plain>[] = [];
  for (;;) {
    const frames = await reader.next();
    if (frames.length === 0) break;
    all.push(...frames.map(plain));
  }
  reader.close();
  return all;
}

async function framesOf(archive: RecordedAccess, segment: RecordedSegment | undefined) {
  if (segment === undefined) throw new Error("nothing is recorded");
  const file = await archive.openRecorded(segment);
  const found: ReturnType<typeof plain>[] = [];
  for (const piece of segment.pieces) {
    const read = await file.read(piece, file.start(piece), new SharedArrayBuffer(piece.bytesMax));
    expect(read.position).toBe(piece.endOffset);
    found.push(...read.frames.map(plain));
  }
  file.close();
  return found;
}

async function firstPiece(
  archive: RecordedAccess,
  key: StreamKey,
): Promise<{ readonly file: RecordedFile; readonly piece: RecordedPiece }> {
  const [segment] = archive.recorded(key, ALL);
  const [piece] = segment?.pieces ?? [];
  if (segment === undefined || piece === undefined) throw new Error("nothing is recorded");
  return { file: await archive.openRecorded(segment), piece };
}
