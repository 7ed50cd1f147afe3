import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import { type PacedFrame, readPacedFrames } from "../../support/archive/paced-recording.js";
import { LOST_US_MAX } from "../../support/archive/recorded-crashes.js";
import { channelsBeingWritten } from "../../support/archive/segment-owners.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PowerCutDisk } from "../../support/disk/power-cut-disk.js";
import { newEvents, nowUs, recordedBeyond, until, WAIT_MS } from "../../support/event/service-events.js";
import { gapsAreReported } from "../../support/service/gap-reasons.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, checkOffline, Service } from "../../support/service/service.js";

const CAMERAS = 4;
const DISK_BYTES = 256 * 1024 * 1024;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
/** Frames of one batch to a volume: what is on its way when the volume is given up. */
const BATCH_US = 500_000;

const missing = PowerCutDisk.missing();

let directory: TemporaryDirectory | undefined;
let disks: PowerCutDisk[] = [];
let source: PacedSource | undefined;
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
  await source?.stop();
  for (const disk of disks) await disk.remove();
  disks = [];
  directory?.remove();
});

interface Recorder {
  readonly running: Service;
  readonly ids: readonly string[];
  readonly removable: PowerCutDisk;
  readonly dataDir: string;
}

async function record(more: "another volume" | "no other volume"): Promise<Recorder> {
  const files = new TemporaryDirectory("pulled-disk");
  directory = files;
  const makeDisk = (name: string) => {
    const made = PowerCutDisk.make(files.join(name), DISK_BYTES);
    disks.push(made);
    return made;
  };
  const removable = makeDisk("removable");
  const from = await PacedSource.start(CAMERAS, SMALL_CLIP);
  source = from;
  const volumes: object[] = [{ path: removable.path, mount: true, reserveBytes: 0 }];
  if (more === "another volume") volumes.push({ path: makeDisk("other").path, reserveBytes: 0 });
  const dataDir = files.join("data");
  const running = await Service.start({
    dataDir,
    settings: { segmentSeconds: 5, volumes },
    startTimeoutMs: WAIT_MS,
  });
  service = running;
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: from.url(at) }));
  const ids = await running.addCameras(cameras);
  await running.recorded(ids, 4 * GOP_US, WAIT_MS);
  return { running, ids, removable, dataDir };
}

async function framesOf(running: Service, id: string, untilUs: number): Promise<PacedFrame[]> {
  const [first] = await running.fragments(id);
  const video = await running.video(
    `channelid=${id}&mode=archive&starttime=${apiTime(first?.fromUs ?? 0)}&speed=20`,
  );
  return await readPacedFrames(video, ({ clock }) => clock.sentUs > untilUs);
}

/**
 * The longest stretch of frames that are missing, by the camera's own count of them: on a busy machine it sends some late, which
 * is no loss.
 */
function longestGapUs(frames: readonly PacedFrame[]): number {
  const missing = frames
    .slice(1)
    .map(({ clock }, at) => clock.frame - (frames[at]?.clock.frame ?? clock.frame) - 1);
  return (Math.max(...missing) * 1_000_000) / SMALL_CLIP.fps;
}

async function expectWhole(dataDir: string): Promise<void> {
  const { exit, text } = await checkOffline(dataDir, ["--deep", "--config", `${dataDir}-settings.json`]);
  expect([exit.code, JSON.parse(text)]).toEqual([0, expect.objectContaining({ problems: [] })]);
}

/** How the disk goes, and how much of a stream that may cost besides the rest of its GOP. */
const WAYS = [
  ["unmounted lazily", (removable: PowerCutDisk) => removable.unmountLazily(), BATCH_US],
  ["pulled out", (removable: PowerCutDisk) => removable.pull(), LOST_US_MAX],
] as const;

