import { statfsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { GreedyFiles } from "../../support/disk/greedy-files.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import {
  eventsOf,
  newEvents,
  nowUs,
  recordedBeyond,
  until,
  WAIT_MS,
} from "../../support/event/service-events.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, Service } from "../../support/service/service.js";

const DISK_BYTES = 256 * 1024 * 1024;
const RESERVE_BYTES = 8 * 1024 * 1024;
const INODES = 128;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
/** Seconds of recording that retention has something to remove of. */
const RECORDED_US = 20_000_000;

let directory: TemporaryDirectory | undefined;
let disk: LoopMount | undefined;
let source: PacedSource | undefined;
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
  await source?.stop();
  disk?.remove();
  directory?.remove();
});

async function recordOn() {
  directory = new TemporaryDirectory("no-inodes");
  disk = LoopMount.mount("ext4", directory.path, DISK_BYTES, ["-N", `${INODES}`]);
  const from = await PacedSource.start(1, SMALL_CLIP);
  source = from;
  const dataDir = directory.join("data");
  const volumes = [{ path: disk.mountPoint, mount: true, reserveBytes: RESERVE_BYTES }];
  const running = await Service.start({
    dataDir,
    settings: { segmentSeconds: 5, volumes },
    startTimeoutMs: WAIT_MS,
  });
  service = running;
  const ids = await running.addCameras([{ name: "Gate", url: from.url(0) }]);
  await running.recorded(ids, RECORDED_US, 90_000);
  return { running, ids, dataDir, mountPoint: disk.mountPoint };
}

async function problemCodes(running: Service): Promise<readonly string[]> {
  const { Problems } = await running.json<{ Problems: readonly { Code: string }[] }>("/api/health");
  return Problems.map(({ Code }) => Code);
}

const missing = loopMountMissing("ext4");
it.skipIf(missing !== undefined)(
  `a disk without inodes gets those of the oldest recordings, is reported as full without them, and is recorded to by itself when some are free${notHere(missing)}`,
  async () => {
    const { running, ids, dataDir, mountPoint } = await recordOn();
    const oldestUs = (await running.fragments(ids[0] ?? "")).at(0)?.fromUs ?? 0;
    const greedy = new GreedyFiles(mountPoint);

    // Once: the oldest make room for what is recorded, while most bytes are free.
    greedy.take();
    await until(running, "the oldest to go", async () => {
      const [oldest] = await running.fragments(ids[0] ?? "");
      return (oldest?.fromUs ?? 0) > oldestUs;
    });
    await recordedBeyond(running, ids, nowUs() + GOP_US);
    expect(statfsSync(mountPoint).bavail).toBeGreaterThan(statfsSync(mountPoint).blocks / 2);
    await until(running, "the health report to name the inodes", async () =>
      (await problemCodes(running)).includes("volume-files-low"),
    );

    // Again and again: whatever retention frees is gone at once.
    await until(running, "the disk to be called full", async () => {
      greedy.take();
      return (await eventsOf(running, "volumeFull")).length > 0;
    });
    expect((await eventsOf(running, "volumeFull"))[0]?.EventComment).toContain("inodes");

    greedy.remove();
    const freedUs = nowUs();
    await recordedBeyond(running, ids, freedUs + 2 * GOP_US);
    await newEvents(running, "volumeFullEnded");
    expect(running.process.exit).toBeUndefined();

    await running.stop();
    const flags = ["--deep", "--config", `${dataDir}-settings.json`];
    const { exit, text } = await checkOffline(dataDir, flags);
    expect([exit.code, JSON.parse(text)]).toEqual([0, expect.objectContaining({ problems: [] })]);
  },
);
