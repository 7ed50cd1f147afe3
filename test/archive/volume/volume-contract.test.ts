import { mkdirSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SegmentFile, SegmentSummary, StrayFile, VolumeAccess } from "../../../src/archive/index.js";
import { indexedMembers, segmentPath } from "../../../src/archive/segment/segment-summary.js";
import { BootTimes } from "../../../src/archive/time/boot-times.js";
import { Volume } from "../../../src/archive/volume/volume.js";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { SILENT_LOG } from "../../support/archive/archive-fixture.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { type MadeSegment, segmentOfFrames } from "../../support/archive/segment-bytes.js";
import {
  BOOT,
  guidOfNumber,
  MINUTE_US,
  START_US,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const FRAME_US = 40_000;
const FRAMES = 50;
const FRAMES_OF_GOP = 25;
const DURATION_US = FRAMES * FRAME_US;
const DAY_MINUTES = 24 * 60;

interface SegmentShape {
  readonly stream?: number;
  readonly minute?: number;
  readonly volumeId?: Guid;
  readonly moves?: number;
}

interface PutSegment extends MadeSegment {
  readonly summary: SegmentSummary;
  readonly moves: number;
}

/** With what the upkeep of the index asks of it too. */
type TakenVolume = VolumeAccess & Pick<Volume, "newestFiles">;

/** A volume, and what happens to its files without its doing. */
interface Side {
  readonly volume: TakenVolume;
  put(segment: PutSegment): void;
  /** It lies at another path than its own. */
  misplace(segment: PutSegment, at: string): void;
  /** A file that is none of nvrd's. */
  putStranger(at: string): void;
  /** Not even its header is whole. */
  tear(segment: PutSegment): void;
  /** Its footer is missing. */
  unclose(segment: PutSegment): void;
  /** A frame of it is changed. */
  damage(segment: PutSegment): void;
}

async function onDisk(): Promise<Side> {
  const directory = await temporaryDirectory();
  const volume = new Volume({
    ...{ directory, mustBeMounted: false, clock: new SystemClock(), log: SILENT_LOG },
    ...{ tickMs: 10, syncIntervalMs: 30, heldBytesMax: 1_000_000, startThread: threadsOnDisk(REAL_DISK) },
    bootTimes: new BootTimes({ dataDir: directory, log: SILENT_LOG }),
    listener: { onReadable: () => undefined, onClosed: () => undefined, onFailed: () => undefined },
  });
  onTestFinished(() => volume.stop());
  await volume.start({
    ...{ knownId: undefined, freshId: volumeOfNumber(1), ownIds: [], takesUnknown: false },
    ...{ mustBeMounted: false, wasMounted: false, probes: false, nowUs: START_US },
  });
  const write = (at: string, bytes: Uint8Array): void => {
    mkdirSync(path.join(directory, path.dirname(at)), { recursive: true });
    writeFileSync(path.join(directory, at), bytes);
  };
  return {
    volume,
    put: ({ summary, closed }) => write(segmentPath(summary), closed),
    misplace({ summary }, at) {
      mkdirSync(path.join(directory, path.dirname(at)), { recursive: true });
      renameSync(path.join(directory, segmentPath(summary)), path.join(directory, at));
    },
    putStranger: (at) => write(at, Buffer.from("notes")),
    tear: ({ summary }) => truncateSync(path.join(directory, segmentPath(summary)), 20),
    unclose: ({ summary, open }) => write(segmentPath(summary), open),
    damage({ summary, closed, open }) {
      const damaged = Buffer.from(closed);
      damaged[open.length - 10] = (damaged[open.length - 10] ?? 0) ^ 1;
      write(segmentPath(summary), damaged);
    },
  };
}

async function inMemory(): Promise<Side> {
  const volume = new MemoryVolume(volumeOfNumber(1));
  return {
    volume,
    put({ summary, moves }) {
      volume.put(summary);
      volume.moves.set(summary.segmentId, moves);
    },
    misplace({ summary }, at) {
      volume.files.delete(summary.segmentId);
      volume.strays.push({ path: at, kind: "misplaced" });
      volume.misplaced.set(at, summary);
    },
    putStranger: (at) => void volume.strays.push({ path: at, kind: "unknown" }),
    tear: ({ summary }) => void volume.torn.add(summary.segmentId),
    unclose: ({ summary }) => void volume.unclosed.add(summary.segmentId),
    damage: ({ summary }) => void volume.damaged.add(summary.segmentId),
  };
}

/** What stands for a volume does as a volume does: whoever is tested with it, is tested with less otherwise. */
describe.each<[string, () => Promise<Side>]>([
  ["a volume on the disk", onDisk],
  ["a volume in memory", inMemory],
])("%s", (_name, make) => {
  async function sideWith(...shapes: readonly SegmentShape[]) {
    const side = await make();
    const segments = shapes.map(segmentOf);
    for (const segment of segments) side.put(segment);
    const [first] = segments;
    if (first === undefined) throw new Error("no segment");
    return { side, volume: side.volume, segments, first, file: fileOf(first) };
  }

  it("lists its segments in the order in which they were recorded, whichever came first onto it", async () => {
    const { volume } = await sideWith(
      { stream: 1, minute: DAY_MINUTES },
      { stream: 2, minute: 2 },
      { stream: 1, minute: 1 },
    );
    const { files, shares } = await listed(volume);
    expect(files).toEqual([
      fileOf(segmentOf({ stream: 1, minute: 1 })),
      fileOf(segmentOf({ stream: 2, minute: 2 })),
      fileOf(segmentOf({ stream: 1, minute: DAY_MINUTES })),
    ]);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it("lists nothing where nothing is", async () => {
    const { volume } = await make();
    expect(await listed(volume)).toEqual({ files: [], strays: [], shares: [] });
    expect(await volume.newestFiles()).toEqual([]);
  });

  it("lists also what cannot be read: whether it can is not known before", async () => {
    const { side, volume, first, file } = await sideWith({});
    side.tear(first);
    expect((await listed(volume)).files).toEqual([file]);
  });

  it("names strangers and what is misplaced, beside its segments", async () => {
    const { side, volume, segments, first } = await sideWith({}, { minute: 1 });
    side.putStranger("streams/notes.txt");
    side.misplace(first, misplacedPath(first));
    const { files, strays } = await listed(volume);
    expect(files).toEqual(segments.slice(1).map(fileOf));
    expect([...strays].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: misplacedPath(first), kind: "misplaced" },
      { path: "streams/notes.txt", kind: "unknown" },
    ]);
  });

  it("knows the newest segment of each stream", async () => {
    const { volume } = await sideWith(
      { stream: 1, minute: DAY_MINUTES },
      { stream: 1, minute: 3 },
      { stream: 2, minute: 5 },
      { stream: 2, minute: 4 },
    );
    const newest = await volume.newestFiles();
    expect(newest).toHaveLength(2);
    expect(newest).toContainEqual(fileOf(segmentOf({ stream: 1, minute: DAY_MINUTES })));
    expect(newest).toContainEqual(fileOf(segmentOf({ stream: 2, minute: 5 })));
  });

  it("reads what segments say of themselves, in the order in which it is asked", async () => {
    const { volume, segments } = await sideWith({ minute: 1 }, { minute: 0 }, { stream: 2 });
    const outcomes = await volume.readSummaries(segments.map(fileOf), { deep: true });
    const found = outcomes.map((outcome) => ("error" in outcome ? outcome.error : outcome));
    expect(found).toEqual(
      segments.map((segment) => ({ file: fileOf(segment), summary: expect.anything(), closed: true })),
    );
    const summaries = outcomes.map((outcome) => "summary" in outcome && indexedMembers(outcome.summary));
    expect(summaries).toEqual(segments.map(({ summary }) => indexedMembers(summary)));
  });

  it("answers for each file, also where others fail", async () => {
    const { side, volume, segments, first } = await sideWith({}, { minute: 1 }, { minute: 2 }, { minute: 3 });
    const [, second = first, third = first] = segments;
    side.tear(first);
    side.unclose(second);
    side.damage(third);
    const missing = segmentOf({ minute: 9 });
    const files = [...segments, missing].map(fileOf);
    expect(await codes(volume, files)).toEqual(["DAMAGED", "UNCLOSED", "closed", "closed", "ENOENT"]);
    const deep = await codes(volume, files, { deep: true });
    expect(deep).toEqual(["DAMAGED", "UNCLOSED", "DAMAGED", "closed", "ENOENT"]);
  });

  it("has no segment of another stream under its number", async () => {
    const { volume, first } = await sideWith({});
    const other = { key: streamOfNumber(2), segmentId: first.summary.segmentId };
    expect(await codes(volume, [other])).toEqual(["ENOENT"]);
    await expect(volume.movesOf(other)).rejects.toMatchObject({ code: "ENOENT" });
    await volume.unlink(other);
    expect(await codes(volume, [fileOf(first)])).toEqual(["closed"]);
  });

  it("takes no segment of another volume for its own", async () => {
    const { volume, file } = await sideWith({ volumeId: volumeOfNumber(2) });
    expect(await codes(volume, [file])).toEqual(["DAMAGED"]);
  });

  it("counts a segment without a footer from its frames, where that is asked for", async () => {
    const { side, volume, first, file } = await sideWith({});
    side.unclose(first);
    const [outcome] = await volume.readSummaries([file], { deep: false, fromFrames: true });
    if (outcome === undefined || "error" in outcome) throw new Error("not counted", { cause: outcome });
    const { summary } = first;
    expect(outcome.closed).toBe(false);
    expect(outcome.summary).toMatchObject({
      fromUs: summary.fromUs,
      videoFrames: FRAMES,
      gops: summary.gops,
    });
    expect(outcome.summary.toUs).toBeGreaterThan(summary.toUs - FRAME_US);
    expect(outcome.summary.toUs).toBeLessThanOrEqual(summary.toUs);
  });

  it.each<[string, number | undefined]>([
    ["to the end of its last frame", undefined],
    ["for as long as it is told to", DURATION_US + 7],
    ["to the end of its last frame where it is told less than that", FRAME_US],
  ])("closes a segment again, which then lasts %s", async (_what, durationUs) => {
    const { side, volume, first, file } = await sideWith({});
    side.unclose(first);
    const [counted] = await volume.readSummaries([file], { deep: false, fromFrames: true });
    const countedUs = counted !== undefined && "summary" in counted ? counted.summary.toUs : 0;
    await volume.closeAgain(file, durationUs);
    const [outcome] = await volume.readSummaries([file], { deep: true });
    const { fromUs } = first.summary;
    const toUs = durationUs === DURATION_US + 7 ? fromUs + durationUs : countedUs;
    expect(outcome).toMatchObject({ closed: true, summary: { fromUs, toUs, videoFrames: FRAMES } });
  });

  it("closes no segment again that is whole, torn or not there", async () => {
    const { side, volume, segments, first, file } = await sideWith({}, { minute: 1 });
    side.tear(first);
    await expect(volume.closeAgain(file, undefined)).rejects.toMatchObject({ code: "DAMAGED" });
    const [, whole = first] = segments;
    await expect(volume.closeAgain(fileOf(whole), undefined)).rejects.toMatchObject({ code: "DAMAGED" });
    const missing = fileOf(segmentOf({ minute: 9 }));
    await expect(volume.closeAgain(missing, undefined)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("puts a misplaced segment in its place, and says which it is", async () => {
    const { side, volume, first, file } = await sideWith({});
    side.misplace(first, misplacedPath(first));
    expect(await codes(volume, [file])).toEqual(["ENOENT"]);
    expect(await volume.putInPlace(misplacedPath(first))).toEqual(file);
    expect(await listed(volume)).toMatchObject({ files: [file], strays: [] });
    expect(await codes(volume, [file])).toEqual(["closed"]);
  });

  it("leaves a misplaced segment where its place is taken", async () => {
    const { side, volume, first, file } = await sideWith({});
    side.misplace(first, misplacedPath(first));
    side.put(first);
    await expect(volume.putInPlace(misplacedPath(first))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await listed(volume)).toMatchObject({ files: [file], strays: [{ path: misplacedPath(first) }] });
  });

  it.each<[string, SegmentShape, (segment: PutSegment) => string]>([
    ["of another volume", { volumeId: volumeOfNumber(2) }, misplacedPath],
    ["with the name of another one", {}, () => misplacedPath(segmentOf({ minute: 9 }))],
  ])("leaves a misplaced segment %s", async (_what, shape, at) => {
    const { side, volume, first } = await sideWith(shape);
    side.misplace(first, at(first));
    await expect(volume.putInPlace(at(first))).rejects.toMatchObject({ code: "DAMAGED" });
    expect((await listed(volume)).strays).toEqual([{ path: at(first), kind: "misplaced" }]);
  });

  it("puts nothing in its place that is not there", async () => {
    const { volume } = await make();
    const at = misplacedPath(segmentOf({}));
    await expect(volume.putInPlace(at)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("says how often a segment was moved, and does not where that cannot be read", async () => {
    const { side, volume, segments, file } = await sideWith({ moves: 3 }, { minute: 1 }, { minute: 2 });
    const [, second, third] = segments;
    if (second === undefined || third === undefined) throw new Error("no segments");
    expect(await volume.movesOf(file)).toBe(3);
    expect(await volume.movesOf(fileOf(second))).toBe(0);
    side.tear(third);
    await expect(volume.movesOf(fileOf(third))).rejects.toMatchObject({ code: "DAMAGED" });
    const missing = fileOf(segmentOf({ minute: 9 }));
    await expect(volume.movesOf(missing)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("removes a segment, and one that is not there", async () => {
    const { volume, segments, file } = await sideWith({}, { minute: 1 });
    await volume.unlink(file);
    await volume.unlink(file);
    expect((await listed(volume)).files).toEqual(segments.slice(1).map(fileOf));
    expect(await codes(volume, [file])).toEqual(["ENOENT"]);
  });

  it("says how much room there is", async () => {
    const { totalBytes, freeBytes } = await (await make()).volume.space();
    expect(totalBytes).toBeGreaterThan(0);
    expect(freeBytes).toBeGreaterThanOrEqual(0);
    expect(freeBytes).toBeLessThanOrEqual(totalBytes);
  });
});

function segmentOf({ stream = 1, minute = 0, volumeId, moves = 0 }: SegmentShape): PutSegment {
  const fromUs = START_US + minute * MINUTE_US;
  const of = {
    ...{ volumeId: volumeId ?? volumeOfNumber(1), segmentId: fromUs + stream, key: streamOfNumber(stream) },
    ...{ fragmentId: guidOfNumber(1, 4), fragmentSequence: minute, epoch: 0, bootId: BOOT },
    ...{ fromUs, toUs: fromUs + DURATION_US },
  };
  const frames = Array.from({ length: FRAMES }, (_, at) => ({
    decodeTimeUs: fromUs + at * FRAME_US,
    key: at % FRAMES_OF_GOP === 0,
    payload: Buffer.alloc(200, at),
  }));
  const made = segmentOfFrames(frames, { ...of, moves });
  const counts = { bytes: made.closed.length, videoFrames: FRAMES, audioFrames: 0, gops: made.gops };
  return { ...made, moves, summary: { ...of, ...counts } };
}

function fileOf({ summary: { key, segmentId } }: PutSegment): SegmentFile {
  return { key, segmentId };
}

/** In the directory of another day. */
function misplacedPath({ summary }: PutSegment): string {
  return segmentPath(summary).replace(/\d{4}-\d\d-\d\d/, "2020-02-02");
}

async function listed(volume: VolumeAccess) {
  const files: SegmentFile[] = [];
  const strays: StrayFile[] = [];
  const shares: number[] = [];
  for await (const listing of volume.listSegments()) {
    files.push(...listing.files);
    strays.push(...listing.strays);
    shares.push(listing.share);
  }
  return { files, strays, shares };
}

async function codes(volume: VolumeAccess, files: readonly SegmentFile[], { deep = false } = {}) {
  const outcomes = await volume.readSummaries(files, { deep });
  return outcomes.map((outcome) => {
    if (!("error" in outcome)) return outcome.closed ? "closed" : "counted";
    return (outcome.error as { code?: string }).code ?? outcome.error.message;
  });
}
