import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import type { NativeDisk } from "../../../src/archive/disk/native-disk.js";
import { startVolumeThread } from "../../../src/archive/disk/start-thread.js";
import type { Archive } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import type { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { REAL_DISK, threadsOnDisk } from "../../support/archive/volume-threads.js";
import { notHere } from "../../support/base/not-here.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";

const FRAME_US = 40_000;
const GOP_FRAMES = 25;
const SEGMENT_SECONDS = 5;
const MOUNT_BYTES = 400 * 1024 * 1024;
const PAGE_BYTES = 4096;

let directory: ReturnType<typeof temporaryDirectory>;
let mount: LoopMount | undefined;
let startUs: number;
let sent: number;
let pattern: Uint8Array = new Uint8Array(0);

beforeEach(() => {
  directory = temporaryDirectory();
  mount = undefined;
  startUs = Date.now() * 1000;
  sent = 0;
});

afterEach(() => {
  mount?.remove();
  directory.remove();
});

/** Of `length` bytes by which frames can be distinguished: making them all anew takes more processor time than all the rest. */
function frameBytes(length: number, number: number): Uint8Array {
  if (pattern.length !== length) pattern = patternBytes(length, 0);
  new DataView(pattern.buffer).setUint32(0, number);
  return pattern;
}

/** Records frames as fast as the disk takes them; one that would not be held is waited for. */
async function record(archive: Archive, key: StreamKey, frames: number, bytes: number): Promise<void> {
  for (let at = 0; at < frames; at++, sent++) {
    const decodeTimeUs = startUs + sent * FRAME_US;
    append(archive.writer(key), {
      decodeTimeUs,
      bytes: frameBytes(bytes, sent),
      key: sent % GOP_FRAMES === 0,
    });
    if (at % GOP_FRAMES === 0) await until(() => heldShare(archive) < 0.2, "the disk to keep up");
  }
}

function heldShare(archive: Archive): number {
  const [volume] = archive.overload().volumes;
  return volume === undefined ? 0 : volume.heldBytes / volume.heldBytesMax;
}

function segmentFiles(volumePath: string): string[] {
  const names = readdirSync(volumePath, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".seg")).map((name) => join(volumePath, name));
}

function cachedBytes(files: readonly string[]): number {
  const text = spawnSync("fincore", ["-b", "-n", "-o", "RES", ...files], { encoding: "utf8" }).stdout;
  return text.split("\n").reduce((sum, line) => sum + Number(line), 0);
}

const problems = (volumePath: string, index: MemorySegmentIndex) =>
  archiveProblems({ volumePaths: [volumePath], summaries: [...index.committed.values()] });

describe.each(["ext4", "xfs", "btrfs", "tmpfs"] as const)("on %s", (fileSystem) => {
  const missing = loopMountMissing(fileSystem);

  it.skipIf(missing !== undefined)(
    `an archive is whole, and keeps no preallocated space${notHere(missing)}`,
    async () => {
      mount = LoopMount.mount(fileSystem, directory.path, MOUNT_BYTES);
      const volumes = [{ path: mount.mountPoint, mount: true }];
      const { archive, index } = await startArchive(directory.path, {
        volumes,
        segmentSeconds: SEGMENT_SECONDS,
        startThread: startVolumeThread,
      });
      const key = newStreamKey();
      await record(archive, key, 20 * GOP_FRAMES, 20_000);
      const reader = archive.read(key, { fromUs: startUs });
      const frames = await readFrames(reader, 20 * GOP_FRAMES - 2 * GOP_FRAMES);
      reader.close();
      expect(frames.every((frame, at) => frame.bytes.equals(frameBytes(20_000, at)))).toBe(true);
      await archive.stop();
      expect(problems(mount.mountPoint, index)).toEqual([]);
      for (const file of segmentFiles(mount.mountPoint)) {
        const { size, blocks } = statSync(file);
        expect(blocks * 512 - size).toBeLessThan(16 * PAGE_BYTES);
      }
    },
  );

  it.skipIf(missing !== undefined)(
    `a full disk costs frames, not the archive${notHere(missing)}`,
    async () => {
      mount = LoopMount.mount(fileSystem, directory.path, MOUNT_BYTES);
      const volumes = [{ path: mount.mountPoint }];
      const { archive, index } = await startArchive(directory.path, {
        volumes,
        segmentSeconds: SEGMENT_SECONDS,
        startThread: startVolumeThread,
      });
      const key = newStreamKey();
      const notices: string[] = [];
      archive.onNotice((notice) => notices.push(notice.kind));
      while (!notices.includes("dropping-started")) await record(archive, key, GOP_FRAMES, 400_000);
      await index.flush();
      const oldest = index.oldest(8);
      expect(oldest.length).toBeGreaterThan(3);
      await index.remove(oldest);
      for (const segment of oldest) await archive.volumeAccess()[0]?.unlink(segment);
      const seen = notices.length;
      while (!notices.slice(seen).includes("dropping-ended")) {
        await record(archive, key, GOP_FRAMES, 20_000);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(notices).not.toContain("volume-lost");
      await archive.stop();
      const again = await startArchive(directory.path, { index, volumes });
      await again.archive.recovered();
      await again.archive.stop();
      expect(problems(mount.mountPoint, index)).toEqual([]);
    },
  );
});

describe("the page cache", () => {
  const missing = loopMountMissing("ext4");

  it.skipIf(missing !== undefined)(
    `holds a few megabytes of what was recorded and played, not all of it${notHere(missing)}`,
    async () => {
      mount = LoopMount.mount("ext4", directory.path, MOUNT_BYTES);
      const volumes = [{ path: mount.mountPoint }];
      const { archive, index } = await startArchive(directory.path, {
        volumes,
        segmentSeconds: SEGMENT_SECONDS,
        startThread: startVolumeThread,
      });
      const key = newStreamKey();
      await record(archive, key, 80 * GOP_FRAMES, 100_000);
      await until(() => heldShare(archive) === 0, "all to be written");
      await index.flush();
      const reader = archive.read(key, { fromUs: startUs });
      await readFrames(reader, 78 * GOP_FRAMES);
      reader.close();
      await archive.stop();
      const files = segmentFiles(mount.mountPoint);
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      expect(bytes).toBeGreaterThan(190e6);
      expect(cachedBytes(files)).toBeLessThan(8e6);
      // What is read past the archive is seen: the figure above is one.
      const [file = ""] = files;
      expect(readFileSync(file).length).toBe(statSync(file).size);
      expect(cachedBytes([file])).toBeGreaterThanOrEqual(statSync(file).size);
    },
  );
});

describe("a machine that lacks a call", () => {
  const calls = [
    "fallocate",
    "punchHole",
    "dontNeed",
    "startWriteback",
  ] as const satisfies (keyof NativeDisk)[];
  const cases = calls.flatMap((call) =>
    ["ENOSYS", "EOPNOTSUPP", "EINVAL"].map((error) => [call, error] as const),
  );

  it.each(cases)("records the same without %s (%s)", async (call, error) => {
    const disk: Disk = { ...REAL_DISK, [call]: () => error };
    const { archive, index, volumePath } = await startArchive(directory.path, {
      startThread: threadsOnDisk(disk),
      segmentSeconds: SEGMENT_SECONDS,
    });
    const key = newStreamKey();
    await record(archive, key, 12 * GOP_FRAMES, 2_000);
    await archive.stop();
    expect(index.oldest(10).reduce((sum, segment) => sum + segment.videoFrames, 0)).toBe(12 * GOP_FRAMES);
    expect(problems(volumePath, index)).toEqual([]);
  });
});
