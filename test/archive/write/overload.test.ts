import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Archive, ArchiveNotice } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import {
  append,
  idleSlabs,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import type { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { HangingThreads, REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const FPS = 25;
const FRAME_US = 1_000_000 / FPS;
const GOP_FRAMES = 50;
const FRAME_BYTES = 4_000;
const TICK_US = 400_000;
const HELD_BYTES_MAX = 1_000_000;

let directory: ReturnType<typeof temporaryDirectory>;
let clock: SimulatedClock;
let threads: HangingThreads;
let archive: Archive;
let index: MemorySegmentIndex;
let notices: ArchiveNotice[];
let paths: string[];
let sent: number;

async function start(volumes: number, heldBytesMax = HELD_BYTES_MAX): Promise<void> {
  paths = ["a", "b", "c"].slice(0, volumes).map((name) => join(directory.path, name));
  const started = await startArchive(directory.path, {
    volumes: paths.map((path) => ({ path })),
    startThread: threads.start,
    clock,
    tickMs: 400,
    syncIntervalMs: 1000,
    heldBytesMax,
  });
  ({ archive, index } = started);
  archive.onNotice((notice) => notices.push(notice));
}

beforeEach(() => {
  directory = temporaryDirectory();
  clock = new SimulatedClock();
  threads = new HangingThreads(threadsOnDisk(REAL_DISK));
  notices = [];
  sent = 0;
  idleSlabs.clear();
});

afterEach(() => directory.remove());

interface Feeding {
  readonly gopFrames?: number;
  readonly bytes?: number;
}

/** Lets every stream send frames at 25 a second for so many of them; answers the most bytes that waited meanwhile. */
async function feed(keys: readonly StreamKey[], frames: number, feeding: Feeding = {}): Promise<number> {
  const { gopFrames = GOP_FRAMES, bytes = FRAME_BYTES } = feeding;
  let heldMost = 0;
  for (let at = 0; at < frames; at++, sent++) {
    for (const key of keys) {
      append(archive.writer(key), {
        decodeTimeUs: clock.nowUs(),
        bytes: patternBytes(bytes, sent),
        key: sent % gopFrames === 0,
      });
    }
    heldMost = Math.max(heldMost, ...archive.overload().volumes.map((volume) => volume.heldBytes));
    await clock.advanceSlowly(FRAME_US, 10_000);
  }
  return heldMost;
}

/** Stops on simulated time. */
async function stop(): Promise<void> {
  let stopped = false;
  const stopping = archive.stop().then(() => {
    stopped = true;
  });
  await clock.advanceSlowly(30_000_000, 10_000, () => stopped);
  await stopping;
}

const kinds = (): string[] => notices.map((notice) => notice.kind);

/** Every frame of a stream as it can be read back, as frame numbers from its start. */
async function recorded(key: StreamKey, startUs: number): Promise<{ number: number; key: boolean }[]> {
  const again = await startArchive(directory.path, { index, volumes: paths.map((path) => ({ path })) });
  await again.archive.recovered();
  const count = [...index.committed.values()]
    .filter((segment) => segment.key.channelId === key.channelId)
    .reduce((sum, segment) => sum + segment.videoFrames, 0);
  const reader = again.archive.read(key, { fromUs: startUs });
  const frames = await readFrames(reader, count);
  reader.close();
  await again.archive.stop();
  return frames.map((frame) => ({
    number: Math.round((frame.decodeTimeUs - startUs) / FRAME_US),
    key: frame.key,
  }));
}

/** Frames that stand in the archive without the one they need. */
function undecodable(frames: readonly { number: number; key: boolean }[]): number[] {
  return frames
    .filter((frame, at) => !frame.key && frames[at - 1]?.number !== frame.number - 1)
    .map((f) => f.number);
}

const problems = () => archiveProblems({ volumePaths: paths, summaries: [...index.committed.values()] });

describe("a volume that does not keep up", () => {
  it("is thinned, then recorded whole again by itself, said once each, with the number of frames", async () => {
    await start(1);
    const startUs = clock.nowUs();
    const key = newStreamKey();
    await feed([key], GOP_FRAMES);
    threads.hang(paths[0] ?? "");
    // Slow, not hung for ten seconds: the disk answers after nine.
    const heldMost = await feed([key], 9 * FPS, { bytes: 16_000 });
    expect(heldMost).toBeLessThanOrEqual(HELD_BYTES_MAX);
    expect(kinds()).toContain("thinning-started");
    threads.release();
    await feed([key], 6 * FPS);
    expect(kinds()).toEqual(["thinning-started", "thinning-ended"]);
    expect(archive.overload().streams[0]).toMatchObject({ thinning: false, dropping: false });
    const thinned = archive.overload().streams[0]?.framesThinned ?? 0;
    expect(notices.at(-1)).toMatchObject({ framesThinned: thinned });
    await stop();
    const frames = await recorded(key, startUs);
    expect(undecodable(frames)).toEqual([]);
    expect(frames).toHaveLength(sent - thinned);
    expect(index.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toHaveLength(1); // thinning is no gap
    expect(problems()).toEqual([]);
  });

  it("drops whole GOPs when it may hold no more, and starts a new fragment", async () => {
    await start(1, 400_000);
    const startUs = clock.nowUs();
    const keys = [newStreamKey(), newStreamKey()];
    await feed(keys, GOP_FRAMES);
    threads.hang(paths[0] ?? "");
    const heldMost = await feed(keys, 9 * FPS, { bytes: 60_000 });
    expect(heldMost).toBeLessThanOrEqual(400_000);
    threads.release();
    await feed(keys, 8 * FPS);
    for (const key of keys) {
      const own = notices.filter((notice) => "key" in notice && notice.key.channelId === key.channelId);
      expect(own.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(["dropping-started", "dropping-ended"]),
      );
      expect(own.filter(({ kind }) => kind === "dropping-started")).toHaveLength(1);
    }
    const { streams } = archive.overload();
    await stop();
    for (const [at, key] of keys.entries()) {
      const frames = await recorded(key, startUs);
      expect(undecodable(frames)).toEqual([]);
      const { framesThinned = 0, framesDropped = 0 } = streams[at] ?? {};
      expect(frames.length + framesThinned + framesDropped).toBe(sent);
      expect(index.fragments(key, 0, Number.MAX_SAFE_INTEGER).length).toBeGreaterThan(1);
    }
    expect(problems()).toEqual([]);
  });

  it("keeps one picture a second of a stream that has key frames only", async () => {
    await start(1);
    const startUs = clock.nowUs();
    const key = newStreamKey();
    await feed([key], FPS, { gopFrames: 1 });
    threads.hang(paths[0] ?? "");
    await feed([key], 9 * FPS, { gopFrames: 1, bytes: 16_000 });
    threads.release();
    await feed([key], 3 * FPS, { gopFrames: 1 });
    const thinned = archive.overload().streams[0]?.framesThinned ?? 0;
    expect(thinned).toBeGreaterThan(5 * FPS);
    await stop();
    const steps = (await recorded(key, startUs)).map(
      (frame, at, all) => frame.number - (all[at - 1]?.number ?? -1),
    );
    // Whole, then one a second, then whole again.
    expect(steps.filter((step) => step !== 1).every((step) => step <= FPS)).toBe(true);
    expect(steps.filter((step) => step === FPS).length).toBeGreaterThanOrEqual(4);
  });

  it("treats its streams alike: a small one is not recorded at the cost of a big one, nor the other way", async () => {
    await start(1);
    const keys = [newStreamKey(), newStreamKey()];
    await feed(keys, GOP_FRAMES);
    threads.hang(paths[0] ?? "");
    for (let at = 0; at < 8 * FPS; at++, sent++) {
      for (const [which, key] of keys.entries()) {
        const bytes = patternBytes(which === 0 ? 20_000 : 200, sent);
        append(archive.writer(key), { decodeTimeUs: clock.nowUs(), bytes, key: sent % GOP_FRAMES === 0 });
      }
      await clock.advanceSlowly(FRAME_US, 10_000);
    }
    const [big, small] = archive.overload().streams;
    expect(big?.framesThinned).toBeGreaterThan(0);
    expect(small?.framesThinned).toBe(big?.framesThinned);
    threads.release();
    await stop();
  });
});

describe("a volume that hangs beside one that keeps up", () => {
  it("loses its streams within two and a half seconds; what waited goes along from its first key frame", async () => {
    await start(2, 64 * 1024 * 1024);
    const startUs = clock.nowUs();
    const keys = Array.from({ length: 4 }, newStreamKey);
    await feed(keys, 3 * GOP_FRAMES + 13);
    const firstOf = new Map(keys.map((key) => [key, index.newest(key)?.volumeId]));
    const stuckId = firstOf.get(keys[0] ?? newStreamKey());
    const stuck = archive.volumeAccess().find((volume) => volume.id === stuckId);
    expect(new Set(firstOf.values()).size).toBe(2);
    threads.hang(stuck?.directory ?? "");
    const hangUs = clock.nowUs();
    let leftUs = 0;
    for (let at = 0; at < 5 * FPS && leftUs === 0; at++) {
      await feed(keys, 1);
      if (kinds().includes("volume-lost")) leftUs = clock.nowUs();
    }
    expect(leftUs - hangUs).toBeLessThanOrEqual(2_500_000 + TICK_US + FRAME_US);
    await feed(keys, 2 * GOP_FRAMES);
    for (const key of keys) {
      const segment = index.newest(key);
      expect(segment?.volumeId).not.toBe(stuckId);
      if (firstOf.get(key) !== stuckId) continue;
      // Lost until the disk answers: the batch under way, and what follows it up to the next key frame.
      expect((segment?.fromUs ?? 0) - hangUs).toBeLessThanOrEqual(TICK_US + GOP_FRAMES * FRAME_US);
    }
    threads.release();
    await feed(keys, 13 * FPS); // the segments left behind are closed by now
    expect(kinds().filter((kind) => kind === "volume-taken")).toHaveLength(1);
    await stop();
    for (const key of keys) {
      const frames = await recorded(key, startUs);
      expect(undecodable(frames)).toEqual([]);
      expect(new Set(frames.map(({ number }) => number)).size).toBe(frames.length); // none twice
      expect(sent - frames.length).toBeLessThan(GOP_FRAMES);
    }
    expect(problems()).toEqual([]);
  });

  it("that is slow but answers is waited for when a recording ends", async () => {
    await start(1);
    const key = newStreamKey();
    await feed([key], GOP_FRAMES);
    threads.hang(paths[0] ?? "");
    await feed([key], FPS);
    let outcome = "";
    const ending = archive
      .writer(key)
      .end()
      .then(
        () => {
          outcome = "closed";
        },
        (error: Error) => {
          outcome = error.message;
        },
      );
    // Each of its answers takes 3 s: of the batch under way, of the last one, of the sync, of the end.
    for (let answers = 0; outcome === ""; answers += 1) {
      await clock.advanceSlowly(3_000_000, 10_000, () => outcome !== "");
      threads.release();
      await clock.advanceSlowly(20_000, 10_000, () => outcome !== "");
      if (answers < 3) threads.hang(paths[0] ?? "");
    }
    await ending;
    expect(outcome).toBe("closed");
    await stop();
  });

  it("does not hold up the end of a recording for more than five seconds", async () => {
    await start(1);
    const key = newStreamKey();
    await feed([key], GOP_FRAMES);
    threads.hang(paths[0] ?? "");
    await feed([key], FPS);
    let outcome = "";
    const ending = archive
      .writer(key)
      .end()
      .catch((error: Error) => {
        outcome = error.message;
      });
    await clock.advanceSlowly(5_100_000, 10_000, () => outcome !== "");
    await ending;
    expect(outcome).toContain("does not answer");
    threads.release();
    await stop();
  });
});

describe("streams that end", () => {
  it("leave their place on the volume to others", async () => {
    await start(2);
    const [first, second, third] = [newStreamKey(), newStreamKey(), newStreamKey()];
    await feed([first, second], GOP_FRAMES);
    const volumeOf = (key: StreamKey) =>
      archive.overload().streams.find((stream) => stream.key.channelId === key.channelId)?.volumeId;
    const freed = volumeOf(first);
    expect(volumeOf(second)).not.toBe(freed);
    let ended = false;
    void archive
      .writer(first)
      .end()
      .then(() => {
        ended = true;
      });
    await clock.advanceSlowly(5_000_000, 10_000, () => ended);
    expect(volumeOf(first)).toBeUndefined();
    await feed([third], GOP_FRAMES);
    expect(volumeOf(third)).toBe(freed);
    await stop();
  });
});
