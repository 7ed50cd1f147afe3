import { describe, expect, it, type TestContext } from "vitest";
import { GreedyFile } from "../../support/archive/greedy-file.js";
import { readPacedFrames } from "../../support/archive/paced-recording.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import {
  eventsOf,
  newEvents,
  nowUs,
  recordedBeyond,
  until,
  WAIT_MS,
} from "../../support/event/service-events.js";
import { gapsAreReported } from "../../support/service/gap-reasons.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, Service } from "../../support/service/service.js";

const CAMERAS = 2;
const DISK_BYTES = 64 * 1024 * 1024;
const RESERVE_BYTES = 8 * 1024 * 1024;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
/** Seconds of recording that retention has something to remove of. */
const RECORDED_US = 20_000_000;

/** Of one test, which removes it in the end: both run at once. */
async function recordOn(fileSystem: "ext4" | "tmpfs", { onTestFinished }: TestContext) {
  const directory = new TemporaryDirectory("full-disk");
  const disk = LoopMount.mount(fileSystem, directory.path, DISK_BYTES);
  let source: PacedSource | undefined;
  let service: Service | undefined;
  onTestFinished(async () => {
    await service?.stop();
    await source?.stop();
    disk.remove();
    directory.remove();
  });
  const from = await PacedSource.start(CAMERAS, SMALL_CLIP);
  source = from;
  const dataDir = directory.join("data");
  const volumes = [{ path: disk.mountPoint, mount: true, reserveBytes: RESERVE_BYTES }];
  const running = await Service.start({
    dataDir,
    settings: { segmentSeconds: 5, volumes },
    startTimeoutMs: WAIT_MS,
  });
  service = running;
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: from.url(at) }));
  const ids = await running.addCameras(cameras);
  await running.recorded(ids, RECORDED_US, 90_000);
  return { running, ids, dataDir, greedy: new GreedyFile(disk.mountPoint) };
}

/** Live frames, as many as three GOPs have. */
async function watchLive(running: Service, id: string): Promise<void> {
  const video = await running.video(`channelid=${id}`);
  await readPacedFrames(video, (_, count) => count >= 3 * SMALL_CLIP.gopFrames);
}

describe.concurrent.each(["ext4", "tmpfs"] as const)(
  "a real disk with %s that another program fills",
  (fileSystem) => {
    const missing = loopMountMissing(fileSystem);

    it.skipIf(missing !== undefined)(
      `gets the room of the oldest recordings, then drops with a word, and records again when there is room${notHere(missing)}`,
      async (context) => {
        const { running, ids, dataDir, greedy } = await recordOn(fileSystem, context);
        const oldestUs = (await running.fragments(ids[0] ?? "")).at(0)?.fromUs ?? 0;

        // Once: the oldest make room for what is recorded.
        greedy.take();
        await until(running, "the oldest to go", async () => {
          const [oldest] = await running.fragments(ids[0] ?? "");
          return (oldest?.fromUs ?? 0) > oldestUs;
        });
        await recordedBeyond(running, ids, nowUs() + GOP_US);

        // Again and again: whatever retention frees is gone at once.
        await until(running, "both cameras to be dropped, and the disk called full", async () => {
          greedy.take();
          const dropped = new Set(
            (await eventsOf(running, "droppingStarted")).map((event) => event.ChannelName),
          );
          return dropped.size === CAMERAS && (await eventsOf(running, "volumeFull")).length > 0;
        });
        await until(running, "the other files to be named as the problem", async () => {
          greedy.take();
          const { Problems } = await running.json<{ Problems: { Code: string }[] }>("/api/health");
          return Problems.some(({ Code }) => Code === "volume-crowded");
        });
        await watchLive(running, ids[0] ?? "");
        expect(
          (await running.json<{ Channels: unknown[] }>("/configex?responsetype=json")).Channels,
        ).toHaveLength(CAMERAS);

        greedy.remove();
        const freedUs = nowUs();
        await recordedBeyond(running, ids, freedUs + 2 * GOP_US);
        await until(running, "each dropping to be told as ended", async () => {
          const [begun, ended] = await Promise.all([
            eventsOf(running, "droppingStarted"),
            eventsOf(running, "droppingEnded"),
          ]);
          return begun.length > 0 && begun.length === ended.length;
        });
        await newEvents(running, "volumeFullEnded");
        await gapsAreReported(
          { service: running, id: ids[0] ?? "", fromUs: oldestUs },
          "deleted-space",
          "disk",
        );
        expect(running.process.exit).toBeUndefined();

        await running.stop();
        const flags = ["--deep", "--config", `${dataDir}-settings.json`];
        const { exit, text } = await checkOffline(dataDir, flags);
        expect([exit.code, JSON.parse(text)]).toEqual([0, expect.objectContaining({ problems: [] })]);
      },
    );
  },
);
