import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realDisk } from "../../../src/archive/disk/disk.js";
import { loadNativeDisk } from "../../../src/archive/disk/native-disk.js";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import { readErrorCode } from "../../../src/archive/disk/segment-summaries.js";
import type { ReaderRequest, SummaryAnswer } from "../../../src/archive/disk/volume-messages.js";
import { VolumeError } from "../../../src/archive/disk/volume-thread.js";
import type { SegmentFile, SegmentSummary } from "../../../src/archive/index.js";
import type { MovingVolume } from "../../../src/archive/move/moving-volume.js";
import { VolumeMoves, type VolumeMovesOptions } from "../../../src/archive/move/volume-moves.js";
import { unpackSegmentHeader } from "../../../src/archive/segment/segment-header.js";
import { segmentPath } from "../../../src/archive/segment/segment-summary.js";
import { segmentPaths, summaryOf } from "../../../src/archive/volume/volume-segments.js";
import { TakeLevel } from "../../../src/archive/write/held-frames.js";
import { type Guid, newGuid, SystemClock } from "../../../src/base/index.js";
import { newStreamKey, SILENT_LOG } from "../../support/archive/archive-fixture.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { segmentBytes } from "../../support/archive/segment-bytes.js";

const MINUTE_US = 60_000_000;
const START_US = 1_704_067_200_000_000;
const BOOT_TIMES = { redate: (summary: SegmentSummary) => summary, spread: async () => true };

/** A volume in a directory, without threads: each request is answered at once, unless a test has it fail. */
class PlainVolume implements MovingVolume {
  readonly id = newGuid();
  readonly directory: string;
  usable = true;
  writer: MovingVolume["writer"] = { level: TakeLevel.ALL, writeStallMs: 0, syncStallMs: 0 };
  /** Throws what a request is to fail with. */
  onRequest: (request: ReaderRequest) => void = () => undefined;
  readonly #reads: SegmentReads;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(join(directory, "streams"), { recursive: true });
    this.#reads = new SegmentReads(realDisk(loadNativeDisk().disk), directory);
  }

  readonly reads = {
    stallMs: 0,
    read: async (request: ReaderRequest) => {
      this.onRequest(request);
      try {
        return this.#reads.handle(request) as never;
      } catch (error) {
        throw new VolumeError(readErrorCode(error), String(error));
      }
    },
  };

  async readSummaries(files: readonly SegmentFile[], { deep }: { readonly deep: boolean }) {
    const request = { op: "summaries", files: files.map(segmentPaths), deep, fromFrames: false } as const;
    const answers: readonly SummaryAnswer[] = await this.reads.read(request);
    return files.map((file, at) => {
      const found = answers[at];
      return found === undefined || "code" in found
        ? { file, error: new Error(found?.message) }
        : { file, summary: summaryOf(found, BOOT_TIMES), closed: true };
    });
  }

  async unlink(file: SegmentFile): Promise<void> {
    await this.reads.read({ op: "unlink", paths: segmentPaths(file) });
  }

  put(fromUs: number, key: SegmentFile["key"]): SegmentSummary {
    const file = { key, segmentId: fromUs };
    const { closed } = segmentBytes(100, { fromUs, segmentId: fromUs, volumeId: this.id, key });
    mkdirSync(join(this.directory, dirname(segmentPath(file))), { recursive: true });
    writeFileSync(join(this.directory, segmentPath(file)), closed);
    const request = { op: "summaries", files: [[segmentPath(file)]], deep: true, fromFrames: false } as const;
    const [answer] = this.#reads.handle(request) as readonly SummaryAnswer[];
    if (answer === undefined || "code" in answer) throw new Error(answer?.message);
    return summaryOf(answer, BOOT_TIMES);
  }

  get files(): string[] {
    return readdirSync(this.directory, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".seg"),
    );
  }
}

let root: string;
let from: PlainVolume;
let to: PlainVolume;
let index: MemorySegmentIndex;
let segments: SegmentSummary[];
let moves: VolumeMoves;
const key = newStreamKey();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nvrd-move-"));
  from = new PlainVolume(join(root, "from"));
  to = new PlainVolume(join(root, "to"));
  segments = Array.from({ length: 6 }, (_, at) => from.put(START_US + at * MINUTE_US, key));
  index = new MemorySegmentIndex(segments);
  moves = newMoves();
});

afterEach(async () => {
  await moves.stop();
  rmSync(root, { recursive: true });
});

function newMoves(options: Partial<VolumeMovesOptions> = {}): VolumeMoves {
  const found = new VolumeMoves({
    ...{ dataDir: root, index, bootTimes: BOOT_TIMES, clock: new SystemClock(), log: SILENT_LOG },
    protection: { channels: () => [], ranges: () => [] },
    volumes: () => [from, to],
    targets: () => [to],
    volumeIdAt: (directory) => [from, to].find((volume) => volume.directory === directory)?.id,
    roomOn: async () => Number.POSITIVE_INFINITY,
    isRetired: (id) => id === from.id,
    ...options,
  });
  found.load();
  found.start();
  return found;
}

async function ended() {
  await moves.begin(from.directory, null);
  return await whenEnded();
}

async function whenEnded() {
  const hasEnded = () => moves.state !== undefined && moves.state.state !== "running";
  await expect.poll(hasEnded).toBe(true);
  return moves.state;
}