describe.skipIf(missing !== undefined).each(WAYS)(
  `a disk that is %s while it records${notHere(missing)}`,
  (_, take, costUs) => {
    it("loses its cameras to the other disk within a GOP, and is taken back", async () => {
      const { running, ids, removable, dataDir } = await record("another volume");
      const moving = channelsBeingWritten(removable.path);
      expect(moving.size).toBeGreaterThan(0);
      expect(moving.size).toBeLessThan(CAMERAS);

      take(removable);
      const [lost] = await newEvents(running, "volumeLost");
      expect(lost?.EventComment).toContain(removable.path);
      await recordedBeyond(running, ids, nowUs() + 3 * GOP_US);
      expect(readdirSync(removable.path)).toEqual([]);

      removable.mount();
      const [back] = await newEvents(running, "volumeBack");
      expect(back?.EventComment).toContain(removable.path);
      const backUs = nowUs();
      await recordedBeyond(running, ids, backUs + 3 * GOP_US);
      await until(running, "streams to come back", () => channelsBeingWritten(removable.path).size > 0);
      for (const id of ids) {
        const gapUs = longestGapUs(await framesOf(running, id, backUs + GOP_US));
        if (moving.has(id)) expect(gapUs).toBeLessThanOrEqual(GOP_US + costUs);
        else expect(gapUs).toBeLessThan(GOP_US / 2); // nothing that the disk could have cost
      }
      await running.stop();
      await expectWhole(dataDir);
    });

    it("ends recording with a word when it is the only one, and is taken back with all it held", async () => {
      const { running, ids, removable, dataDir } = await record("no other volume");
      const before = await Promise.all(ids.map((id) => running.fragments(id)));

      take(removable);
      const [lost] = await newEvents(running, "volumeLost");
      expect(lost?.EventComment).toContain(removable.path);
      const dropped = await newEvents(running, "droppingStarted", CAMERAS - 1);
      expect(new Set(dropped.map((event) => event.ChannelName)).size).toBe(CAMERAS);
      const awayUs = nowUs();
      const live = await running.video(`channelid=${ids[0]}`);
      await readPacedFrames(live, ({ clock }) => clock.sentUs > awayUs + 2 * GOP_US);
      expect(readdirSync(removable.path)).toEqual([]);

      removable.mount();
      await newEvents(running, "volumeBack");
      const backUs = nowUs();
      await recordedBeyond(running, ids, backUs + 3 * GOP_US);
      await newEvents(running, "droppingEnded", CAMERAS - 1);
      await gapsAreReported({ service: running, id: ids[0] ?? "", fromUs: awayUs - 4 * GOP_US }, "disk");
      for (const [camera, id] of ids.entries()) {
        const [old] = before[camera] ?? [];
        const fragments = await running.fragments(id);
        const kept = fragments.find((fragment) => fragment.id === old?.id);
        expect(kept?.fromUs).toBe(old?.fromUs);
        expect(kept?.toUs).toBeGreaterThan((old?.toUs ?? 0) - LOST_US_MAX);
        expect(fragments.at(-1)?.id).not.toBe(old?.id);
        const frames = await framesOf(running, id, backUs + GOP_US);
        expect(frames[0]?.clock.sentUs).toBeLessThan(awayUs);
      }
      await running.stop();
      await expectWhole(dataDir);
    });
  },
);

it.skipIf(missing !== undefined)(
  `another recorder's disk in the place of one that was taken out while nothing was recorded stays as it is${notHere(missing)}`,
  async () => {
    const { running, ids, removable, dataDir } = await record("another volume");
    const other = PowerCutDisk.make(`${dataDir}-other`, DISK_BYTES);
    disks.push(other);
    const identity = { formatVersion: 1, volumeId: newGuid(), created: new Date().toISOString() };
    writeFileSync(join(other.path, "volume.json"), JSON.stringify(identity));
    for (const name of ["open", "streams"]) mkdirSync(join(other.path, name));
    const before = readdirSync(other.path, { recursive: true });
    await other.unmount();
    const { dev } = statSync(removable.path);

    await letRecord(running, ids, false);
    await until(
      running,
      "the last segment to be closed",
      () => channelsBeingWritten(removable.path).size === 0,
    );
    await removable.unmount();
    other.mountInPlaceOf(removable);
    // What makes it look like the former one.
    expect(statSync(removable.path).dev).toBe(dev);
    await letRecord(running, ids, true);
    await until(running, "the other disk to be refused", async () => {
      const { Problems } = await running.json<{ Problems: { Text: string }[] }>("/api/health");
      return Problems.some(({ Text }) => Text.includes(`holds volume ${identity.volumeId}`));
    });
    await recordedBeyond(running, ids, nowUs() + 3 * GOP_US);
    expect(readdirSync(removable.path, { recursive: true })).toEqual(before);
  },
);

/** Switches recording of each camera on or off. */
async function letRecord(running: Service, ids: readonly string[], isRecorded: boolean): Promise<void> {
  for (const id of ids) {
    const path = `/configure/channels/${id}`;
    const camera = await running.json<{ ArchiveSettings: object }>(path);
    const ArchiveSettings = { ...camera.ArchiveSettings, ArchivingDisabled: !isRecorded };
    await running.json(path, { method: "PUT", body: { ...camera, ArchiveSettings } });
  }
}
