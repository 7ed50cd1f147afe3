import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Archive } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import {
  append,
  idleSlabs,
  newStreamKey,
  patternBytes,
  readFrames,
  SkippingClock,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { HangingThreads, REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { notHere } from "../../support/base/not-here.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";

const FRAME_US = 40_000;
const FRAME_BYTES = 10_000;

let directory: ReturnType<typeof temporaryDirectory>;
let startUs: number;
let count: number;

beforeEach(() => {
  directory = temporaryDirectory();
  startUs = Date.now() * 1000;
  count = 0;
});

afterEach(() => directory.remove());

/** Appends frames to a stream, every tenth a key frame. */
function record(archive: Archive, key: StreamKey, frames: number): void {
  for (let at = 0; at < frames; at++, count++) {
    const bytes = patternBytes(FRAME_BYTES, count);
    append(archive.writer(key), { decodeTimeUs: startUs + count * FRAME_US, bytes, key: count % 10 === 0 });
  }
}

function writeStallMs(archive: Archive): number {
  return Math.max(...archive.overload().volumes.map((volume) => volume.writeStallMs));
}

async function restartAndCheck(index: MemorySegmentIndex, volumePath: string): Promise<void> {
  const again = await startArchive(directory.path, { index, volumes: [{ path: volumePath }] });
  await again.archive.recovered();
  await again.archive.stop();
  expect(archiveProblems({ volumePaths: [volumePath], summaries: [...index.committed.values()] })).toEqual(
    [],
  );
}

/** An archive of two volumes, with ten frames on the `first` of them. */
async function recordedOnOneOfTwo() {
  const threads = new HangingThreads();
  const clock = new SkippingClock();
  const paths = ["a", "b"].map((name) => join(directory.path, name));
  const { archive, index } = await startArchive(directory.path, {
    volumes: paths.map((path) => ({ path })),
    startThread: threads.start,
    clock,
  });
  const key = newStreamKey();
  record(archive, key, 10);
  await until(() => index.newest(key)?.videoFrames === 10, "frames on the first volume");
  const first = index.newest(key)?.volumeId;
  return { threads, clock, paths, archive, index, key, first };
}

describe("a disk that hangs", () => {
  it("pins its quota and no more, holds up nobody else, and is written to again when it answers", async () => {
    const threads = new HangingThreads();
    const paths = ["a", "b"].map((name) => join(directory.path, name));
    const { archive, index } = await startArchive(directory.path, {
      volumes: paths.map((path) => ({ path })),
      startThread: threads.start,
      heldBytesMax: 200_000,
    });
    const [stuck, other] = [newStreamKey(), newStreamKey()];
    record(archive, stuck, 10);
    await until(() => index.newest(stuck)?.videoFrames === 10, "frames on the first volume");
    const stuckPath = archive
      .volumeAccess()
      .find((volume) => volume.id === index.newest(stuck)?.volumeId)?.directory;
    threads.hang(stuckPath ?? "");
    idleSlabs.clear();
    record(archive, stuck, 100);
    expect(idleSlabs.size).toBeGreaterThanOrEqual(80); // 20 frames of 10 kB wait, the others were dropped
    record(archive, other, 10);
    await until(() => index.newest(other)?.videoFrames === 10, "frames on the other volume");
    threads.release();
    await until(() => idleSlabs.size >= 110, "the frames to come back");
    record(archive, stuck, 10);
    const fragments = () => index.fragments(stuck, 0, Number.MAX_SAFE_INTEGER);
    // The stop waits for no more than two seconds, which a busy machine may need for the frames alone.
    await until(() => fragments().length === 2, "the frames after the hang");
    await archive.stop();
    expect(fragments()).toHaveLength(2);
    expect(archiveProblems({ volumePaths: paths, summaries: [...index.committed.values()] })).toEqual([]);
  });

  it("is not what is blamed when the main thread was held", async () => {
    const threads = new HangingThreads();
    const clock = new SkippingClock();
    const path = join(directory.path, "a");
    const { archive, index } = await startArchive(directory.path, {
      ...{ volumes: [{ path }], startThread: threads.start, clock },
    });
    const key = newStreamKey();
    record(archive, key, 10);
    await until(() => index.newest(key)?.videoFrames === 10, "frames on the volume");
    threads.hang(path);
    record(archive, key, 10);
    await until(() => writeStallMs(archive) > 0, "a write under way");
    clock.hold(17);
    expect(writeStallMs(archive)).toBeLessThan(10_000);
    threads.release();
    await until(() => index.newest(key)?.videoFrames === 20, "the frames that were under way");
    expect(archive.absentVolumes()).toEqual([]);
    clock.hold(60);
    record(archive, key, 10);
    await until(() => index.newest(key)?.videoFrames === 30, "frames after another hold");
    expect(archive.absentVolumes()).toEqual([]);
    await archive.stop();
    expect(index.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toHaveLength(1);
  });

  it("loses its streams to another volume after two seconds", async () => {
    const { threads, clock, paths, archive, index, key, first } = await recordedOnOneOfTwo();
    threads.hang(archive.volumeAccess().find((volume) => volume.id === first)?.directory ?? "");
    record(archive, key, 10);
    await until(() => writeStallMs(archive) > 0, "a write under way");
    clock.skip(3);
    await until(() => archive.absentVolumes().length === 1, "the volume to be left out");
    record(archive, key, 10);
    await until(() => index.newest(key)?.volumeId !== first, "frames on the other volume");
    threads.release();
    await archive.stop();
    for (const path of paths) expect(readdirSync(path)).toContain("volume.json");
    const again = await startArchive(directory.path, { index, volumes: paths.map((path) => ({ path })) });
    await again.archive.recovered();
    await again.archive.stop();
    expect(archiveProblems({ volumePaths: paths, summaries: [...index.committed.values()] })).toEqual([]);
    expect(index.oldest(10).reduce((sum, segment) => sum + segment.videoFrames, 0)).toBe(30);
  });

  it("holds up no write while only its syncs hang, and loses its streams after ten seconds", async () => {
    const { threads, clock, paths, archive, index, key, first } = await recordedOnOneOfTwo();
    threads.hang(archive.volumeAccess().find((volume) => volume.id === first)?.directory ?? "", "syncer");
    idleSlabs.clear();
    for (let round = 2; round <= 5; round++) {
      record(archive, key, 10);
      await until(() => index.newest(key)?.videoFrames === round * 10, "frames written during the hang");
    }
    expect(idleSlabs.size).toBe(40); // a hung sync holds no frame
    clock.skip(11);
    await until(() => archive.absentVolumes().length === 1, "the volume to be left out");
    record(archive, key, 10);
    await until(() => index.newest(key)?.volumeId !== first, "frames on the other volume");
    threads.release();
    await archive.stop();
    const again = await startArchive(directory.path, { index, volumes: paths.map((path) => ({ path })) });
    await again.archive.recovered();
    await again.archive.stop();
    expect(archiveProblems({ volumePaths: paths, summaries: [...index.committed.values()] })).toEqual([]);
    expect(index.oldest(10).reduce((sum, segment) => sum + segment.videoFrames, 0)).toBe(60);
  });

  it("does not keep the archive from stopping", async () => {
    const threads = new HangingThreads();
    const { archive, volumePath, index } = await startArchive(directory.path, { startThread: threads.start });
    const key = newStreamKey();
    record(archive, key, 10);
    await until(() => index.newest(key) !== undefined, "first frames");
    threads.hang(volumePath);
    record(archive, key, 10);
    const before = Date.now();
    await archive.stop();
    expect(Date.now() - before).toBeLessThan(10_000);
    await restartAndCheck(new MemorySegmentIndex(index.committed.values()), volumePath);
  });
});

describe("a volume whose thread dies", () => {
  it("gives its frames back, and its streams go on another volume", async () => {
    const threads = new HangingThreads();
    const { archive, index } = await startArchive(directory.path, {
      volumes: ["a", "b"].map((name) => ({ path: join(directory.path, name) })),
      startThread: threads.start,
    });
    const key = newStreamKey();
    record(archive, key, 10);
    await until(() => index.newest(key)?.videoFrames === 10, "first frames");
    const first = index.newest(key)?.volumeId;
    idleSlabs.clear();
    record(archive, key, 5);
    const ended = archive.writer(key).end();
    // Both die; the second one is there for recording again once it has been taken anew.
    threads.failAll("out of memory");
    await ended;
    expect(idleSlabs.size).toBe(5);
    expect(first).toBeDefined();
    await archive.stop();
  });
});

describe("a disk that is full", () => {
  it("is survived: frames are dropped, then recorded again in a new fragment", async () => {
    const clock = new SkippingClock();
    let full = false;
    let failures = 0;
    const fail = () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    const startThread = threadsOnDisk({
      ...REAL_DISK,
      writevSync: (...call: Parameters<typeof REAL_DISK.writevSync>) => {
        if (!full) return REAL_DISK.writevSync(...call);
        failures += 1;
        throw fail();
      },
    });
    const { archive, index, volumePath } = await startArchive(directory.path, { startThread, clock });
    const key = newStreamKey();
    record(archive, key, 20);
    await until(() => index.newest(key)?.videoFrames === 20, "first frames");
    full = true;
    record(archive, key, 30);
    await until(() => failures > 0, "a write that fails");
    record(archive, key, 10);
    await until(() => archive.overload().volumes[0]?.heldBytes === 0, "the frames to be given up");
    clock.skip(1); // a new segment is tried a second later
    full = false;
    record(archive, key, 20);
    await archive.stop();
    await restartAndCheck(index, volumePath);
    const fragments = index.fragments(key, 0, Number.MAX_SAFE_INTEGER);
    expect(fragments.length).toBe(2);
    expect(fragments[0]?.fromUs).toBe(startUs);
  });

  it("loses nothing that was written when a sync fails", async () => {
    // A sync of what was written before may come in between: it must not fail, or the next frames are never written.
    let state: "whole" | "breaks once written" | "broken" = "whole";
    let failures = 0;
    const startThread = threadsOnDisk({
      ...REAL_DISK,
      writevSync: (...call: Parameters<typeof REAL_DISK.writevSync>) => {
        const written = REAL_DISK.writevSync(...call);
        if (state === "breaks once written") state = "broken";
        return written;
      },
      fdatasyncSync: (fd: number) => {
        if (state !== "broken") return REAL_DISK.fdatasyncSync(fd);
        failures += 1;
        throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      },
    });
    const { archive, index, volumePath } = await startArchive(directory.path, { startThread });
    const key = newStreamKey();
    record(archive, key, 20);
    await until(() => index.newest(key)?.videoFrames === 20, "first frames");
    state = "breaks once written";
    record(archive, key, 10);
    await until(() => failures > 0, "a sync that fails");
    state = "whole";
    await archive.stop();
    await restartAndCheck(index, volumePath);
    expect(index.newest(key)?.videoFrames).toBe(30);
  });

  const missing = loopMountMissing("tmpfs");
  it.skipIf(missing !== undefined)(
    `is survived on a real file system without space${notHere(missing)}`,
    async () => {
      const mount = LoopMount.mount("tmpfs", directory.path, 2 * 1024 * 1024);
      const volumePath = mount.mountPoint;
      try {
        const clock = new SkippingClock();
        const volumes = [{ path: volumePath }];
        const { archive, index } = await startArchive(directory.path, { volumes, clock });
        const dropping: string[] = [];
        archive.onNotice((notice) => dropping.push(notice.kind));
        const [filler, key] = [newStreamKey(), newStreamKey()];
        record(archive, filler, 50);
        await archive.writer(filler).end();
        record(archive, key, 300);
        await until(() => dropping.includes("dropping-started"), "the disk to be full");
        await until(() => archive.overload().volumes[0]?.heldBytes === 0, "the frames to be given up");
        await index.flush();
        const oldest = index.oldest(1);
        await index.remove(oldest);
        for (const segment of oldest) await archive.volumeAccess()[0]?.unlink(segment);
        clock.skip(1); // a new segment is tried a second later
        record(archive, key, 10);
        await archive.writer(key).end();
        const reader = archive.read(key, { fromUs: startUs + (count - 10) * FRAME_US });
        expect(await readFrames(reader, 10)).toHaveLength(10);
        reader.close();
        await archive.stop();
        await restartAndCheck(index, volumePath);
      } finally {
        mount.remove();
      }
    },
  );
});

describe("a wrong disk", () => {
  it("is refused, and nothing is written into an empty mount point", async () => {
    const first = await startArchive(directory.path);
    await first.archive.stop();
    const elsewhere = join(directory.path, "elsewhere");
    spawnSync("mv", [first.volumePath, elsewhere]);
    mkdirSync(first.volumePath);
    const second = await startArchive(directory.path);
    record(second.archive, newStreamKey(), 10);
    expect(second.archive.volumeAccess()).toEqual([]);
    expect(readdirSync(first.volumePath)).toEqual([]);
    await second.archive.stop();
  });

  it("is refused when another volume lies at a known path", async () => {
    const first = await startArchive(directory.path);
    await first.archive.stop();
    spawnSync("mv", [first.volumePath, join(directory.path, "elsewhere")]);
    const foreign = temporaryDirectory();
    const other = await startArchive(foreign.path);
    await other.archive.stop();
    spawnSync("mv", [other.volumePath, first.volumePath]);
    const second = await startArchive(directory.path);
    expect(second.archive.volumeAccess()).toEqual([]);
    await second.archive.stop();
    foreign.remove();
  });

  it("is refused when it is a directory with other things in it", async () => {
    const volumePath = join(directory.path, "volume");
    mkdirSync(volumePath);
    writeFileSync(join(volumePath, "holiday.jpg"), "");
    const { archive } = await startArchive(directory.path);
    expect(archive.volumeAccess()).toEqual([]);
    expect(readdirSync(volumePath)).toEqual(["holiday.jpg"]);
    await archive.stop();
  });

  it("is refused when its format is newer", async () => {
    const first = await startArchive(directory.path);
    const { id } = first.archive.volumeAccess()[0] ?? { id: "" };
    await first.archive.stop();
    writeFileSync(join(first.volumePath, "volume.json"), JSON.stringify({ formatVersion: 99, volumeId: id }));
    const second = await startArchive(directory.path);
    expect(second.archive.volumeAccess()).toEqual([]);
    await second.archive.stop();
  });
});
