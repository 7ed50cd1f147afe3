import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { BackgroundProcess } from "../support/service/background-process.js";
import { buildProgram, CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import type { Bench, BenchOptions, Figure } from "./figure.js";
import { usageOf } from "./process-usage.js";

const STREAM_COUNTS = [16, 64];
const MEBIBYTE = 1024 * 1024;
const PEER_SHARE_MAX = 1 / 4;
const FLOOR_SHARE_MAX = 2;
const MEMORY_BASE_MIB = 100;
const MEMORY_STREAM_MIB = 4;

/** Something that records all streams of a source until it is stopped. */
interface Recorder {
  readonly pids: readonly number[];
  /** Resolves when all streams are being recorded. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

interface Cost {
  readonly cpuSecondsPerGigabyte: number;
  readonly peakMebibytes: number;
  readonly droppedFrames: number;
}

/** CPU and memory of recording paced cameras: nvrd, one ffmpeg a stream, and the floor, one after another. */
export const recordingBench: Bench = {
  name: "recording",
  about: "CPU a GB and peak memory of recording 16 and 64 paced 4 Mbit/s streams",
  async *run(options) {
    for (const streams of STREAM_COUNTS) yield* measureAll(streams, options);
  },
};

async function* measureAll(streams: number, options: BenchOptions): AsyncGenerator<Figure> {
  const name = `recording ${streams} streams`;
  const unit = "CPU s/GB";
  const floor = await measure(streams, startFloor, options);
  yield { name: `${name}: the floor's CPU`, value: floor.cpuSecondsPerGigabyte, unit, peer: "floor.c" };
  const ffmpeg = await measure(streams, startFfmpeg, options);
  const peers = `${streams} x ffmpeg -c copy -f segment`;
  yield { name: `${name}: ffmpeg's CPU`, value: ffmpeg.cpuSecondsPerGigabyte, unit, peer: peers };
  yield { name: `${name}: ffmpeg's memory`, value: ffmpeg.peakMebibytes, unit: "MiB", peer: peers };
  const nvrd = await measure(streams, startNvrd, options);
  const value = nvrd.cpuSecondsPerGigabyte;
  const ofFfmpeg = { atMost: ffmpeg.cpuSecondsPerGigabyte * PEER_SHARE_MAX };
  const ofFloor = { atMost: floor.cpuSecondsPerGigabyte * FLOOR_SHARE_MAX };
  const memory = { atMost: MEMORY_BASE_MIB + MEMORY_STREAM_MIB * streams };
  const dropped = `${name}: frames the source dropped`;
  yield { name: `${name}: CPU`, value, unit, wanted: ofFfmpeg, peer: "1/4 of ffmpeg" };
  yield { name: `${name}: CPU`, value, unit, wanted: ofFloor, peer: "2 x floor" };
  yield {
    name: `${name}: memory`,
    value: nvrd.peakMebibytes,
    unit: "MiB",
    wanted: memory,
    peer: "100 MB + 4 MB a stream",
  };
  yield {
    name: dropped,
    value: nvrd.droppedFrames,
    unit: "",
    wanted: { atMost: 0 },
    peer: "nvrd reads in time",
  };
}

type StartRecorder = (
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
) => Promise<Recorder>;

async function measure(streams: number, start: StartRecorder, options: BenchOptions): Promise<Cost> {
  const directory = new TemporaryDirectory("bench");
  const source = await PacedSource.start(streams, CAMERA_CLIP);
  try {
    const recorder = await start(source, streams, directory);
    try {
      await recorder.ready;
      await pause(options.quick ? 5000 : 10_000);
      const before = { usage: usageOf(recorder.pids), source: await source.report() };
      await pause(options.quick ? 10_000 : 30_000);
      const after = { usage: usageOf(recorder.pids), source: await source.report() };
      const gigabytes = (after.source.sentBytes - before.source.sentBytes) / 1e9;
      return {
        cpuSecondsPerGigabyte: (after.usage.cpuSeconds - before.usage.cpuSeconds) / gigabytes,
        peakMebibytes: after.usage.peakBytes / MEBIBYTE,
        droppedFrames: after.source.droppedFrames - before.source.droppedFrames,
      };
    } finally {
      await recorder.stop();
    }
  } finally {
    await source.stop();
    directory.remove();
  }
}

async function startFloor(
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
): Promise<Recorder> {
  const program = await buildProgram("floor");
  const child = new BackgroundProcess(program, [`${source.port}`, `${streams}`, directory.path]);
  return {
    pids: [child.pid],
    ready: child.waitFor(/^ready$/m, 30_000).then(() => undefined),
    stop: async () => void (await child.stop()),
  };
}

async function startFfmpeg(
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
): Promise<Recorder> {
  const children = Array.from({ length: streams }, (_, stream) => {
    const folder = join(directory.path, `${stream}`);
    mkdirSync(folder);
    const input = ["-nostdin", "-v", "error", "-rtsp_transport", "tcp", "-i", source.url(stream)];
    const output = [
      "-c",
      "copy",
      "-f",
      "segment",
      "-segment_time",
      "60",
      "-progress",
      "pipe:1",
      join(folder, "%03d.mkv"),
    ];
    return new BackgroundProcess("ffmpeg", [...input, ...output]);
  });
  return {
    pids: children.map((child) => child.pid),
    ready: Promise.all(children.map((child) => child.waitFor(/^frame=\s*[1-9]/m, 60_000))).then(
      () => undefined,
    ),
    stop: async () => void (await Promise.all(children.map((child) => child.stop("SIGTERM")))),
  };
}

async function startNvrd(
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
): Promise<Recorder> {
  const service = await Service.start({ dataDir: directory.join("data") });
  const cameras = Array.from({ length: streams }, (_, stream) => ({
    name: `Camera ${stream}`,
    url: source.url(stream),
  }));
  const ids = await service.addCameras(cameras);
  return {
    pids: [service.process.pid],
    ready: service.recorded(ids, 1_000_000, 60_000),
    stop: async () => void (await service.stop()),
  };
}
