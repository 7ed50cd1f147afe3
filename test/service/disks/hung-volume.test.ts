import { mkdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { type PacedFrame, pacedFrames, readPacedFrames } from "../../support/archive/paced-recording.js";
import { channelsBeingWritten } from "../../support/archive/segment-owners.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { FaultFuse, faultFuseMissing } from "../../support/disk/fault-fuse.js";
import { nowUs, recordedBeyond, until, WAIT_MS } from "../../support/event/service-events.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, type Fragment, pause, Service, type VideoAnswer } from "../../support/service/service.js";

const CAMERAS = 4;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
/** A request that the disks have nothing to do with is answered within this: it waits for no disk, which would take 10 s. */
const ANSWER_MS_MAX = 8000;
/** A live frame comes no later than this: it does not wait for a disk, which would take 10 s and more. */
const LIVE_DELAY_US_MAX = 8_000_000;
/** A request that needs the hung disk is refused, or its answer ends, within this: the disk has 10 s. */
const HUNG_ANSWER_MS_MAX = 20_000;
/** Viewers that ask for the hung disk, again and again. */
const HUNG_VIEWERS = 10;
const HUNG_ROUNDS = 4;
/** What a viewer at normal speed still has to send of what was read before the disk hung. */
const BUFFERED_MS_MAX = 10_000;
/** Most memory that all of them may cost: each reader has 256 KiB. */
const HUNG_MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const STOP_MS_MAX = 15_000;
/** From the first answer of the API to the first frame recorded, which does not wait for the disk that hangs. */
const RECORDING_US_MAX = 9_000_000;
/** Calls that hang under a reader; `npm run torture -- hung-reads` has them all. */
const READER_CALLS =
  process.env.NVRD_TEST_HUNG_READS === "all" ? (["read", "open", "getattr"] as const) : (["read"] as const);

const missing = faultFuseMissing();

let directory: TemporaryDirectory | undefined;
let fuse: FaultFuse | undefined;
let source: PacedSource | undefined;
let service: Service | undefined;

afterEach(async () => {
  fuse?.heal();
  await service?.stop();
  await source?.stop();
  await fuse?.remove();
  directory?.remove();
});

interface Recorder {
  running: Service;
  readonly ids: readonly string[];
  readonly disk: FaultFuse;
  /** Channels on the volume that is to hang, and on the other one. */
  readonly hanging: readonly string[];
  readonly sound: readonly string[];
  readonly source: PacedSource;
  start(): Promise<Service>;
}

async function record(): Promise<Recorder> {
  const files = new TemporaryDirectory("hung-volume");
  directory = files;
  mkdirSync(files.join("fuse"));
  const disk = await FaultFuse.mount(files.join("fuse"));
  fuse = disk;
  const from = await PacedSource.start(CAMERAS, SMALL_CLIP);
  source = from;
  const volumes = [
    { path: disk.mountPoint, mount: true, reserveBytes: 0 },
    { path: files.join("sound"), reserveBytes: 0 },
  ];
  const start = async () => {
    service = await Service.start({
      dataDir: files.join("data"),
      settings: { segmentSeconds: 5, volumes },
      startTimeoutMs: WAIT_MS,
    });
    return service;
  };
  const running = await start();
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: from.url(at) }));
  const ids = await running.addCameras(cameras);
  await running.recorded(ids, 4 * GOP_US, WAIT_MS);
  const onDisk = channelsBeingWritten(disk.backing);
  const hanging = ids.filter((id) => onDisk.has(id));
  const sound = ids.filter((id) => !onDisk.has(id));
  expect(hanging.length).toBeGreaterThan(0);
  expect(sound.length).toBeGreaterThan(0);
  return { running, ids, disk, hanging, sound, source: from, start };
}

function watchArchive(running: Service, id: string, fromUs: number): Promise<VideoAnswer> {
  return running.video(`channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`);
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const beforeMs = performance.now();
  const result = await work;
  expect(performance.now() - beforeMs).toBeLessThan(limitMs);
  return result;
}

function missingFrames(frames: readonly PacedFrame[]): string[] {
  return frames.flatMap(({ clock }, at) => {
    const before = frames[at - 1]?.clock.frame;
    return before === undefined || clock.frame === before + 1 ? [] : [`${before} to ${clock.frame}`];
  });
}

