import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PacedClip, type PacedFrame, pacedFrames } from "../../support/archive/paced-recording.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { apiTime, checkOffline, pause, Service } from "../../support/service/service.js";

const CAMERAS = 4;
const QUOTA_BYTES = 30_000_000;
/** `npm run torture` watches for longer. */
const WATCH_MS = Number(process.env.NVRD_TEST_RETENTION_MS ?? 30_000);
const SMALL_DISK_BYTES = 40 * 1024 * 1024;
const BLOCK_BYTES = 512;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service | undefined;

beforeEach(async () => {
  directory = new TemporaryDirectory("retention");
  source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await source.stop();
  directory.remove();
});

async function startRecording(volume: object): Promise<{ service: Service; channelIds: string[] }> {
  const settings = { segmentSeconds: 5, volumes: [volume] };
  const started = await Service.start({ dataDir: directory.join("data"), settings });
  service = started;
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  const channelIds = await started.addCameras(cameras);
  await started.recorded(channelIds, 1_000_000);
  return { service: started, channelIds };
}

/** Bytes of the segments and of the room kept for them. */
function usedBytes(volume: string): { bytes: number; allocated: number } {
  let bytes = 0;
  let allocated = 0;
  for (const name of readdirSync(volume, { recursive: true, encoding: "utf8" })) {
    const file = statSync(join(volume, name), { throwIfNoEntry: false });
    if (file === undefined || !name.endsWith(".seg")) continue;
    bytes += file.size;
    allocated += file.blocks * BLOCK_BYTES;
  }
  return { bytes, allocated };
}

/** Frames of one reader that do not follow the one before. */
function breaksIn(frames: readonly PacedFrame[]): string[] {
  return frames.flatMap((frame, at) => {
    const before = frames[at - 1]?.clock.frame;
    return before === undefined || frame.clock.frame === before + 1 ? [] : [`${before} ${frame.clock.frame}`];
  });
}

describe("a volume with a quota", () => {
  it("stays within it while the oldest go, and a viewer at the live edge gets every frame once", {
    timeout: WATCH_MS + 90_000,
  }, async () => {
    const volume = directory.join("volume");
    const { service: running, channelIds } = await startRecording({ path: volume, quotaBytes: QUOTA_BYTES });
    const [channelId = ""] = channelIds;
    const [first] = await running.fragments(channelId);
    const video = await running.video(
      `channelid=${channelId}&mode=archive&starttime=${apiTime(first?.fromUs ?? 0)}`,
    );
    const endMs = Date.now() + WATCH_MS;
    const watching = pacedFrames(video.parts, () => Date.now() > endMs);
    watching.catch(() => undefined); // reported where it is awaited
    let most = { bytes: 0, allocated: 0 };
    const oldest: number[] = [];
    while (Date.now() < endMs) {
      const used = usedBytes(volume);
      if (used.bytes > most.bytes) most = used;
      const [fragment] = await running.fragments(channelId);
      oldest.push(fragment?.fromUs ?? 0);
      await pause(500);
    }
    const frames = await watching;
    video.close();
    expect(most.bytes).toBeLessThanOrEqual(QUOTA_BYTES);
    expect(most.bytes).toBeGreaterThan(QUOTA_BYTES / 3);
    expect(oldest).toEqual([...oldest].sort((a, b) => a - b));
    expect((oldest.at(-1) ?? 0) - (first?.fromUs ?? 0)).toBeGreaterThan(5_000_000);
    expect(frames.length).toBeGreaterThan((WATCH_MS / 1000 - 5) * CAMERA_CLIP.fps);
    expect(breaksIn(frames)).toEqual([]);
    expect(new PacedClip(source.clipFile).differencesOf(frames)).toEqual([]);
    expect(running.log).not.toMatch(/"level":(40|50|60)/);
    await running.stop();
    expect(await checkQuietly(volume)).toEqual({ code: 0, signal: null });
  });
});

async function checkQuietly(volume: string) {
  const { exit, text } = await checkOffline(directory.join("data"), [
    "--deep",
    "--config",
    `${directory.join("data")}-settings.json`,
  ]);
  if (exit.code !== 0) throw new Error(`${volume}: ${text}`);
  return exit;
}

describe("a disk that is full", () => {
  const missing = loopMountMissing("tmpfs");
  it.skipIf(missing !== undefined)(
    `goes on recording, the oldest give way${notHere(missing)}`,
    { timeout: WATCH_MS + 90_000 },
    async () => {
      const mount = LoopMount.mount("tmpfs", directory.path, SMALL_DISK_BYTES);
      const volume = mount.mountPoint;
      try {
        const { service: running, channelIds } = await startRecording({
          path: volume,
          reserveBytes: 4_000_000,
        });
        await pause(WATCH_MS);
        const watchedUs = Date.now() * 1000;
        for (const id of channelIds)
          await expect
            .poll(async () => (await running.fragments(id)).at(-1)?.toUs ?? 0)
            .toBeGreaterThan(watchedUs);
        const newest = await Promise.all(channelIds.map((id) => running.fragments(id)));
        const seconds = newest.map((fragments) =>
          fragments.reduce((sum, { fromUs, toUs }) => sum + (toUs - fromUs) / 1e6, 0),
        );
        // A few megabytes a camera is what there is room for, the space kept for the open segments aside.
        for (const some of seconds) expect(some).toBeGreaterThan(2);
        await running.stop();
        await checkQuietly(volume);
      } finally {
        await service?.stop();
        mount.remove();
      }
    },
  );
});
