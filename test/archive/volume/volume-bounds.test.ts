import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GreedyFile } from "../../support/archive/greedy-file.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

/**
 * Three disks: the largest, most of which is free, has a quota; other files have filled the second; the third is empty. Where cameras
 * go, what health says and what retention leaves follow from what each of them may still take.
 */

const MB = 1_000_000;
const CAMERAS = 4;
const RESERVE_BYTES = 8 * MB;
const QUOTA_BYTES = 40 * MB;
const LOWER_QUOTA_BYTES = MB;
/**
 * Less than the least that health is content with. So much that four cameras of one that is retired rather go there than to the lower
 * quota, and so little that none goes there while the empty one is there, whatever the first rates that are measured.
 */
const LEFT_BYTES = 12 * MB;
const SIZES = { quota: 512 * MB, crowded: 256 * MB, empty: 128 * MB };
type Name = keyof typeof SIZES;
const NAMES = ["quota", "crowded", "empty"] as const;
const PATIENCE = { timeout: PATIENCE_MS, interval: 500 };

interface VolumeFigures {
  readonly Directory: string;
  readonly Streams: number;
  readonly UsedBytes: number;
  readonly AllowedBytes: number;
}

interface Health {
  readonly Problems: readonly { readonly Code: string; readonly Text: string }[];
  readonly Volumes: readonly VolumeFigures[];
}

const missing = loopMountMissing("tmpfs");
const directory = new TemporaryDirectory("volume-bounds");
const disks = new Map<Name, LoopMount>();
let greedy: GreedyFile;
let source: PacedSource | undefined;
let service: Service | undefined;
let ids: readonly string[] = [];

const pointOf = (name: Name): string => disks.get(name)?.mountPoint ?? "";

async function start(quotaBytes: number): Promise<Service> {
  const volumes = NAMES.map((name) => ({
    path: pointOf(name),
    mount: true,
    reserveBytes: RESERVE_BYTES,
    ...(name === "quota" ? { quotaBytes } : {}),
  }));
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { segmentSeconds: 5, volumes },
    startTimeoutMs: PATIENCE_MS,
  });
  return service;
}

async function health(): Promise<Health> {
  return (await service?.json<Health>("/api/health")) ?? { Problems: [], Volumes: [] };
}

async function figuresOf(name: Name): Promise<VolumeFigures | undefined> {
  return (await health()).Volumes.find((volume) => volume.Directory === pointOf(name));
}

/** Cameras on each disk, in their order. */
async function placed(): Promise<readonly (number | undefined)[]> {
  const { Volumes } = await health();
  return NAMES.map((name) => Volumes.find((volume) => volume.Directory === pointOf(name))?.Streams);
}

async function crowded(): Promise<readonly string[]> {
  const { Problems } = await health();
  return Problems.filter(({ Code }) => Code === "volume-crowded").map(({ Text }) => Text);
}

describe.skipIf(missing !== undefined)(
  `disks of which each may take something else${notHere(missing)}`,
  () => {
    beforeAll(async () => {
      for (const name of NAMES) {
        mkdirSync(directory.join(name));
        disks.set(name, LoopMount.mount("tmpfs", directory.join(name), SIZES[name]));
      }
      source = await PacedSource.start(CAMERAS, SMALL_CLIP);
      await start(QUOTA_BYTES);
      greedy = new GreedyFile(pointOf("crowded"));
      greedy.take(RESERVE_BYTES + LEFT_BYTES);
    });

    afterAll(async () => {
      await service?.stop();
      await source?.stop();
      for (const disk of disks.values()) disk.remove();
      directory.remove();
    });

    it("have the cameras by their room, not by their size or what is free", async () => {
      // How much is free is asked every 10 s.
      await expect.poll(crowded, PATIENCE).toHaveLength(1);
      const cameras = Array.from({ length: CAMERAS }, (_, at) => ({
        name: `Camera ${at}`,
        url: source?.url(at) ?? "",
      }));
      ids = (await service?.addCameras(cameras)) ?? [];
      await expect.poll(placed, PATIENCE).toEqual([1, 0, 3]);
    });

    it("are reported by health with what each may hold, and who has the rest", async () => {
      await expect.poll(async () => (await figuresOf("quota"))?.AllowedBytes, PATIENCE).toBe(QUOTA_BYTES);
      const left = (await figuresOf("crowded"))?.AllowedBytes ?? 0;
      expect(left).toBeGreaterThan(LEFT_BYTES - MB);
      expect(left).toBeLessThan(LEFT_BYTES + MB);
      const [text = "", ...others] = await crowded();
      expect(others).toEqual([]);
      expect(text).toMatch(
        /^other files take 23\d MB of the disk of volume .*\/crowded\/tmpfs, 92 %: (11|12|13) MB are left/,
      );
    });

    it("lose no more than a lower quota asks for, and the cameras go where there is room", async () => {
      const used = async (): Promise<number> => (await figuresOf("quota"))?.UsedBytes ?? 0;
      await expect.poll(used, PATIENCE).toBeGreaterThan(2 * LOWER_QUOTA_BYTES);
      await service?.stop();
      // Recording may begin before the start has returned.
      const stoppedUs = Date.now() * 1000;
      await start(LOWER_QUOTA_BYTES);
      await service?.recorded(ids, 1, PATIENCE_MS, stoppedUs);
      await expect
        .poll(async () => (await figuresOf("quota"))?.AllowedBytes, PATIENCE)
        .toBe(LOWER_QUOTA_BYTES);
      await expect.poll(used, PATIENCE).toBeLessThanOrEqual(LOWER_QUOTA_BYTES);
      await expect.poll(placed, PATIENCE).toEqual([0, 0, 4]);
    });

    it("take the cameras of one that is retired by their room as well", async () => {
      const path = pointOf("empty");
      await service?.json("/api/disks/retire", { method: "POST", body: { Path: path, Retired: true } });
      await expect.poll(placed, PATIENCE).toEqual([0, CAMERAS, 0]);
    });

    it("are no problem any more when the other files are gone", async () => {
      greedy.remove();
      await expect.poll(crowded, PATIENCE).toEqual([]);
      const allowed = async (): Promise<number> => (await figuresOf("crowded"))?.AllowedBytes ?? 0;
      await expect.poll(allowed, PATIENCE).toBeGreaterThan(200 * MB);
    });
  },
);
