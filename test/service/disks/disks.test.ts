import { mkdirSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopDisk, loopDiskMissing, run } from "../../support/disk/loop-disk.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

const DISK_BYTES = 256 * 1024 * 1024;
const LABEL = "nvrd-0a1b2c3d";
const POLL = { timeout: PATIENCE_MS, interval: 200 };

interface Volume {
  readonly Path: string;
  readonly VolumeId: string | null;
  readonly State: string;
  readonly RecordedBytes: number | null;
}

const missing = loopDiskMissing();

describe.skipIf(missing !== undefined)(`a disk beside a running service${notHere(missing)}`, () => {
  let directory: TemporaryDirectory;
  let source: PacedSource;
  let disk: LoopDisk;
  let service: Service;
  let point: string;

  beforeEach(async () => {
    directory = new TemporaryDirectory("disks");
    source = await PacedSource.start(1, CAMERA_CLIP);
    disk = LoopDisk.attach(DISK_BYTES);
    run("mkfs.ext4", ["-q", "-F", "-L", LABEL, disk.device]);
    point = directory.join("srv", LABEL);
    mkdirSync(point, { recursive: true });
    service = await start();
  });

  afterEach(async () => {
    await service.stop();
    await source.stop();
    if (isMounted()) run("umount", ["-l", point]);
    disk.remove();
    directory.remove();
  });

  function isMounted(): boolean {
    return run("cat", ["/proc/self/mountinfo"]).includes(` ${point} `);
  }

  async function start(): Promise<Service> {
    const settings = {
      segmentSeconds: 5,
      volumesDirectory: directory.join("srv"),
      diskKeeper: directory.join("no-keeper.sock"),
      diskReport: directory.join("no-report.json"),
    };
    return await Service.start({ dataDir: directory.join("data"), settings });
  }

  async function json(path: string): Promise<unknown> {
    const answer = await service.get(path);
    expect(answer.status).toBe(200);
    return JSON.parse(answer.body.toString("utf8"));
  }

  async function volumes(): Promise<readonly Volume[]> {
    const list = (await json("/api/disks")) as {
      Disks: { Volumes: Volume[] }[];
      OtherVolumes: Volume[];
    };
    const all = [...list.Disks.flatMap((found) => found.Volumes), ...list.OtherVolumes];
    return [...new Map(all.map((volume) => [volume.Path, volume])).values()];
  }

  async function volumeAt(path: string): Promise<Volume | undefined> {
    return (await volumes()).find((volume) => volume.Path === path);
  }

  async function ask(path: string, body: unknown): Promise<number> {
    return (await service.get(path, { method: "POST", body })).status;
  }

  it("is recorded onto when it is mounted, in place of the system disk, retired, missed and forgotten", {
    timeout: 6 * PATIENCE_MS,
  }, async () => {
    const standIn = directory.join("data", "volume");
    const channelIds = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    await service.recorded(channelIds, 1_000_000);
    expect((await volumes()).map((volume) => volume.Path)).toEqual([standIn]);

    disk.mount(point);
    await expect.poll(() => volumeAt(point), POLL).toMatchObject({ State: "InUse" });
    await expect.poll(async () => (await volumeAt(point))?.RecordedBytes ?? 0, POLL).toBeGreaterThan(0);
    expect(readdirSync(point)).toContain("volume.json");

    // What the system disk was recorded onto is no volume to record onto beside it, but one to fall back to.
    const { VolumeId: id } = (await volumeAt(point)) ?? {};
    expect(await ask("/api/disks/forget", { Path: point, Confirm: id })).toBe(409);
    expect(await ask("/api/disks/retire", { Path: point, Retired: true })).toBe(200);
    expect(await volumeAt(point)).toMatchObject({ State: "Retired" });
    const before = (await volumeAt(standIn))?.RecordedBytes ?? 0;
    await expect
      .poll(async () => (await volumeAt(standIn))?.RecordedBytes ?? 0, POLL)
      .toBeGreaterThan(before);

    const forget = () => ask("/api/disks/forget", { Path: point, Confirm: id });
    expect(await ask("/api/disks/forget", { Path: point, Confirm: "wrong" })).toBe(400);
    await expect.poll(forget, POLL).toBe(200);
    expect(await volumeAt(point)).toBeUndefined();
    expect(readdirSync(point)).toContain("volume.json");

    // What was given up comes back with its recordings when it is adopted.
    const adopted = await service.json<{ VolumeId: string }>("/api/disks/adopt", {
      method: "POST",
      body: { Path: point },
    });
    expect(adopted.VolumeId).toBe(id);
    await expect.poll(() => volumeAt(point), POLL).toMatchObject({ State: "InUse", VolumeId: id });
  });

  it("that is away after a restart is missed", { timeout: 6 * PATIENCE_MS }, async () => {
    disk.mount(point);
    await expect.poll(() => volumeAt(point), POLL).toMatchObject({ State: "InUse" });
    await service.stop();
    run("umount", [point]);
    service = await start();
    expect(await volumeAt(point)).toMatchObject({ State: "LeftOut" });
    const errors = async () =>
      ((await json("/hddstatus?responsetype=json")) as { ArchiveErrors: { ErrorAllDrives: boolean } })
        .ArchiveErrors.ErrorAllDrives;
    await expect.poll(errors, POLL).toBe(true);
    // A retired one may be away.
    expect(await ask("/api/disks/retire", { Path: point, Retired: true })).toBe(200);
    await expect.poll(errors, POLL).toBe(false);
  });
});
