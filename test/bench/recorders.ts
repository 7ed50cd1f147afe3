import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { BackgroundProcess } from "../support/service/background-process.js";
import { buildProgram, type PacedSource } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import { type Peer, startMediamtx, startMoonfire } from "./peers.js";

const READY_MS = 60_000;

/** Something that records all streams of a source until it is stopped. */
export interface Recorder {
  readonly pids: readonly number[];
  /** Resolves when all streams are being recorded. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

export type StartRecorder = (
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
) => Promise<Recorder>;

/** How often nvrd reads a camera's socket (src/rtsp/client), and so does the floor that reads in batches. */
const READ_EACH_MS = 400;

/** Reads each socket at once. */
export const startFloor: StartRecorder = (...wanted) => startFloorWith([], ...wanted);

/** Reads all sockets each READ_EACH_MS. */
export const startBatchedFloor: StartRecorder = (...wanted) => startFloorWith([`${READ_EACH_MS}`], ...wanted);

async function startFloorWith(
  args: readonly string[],
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
): Promise<Recorder> {
  const program = await buildProgram("floor");
  const child = new BackgroundProcess(program, [`${source.port}`, `${streams}`, directory.path, ...args]);
  return {
    pids: [child.pid],
    ready: child.waitFor(/^ready$/m, 30_000).then(() => undefined),
    stop: async () => void (await child.stop()),
  };
}

export async function startFfmpeg(
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

export async function startNvrd(
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

export async function startMediamtxRecorder(
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
): Promise<Recorder> {
  const recordingsIn = directory.join("recordings");
  const peer = await startMediamtx({ directory, cameras: camerasOf(source, streams), recordingsIn });
  return recorderOf(peer, { folder: recordingsIn, streams });
}

export async function startMoonfireRecorder(
  source: PacedSource,
  streams: number,
  directory: TemporaryDirectory,
): Promise<Recorder> {
  const peer = await startMoonfire({ directory, cameras: camerasOf(source, streams) });
  return recorderOf(peer, { folder: directory.join("samples"), streams });
}

function camerasOf(source: PacedSource, streams: number): string[] {
  return Array.from({ length: streams }, (_, stream) => source.url(stream));
}

/** A peer whose recordings are files below a folder, one a stream at first. */
function recorderOf(peer: Peer, { folder, streams }: { folder: string; streams: number }): Recorder {
  return { pids: [peer.pid], ready: filesIn(folder, streams), stop: () => peer.stop() };
}

async function filesIn(folder: string, count: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const deadline = performance.now() + READY_MS;
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  while (files().filter(({ name }) => name !== "meta").length < count) {
    if (performance.now() > deadline) throw new Error(`${folder}: not every stream is recorded`);
    await pause(200);
  }
}
