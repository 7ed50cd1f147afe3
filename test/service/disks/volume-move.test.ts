import { mkdirSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopDisk, loopDiskMissing, run } from "../../support/disk/loop-disk.js";
import { commandInProcess } from "../../support/service/command-in-process.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { type Fragment, pause, Service } from "../../support/service/service.js";

const DISK_BYTES = 384 * 1024 * 1024;
const POLL = { timeout: PATIENCE_MS, interval: 200 };
const CAMERAS = 3;
const LABELS = ["nvrd-0000000a", "nvrd-0000000b"] as const;

interface Volume {
  readonly Path: string;
  readonly State: string;
  readonly RecordedBytes: number | null;
}

interface MoveTask {
  readonly Id: string;
  readonly Kind: string;
  readonly State: string;
  readonly Subject: string;
  readonly Error: string | null;
  readonly Result: {
    readonly Moved: number;
    readonly Left: number;
    readonly Reason: string | null;
    readonly Unreadable: readonly string[];
  };
}

const missing = loopDiskMissing();

describe.skipIf(missing !== undefined)(`a disk that is retired${notHere(missing)}`, () => {
  let directory: TemporaryDirectory;
  let source: PacedSource;
  let disks: LoopDisk[];
  let service: Service;
  let channelIds: string[];

  beforeEach(async () => {
    directory = new TemporaryDirectory("volume-move");
    source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
    disks = LABELS.map((label) => {
      const disk = LoopDisk.attach(DISK_BYTES);
      run("mkfs.ext4", ["-q", "-F", "-L", label, disk.device]);
      mkdirSync(pointOf(label), { recursive: true });
      return disk;
    });
    disks[0]?.mount(pointOf(LABELS[0]));
    service = await start();
    channelIds = await service.addCameras(
      Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) })),
    );
    await expect.poll(async () => (await volumeAt(LABELS[0]))?.RecordedBytes ?? 0, POLL).toBeGreaterThan(8e6);
    disks[1]?.mount(pointOf(LABELS[1]));
    await expect.poll(() => volumeAt(LABELS[1]), POLL).toMatchObject({ State: "InUse" });
    expect(await post("/api/disks/retire", { Path: pointOf(LABELS[0]), Retired: true })).toBe(200);
    // The last segments are closed when the cameras have gone to the other disk.
    await expect.poll(() => openFilesOn(LABELS[0]), POLL).toBe(0);
  });

  afterEach(async () => {
    await service.stop();
    await source.stop();
    for (const label of LABELS) if (isMounted(label)) run("umount", ["-l", pointOf(label)]);
    for (const disk of disks) disk.remove();
    directory.remove();
  });

  const pointOf = (label: string): string => directory.join("srv", label);
  const isMounted = (label: string): boolean =>
    run("cat", ["/proc/self/mountinfo"]).includes(` ${pointOf(label)} `);
  const openFilesOn = (label: string): number => readdirSync(`${pointOf(label)}/open`).length;
  const segmentsOn = (label: string): string[] =>
    readdirSync(pointOf(label), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".seg"),
    );
  const post = async (path: string, body: unknown): Promise<number> =>
    (await service.get(path, { method: "POST", body })).status;

  async function start(): Promise<Service> {
    const settings = {
      segmentSeconds: 5,
      volumesDirectory: directory.join("srv"),
      diskKeeper: directory.join("no-keeper.sock"),
      diskReport: directory.join("no-report.json"),
    };
    return await Service.start({ dataDir: directory.join("data"), settings });
  }

  async function volumeAt(label: string): Promise<Volume | undefined> {
    const list = await service.json<{ Disks: { Volumes: Volume[] }[]; OtherVolumes: Volume[] }>("/api/disks");
    const all = [...list.Disks.flatMap((found) => found.Volumes), ...list.OtherVolumes];
    return all.find(({ Path }) => Path === pointOf(label));
  }

  async function begun(body: Readonly<Record<string, unknown>>): Promise<MoveTask> {
    const { status, body: text } = await service.get("/api/tasks", { method: "POST", body });
    expect(status).toBe(202);
    return JSON.parse(text.toString("utf8")) as MoveTask;
  }

  const begin = (): Promise<MoveTask> => begun({ Kind: "Move", Path: pointOf(LABELS[0]) });

  async function moveTask(): Promise<MoveTask | undefined> {
    const items = await service.json<readonly MoveTask[]>("/api/tasks");
    const item = items.find(({ Kind }) => Kind === "Move");
    return item === undefined ? undefined : await service.json<MoveTask>(`/api/tasks/${item.Id}`);
  }

  async function ended(): Promise<MoveTask> {
    await expect.poll(async () => (await moveTask())?.State, POLL).not.toBe("Running");
    const task = await moveTask();
    if (task === undefined) throw new Error("the move is not listed");
    return task;
  }

  const fragmentsUntil = async (untilUs: number): Promise<readonly Fragment[][]> =>
    await Promise.all(channelIds.map((id) => service.fragments(id, 0, untilUs)));

  it("is emptied onto another one, also when the service is killed meanwhile: nothing is lost, nothing twice", {
    timeout: 8 * PATIENCE_MS,
  }, async () => {
    const untilUs = Date.now() * 1000 - 4_000_000;
    const before = await fragmentsUntil(untilUs);
    expect(await begin()).toMatchObject({ Kind: "Move", State: "Running", Subject: pointOf(LABELS[0]) });
    expect(await post("/api/tasks", { Kind: "Move", Path: pointOf(LABELS[0]) })).toBe(409);
    await expect.poll(async () => (await moveTask())?.Result.Moved ?? 0, POLL).toBeGreaterThan(0);
    await service.kill();
    service = await start();
    // It goes on by itself, unless the kill came when it had just ended.
    if ((await moveTask()) === undefined) await begin();
    const task = await ended();
    expect(task).toMatchObject({ State: "Done", Result: { Left: 0, Reason: null, Unreadable: [] } });
    expect(await volumeAt(LABELS[0])).toMatchObject({ State: "Retired", RecordedBytes: 0 });
    expect(segmentsOn(LABELS[0])).toEqual([]);
    expect(await idsAndTimes(before)).toEqual(await idsAndTimes(await fragmentsUntil(untilUs)));
    expect(await checked()).toMatchObject({ State: "Done", Result: { Problems: 0 } });
  });

  it("is emptied by nvrd volume move", { timeout: 6 * PATIENCE_MS }, async () => {
    const flags = ["--data", directory.join("data"), "--config", `${directory.join("data")}-settings.json`];
    const { stdout } = await commandInProcess(["volume", "move", pointOf(LABELS[0]), ...flags]);
    expect(stdout).toMatch(/: \d+ segments moved, 0 are still there/);
    expect(await volumeAt(LABELS[0])).toMatchObject({ RecordedBytes: 0 });
  });

  it("keeps what is left when the move is cancelled, and is used again", {
    timeout: 6 * PATIENCE_MS,
  }, async () => {
    const { Id } = await begin();
    expect(await post("/api/disks/forget", { Path: pointOf(LABELS[0]), Confirm: "wrong" })).toBe(400);
    expect((await service.get(`/api/tasks/${Id}`, { method: "DELETE" })).status).toBe(200);
    const task = await ended();
    expect(["Cancelled", "Done"]).toContain(task.State);
    expect(await checked()).toMatchObject({ State: "Done", Result: { Problems: 0 } });
  });

  /** What the archive's check finds of every byte. */
  async function checked(): Promise<unknown> {
    const { Id } = await begun({ Kind: "Check", Deep: true });
    for (;;) {
      const task = await service.json<MoveTask>(`/api/tasks/${Id}`);
      if (task.State !== "Running" && task.State !== "Waiting") return task;
      await pause(200);
    }
  }
});

/** Fragments that end within the time asked for; the last one may still grow. */
async function idsAndTimes(fragments: readonly Fragment[][]): Promise<unknown> {
  return fragments.map((ofChannel) => ofChannel.map(({ id, fromUs }) => [id, fromUs]));
}