const volumesOf = (): (Guid | undefined)[] => segments.map((segment) => index.closed(segment)?.volumeId);

describe("a move of recordings off a volume", () => {
  it("leaves each byte of a segment as it was, but what says which volume it is on", async () => {
    const [first] = segments as [SegmentSummary];
    const before = readFileSync(join(from.directory, segmentPath(first)));
    expect(await ended()).toMatchObject({ state: "done", result: { moved: 6, left: 0, reason: undefined } });
    const after = readFileSync(join(to.directory, segmentPath(first)));
    expect(from.files).toEqual([]);
    const [was, is] = [unpackSegmentHeader(before), unpackSegmentHeader(after)];
    expect(is).toEqual({ ...was, volumeId: to.id, moves: 1 });
    const headerBytes = before.readUInt32LE(12);
    expect(after.subarray(headerBytes).equals(before.subarray(headerBytes))).toBe(true);
  });

  it("takes the newest first, and stops where there is no room: nothing is deleted for it", async () => {
    const { bytes = 0 } = segments[0] ?? {};
    moves = newMoves({ roomOn: async ({ id }) => 2.5 * bytes - index.volumeBytes(id) });
    expect(await ended()).toMatchObject({
      state: "done",
      result: { moved: 2, left: 4, reason: expect.stringContaining("no room") },
    });
    expect(volumesOf()).toEqual([from.id, from.id, from.id, from.id, to.id, to.id]);
  });

  it("takes what is protected before all others", async () => {
    const range = { fromUs: START_US, toUs: START_US + MINUTE_US };
    const { bytes = 0 } = segments[0] ?? {};
    moves = newMoves({
      protection: { channels: () => [key.channelId], ranges: () => [range as never] },
      roomOn: async ({ id }) => 2.5 * bytes - index.volumeBytes(id),
    });
    await ended();
    expect(volumesOf()).toEqual([to.id, from.id, from.id, from.id, from.id, to.id]);
  });

  it("names what cannot be read, and moves the rest", async () => {
    const [, , third] = segments as [SegmentSummary, SegmentSummary, SegmentSummary];
    from.onRequest = (request) => {
      const isThird = "paths" in request && request.paths.includes(segmentPath(third));
      if (isThird && request.op === "read-piece") throw new VolumeError("EIO", "EIO: i/o error, read");
    };
    const state = await ended();
    expect(state).toMatchObject({ state: "done", result: { moved: 5, left: 1, reason: undefined } });
    expect(state?.result?.unreadable).toEqual([expect.stringContaining("EIO")]);
    expect(index.closed(third)?.volumeId).toBe(from.id);
    expect(from.files).toEqual([segmentPath(third)]);
    expect(to.files).toHaveLength(5);
  });

  it("leaves a segment whose frames are damaged where it is", async () => {
    const [first] = segments as [SegmentSummary];
    const file = join(from.directory, segmentPath(first));
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await ended()).toMatchObject({ result: { moved: 5, left: 1, unreadableCount: 1 } });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("waits while the disks do not keep up with the cameras", async () => {
    const asked: string[] = [];
    let looks = 0;
    from.onRequest = ({ op }) => void asked.push(op);
    to.writer = {
      get level() {
        looks += 1;
        return TakeLevel.KEY_FRAMES;
      },
      ...{ writeStallMs: 0, syncStallMs: 0 },
    };
    await moves.begin(from.directory, null);
    await expect.poll(() => looks).toBeGreaterThan(2);
    expect(asked).toEqual([]);
    to.writer = { level: TakeLevel.ALL, writeStallMs: 0, syncStallMs: 0 };
    expect(await whenEnded()).toMatchObject({ state: "done", result: { moved: 6 } });
  });

  it("goes on after a restart, and removes an original that the one before left", async () => {
    let unlinks = 0;
    let stopped: Promise<void> | undefined;
    from.onRequest = (request) => {
      // As a disk that does not answer any more: the copy is the segment by then.
      if (request.op !== "unlink") return;
      unlinks += 1;
      // In the middle: a move that has ended is not gone on with.
      if (unlinks === 3) stopped = moves.stop();
      if (unlinks > 1) throw new VolumeError("EIO", "EIO: i/o error, unlink");
    };
    await moves.begin(from.directory, null);
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
    from.onRequest = () => undefined;
    moves = newMoves();
    expect(await whenEnded()).toMatchObject({ state: "done", result: { left: 0 } });
    expect([from.files, to.files.length]).toEqual([[], 6]);
  });

  it("ends when somebody says so, between two segments or in the middle of one: each is in one place", async () => {
    to.onRequest = (request) => {
      if (request.op === "place-copy") moves.cancel();
    };
    await moves.begin(from.directory, null);
    expect(await whenEnded()).toMatchObject({ state: "cancelled", progress: { moved: 1, left: 5 } });
    expect([from.files.length, to.files.length]).toEqual([5, 1]);
  });

  it("is refused for a volume that is recorded onto, and without another one", async () => {
    await expect(moves.begin(to.directory, null)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(moves.begin(join(root, "none"), null)).rejects.toMatchObject({ code: "NOT_FOUND" });
    moves = newMoves({ targets: () => [from] });
    await expect(moves.begin(from.directory, null)).rejects.toMatchObject({ code: "CONFLICT" });
  });
});