function memoryBytes(running: Service): number {
  const text = readFileSync(`/proc/${running.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024;
}

/** Asks for the archive of the hung disk; answers the status, which is there in time. */
async function askHung(running: Service, id: string, fromUs: number): Promise<number | undefined> {
  const query = `channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`;
  const response = await within(HUNG_ANSWER_MS_MAX, running.open(`/video?${query}`));
  response.destroy();
  return response.statusCode;
}

/** Reads on until the answer ends; rejects when it does not. */
async function readToTheEnd(video: VideoAnswer): Promise<void> {
  const late = setTimeout(
    () => video.response.destroy(new Error("the answer does not end")),
    HUNG_ANSWER_MS_MAX + BUFFERED_MS_MAX,
  );
  try {
    for await (const _ of video.parts);
  } finally {
    clearTimeout(late);
  }
}

describe.skipIf(missing !== undefined)(
  `a volume that hangs in every call, from a moment on${notHere(missing)}`,
  () => {
    it("costs the cameras of the other volume no frame, live viewers no time, and answers their bound", async () => {
      const { running, ids, disk, hanging, sound } = await record();
      const live = await running.video(`channelid=${hanging[0]}`);
      const delays: number[] = [];
      let hungUs = Number.POSITIVE_INFINITY;
      const watching = pacedFrames(live.parts, ({ clock }) => {
        delays.push(nowUs() - clock.sentUs);
        return clock.sentUs > hungUs + 15 * GOP_US;
      });
      const [first] = await running.fragments(hanging[0] ?? "");
      disk.fault({ "*": "hang" });
      hungUs = nowUs();
      // All the while that the disk is waited for, given up and asked again.
      while (nowUs() < hungUs + 13 * GOP_US) {
        await within(ANSWER_MS_MAX, running.json("/configex?responsetype=json"));
        for (const id of ids) await within(ANSWER_MS_MAX, running.fragments(id));
        const find = `/command?type=findarchive&channelid=${hanging[0]}&searchTime=${apiTime((first?.fromUs ?? 0) + GOP_US)}`;
        expect((await within(ANSWER_MS_MAX, running.get(find))).status).toBe(200);
        const other = await within(
          ANSWER_MS_MAX,
          watchArchive(running, sound[0] ?? "", nowUs() - 3 * GOP_US),
        );
        await within(
          ANSWER_MS_MAX,
          readPacedFrames(other, (_, count) => count >= SMALL_CLIP.gopFrames),
        );
      }
      await recordedBeyond(running, ids, hungUs + 10 * GOP_US);
      await watching;
      live.close();
      // What came at once when the viewer came is older: the GOP so far.
      expect(Math.max(...delays.slice(SMALL_CLIP.gopFrames))).toBeLessThan(LIVE_DELAY_US_MAX);
      disk.heal();
      for (const id of sound) {
        const [oldest] = await running.fragments(id);
        const video = await watchArchive(running, id, oldest?.fromUs ?? 0);
        const frames = await readPacedFrames(video, ({ clock }) => clock.sentUs > hungUs + 10 * GOP_US);
        expect(missingFrames(frames)).toEqual([]);
      }
    });

    it("is left by the start and the stop of the service in bounded time, which records on the other one", async () => {
      const recorder = await record();
      const { ids, disk } = recorder;
      disk.fault({ "*": "hang" });
      await pause(3000);
      const stopping = performance.now();
      recorder.running.process.signal("SIGTERM");
      await recorder.running.process.waitFor(/"stopped"/);
      expect(performance.now() - stopping).toBeLessThan(STOP_MS_MAX);
      const hung = recorder.running;
      const running = await recorder.start();
      const answeringUs = nowUs();
      for (const id of ids) {
        let found: Fragment | undefined;
        await until(running, "a recording of this run", async () => {
          found = (await running.fragments(id)).find(
            (fragment) => fragment.fromUs > answeringUs - 10_000_000,
          );
          return found !== undefined;
        });
        expect((found?.fromUs ?? 0) - answeringUs).toBeLessThan(RECORDING_US_MAX);
      }
      disk.heal();
      await hung.process.exited;
    });
  },
);

describe.skipIf(missing !== undefined)(
  `a viewer of a volume whose disk no longer reads${notHere(missing)}`,
  () => {
    it.each(READER_CALLS)(
      "gets an end or an error in bounded time when %s hangs, and pins no memory",
      async (call) => {
        const { running, hanging } = await record();
        const disk = fuse;
        const id = hanging[0] ?? "";
        const [first] = await running.fragments(id);
        const fromUs = first?.fromUs ?? 0;
        const before = memoryBytes(running);
        // One that is in the middle of it: at the archive's own speed it has not read all there is.
        const video = await running.video(
          `channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=1`,
        );
        await pacedFrames(video.parts, (_, count) => count >= 2);
        disk?.fault({ [call]: "hang" });
        const ending = readToTheEnd(video);
        for (let round = 0; round < HUNG_ROUNDS; round++) {
          const asked = Array.from({ length: HUNG_VIEWERS }, () => askHung(running, id, fromUs));
          expect(new Set(await Promise.all(asked))).toEqual(new Set([503]));
        }
        await ending;
        expect(memoryBytes(running) - before).toBeLessThan(HUNG_MEMORY_BYTES_MAX);
        disk?.heal();
        // And the disk is read again when it answers.
        await until(running, "the archive to be read again", async () => {
          const response = await running.open(
            `/video?channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}`,
          );
          response.destroy();
          return response.statusCode === 200;
        });
      },
    );
  },
);
