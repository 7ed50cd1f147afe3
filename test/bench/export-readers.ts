import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import type { Service } from "../support/service/service.js";
import { type Figure, type Program, percentile } from "./figure.js";
import { hasPeer, startMoonfire } from "./peers.js";
import { usageOf } from "./process-usage.js";

const run = promisify(execFile);

const SPANS_SECONDS = [100, 600] as const;
/** Exports of each measurement. One user has four places: of 16 readers, four are served at a time. */
const READERS = [1, 16] as const;
const AT_ONCE = 4;
const RUNS = 5;
const CAMERAS_BESIDE = 16;
/** A second in the times of Moonfire NVR. */
const MOONFIRE_TICKS = 90_000;
const MEGABYTES_A_SECOND_MIN = 800;
const CPU_SECONDS_PER_GB_MAX = 1.2;
const FIRST_BYTE_MS_MAX = 2;

export interface ExportReading {
  readonly service: Service;
  /** URL of the first seconds of the recording. */
  readonly urlOf: (seconds: number) => string;
  /** File with the login for curl. */
  readonly credentials: string;
}

/** What is asked: a server's process, and the address of the first seconds of its recording. */
interface Exporter {
  readonly program: Program;
  readonly pid: number;
  readonly urlOf: (seconds: number) => string;
  readonly curl: readonly string[];
}

interface Reading {
  readonly seconds: number;
  readonly readers: number;
}

/** How fast archives of 100 and 600 s go out as MP4 to one and to 16 readers, and what that costs; then beside recording. */
export async function* readerFigures(reading: ExportReading): AsyncGenerator<Figure> {
  const { urlOf, credentials, service } = reading;
  const own = { program: "nvrd", pid: service.process.pid, urlOf, curl: ["-K", credentials] } as const;
  for (const seconds of SPANS_SECONDS)
    for (const readers of READERS)
      yield* figuresOf(`${seconds} s to ${readers} reader${readers > 1 ? "s" : ""}`, own, {
        seconds,
        readers,
      });
  yield* besideRecording(reading, own);
  if (hasPeer("moonfire-nvr")) yield* moonfireFigures();
}

async function* moonfireFigures(): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory("bench-moonfire");
  const archiveSeconds = Math.max(...SPANS_SECONDS);
  const peer = await startMoonfire({ directory, cameras: ["rtsp://127.0.0.1:9/none"] }, { archiveSeconds });
  try {
    const answer = await fetch(`http://127.0.0.1:${peer.port}/api/`);
    const { cameras } = (await answer.json()) as { readonly cameras: readonly { readonly uuid: string }[] };
    const of = `http://127.0.0.1:${peer.port}/api/cameras/${cameras[0]?.uuid}/main/view.mp4`;
    const urlOf = (seconds: number): string =>
      `${of}?s=0-${Math.ceil(seconds / 60) - 1}.0-${seconds * MOONFIRE_TICKS}`;
    const exporter = { program: "Moonfire NVR", pid: peer.pid, urlOf, curl: [] } as const;
    for (const seconds of SPANS_SECONDS)
      yield* figuresOf(`${seconds} s to 1 reader, Moonfire NVR`, exporter, { seconds, readers: 1 });
  } finally {
    await peer.stop();
    directory.remove();
  }
}

async function* figuresOf(name: string, exporter: Exporter, reading: Reading): AsyncGenerator<Figure> {
  const { seconds, readers } = reading;
  const isOwn = exporter.program === "nvrd";
  await readAll(exporter, seconds, 1);
  const runs: Run[] = [];
  for (let count = 0; count < RUNS; count += 1) runs.push(await measured(exporter, reading));
  const middle = (of: (run: Run) => number): number => percentile(runs.map(of), 0.5);
  const cellOf = (work: string) =>
    readers === 1
      ? { cell: { work: `${seconds} s of archive as MP4, ${work}`, program: exporter.program } }
      : {};
  const method = `median of ${RUNS}, curl to /dev/null`;
  const peer = readers > AT_ONCE ? `${method}, ${AT_ONCE} at a time, the bound of one user` : method;
  yield {
    name: `${name}: throughput`,
    value: middle((run) => run.bytes / 1e6 / run.seconds),
    unit: "MB/s",
    ...(isOwn ? { wanted: { atLeast: MEGABYTES_A_SECOND_MIN } } : {}),
    ...cellOf("MB/s"),
    peer,
  };
  yield {
    name: `${name}: CPU of the service`,
    // All runs together: a short export takes few of the ticks in which time is counted.
    value:
      runs.reduce((sum, run) => sum + run.cpuSeconds, 0) /
      runs.reduce((sum, run) => sum + run.bytes / 1e9, 0),
    unit: "CPU s/GB",
    ...(isOwn ? { wanted: { atMost: CPU_SECONDS_PER_GB_MAX } } : {}),
    ...cellOf("CPU s/GB"),
  };
  yield {
    name: `${name}: first byte, median`,
    value: middle((run) => run.firstByteMs),
    unit: "ms",
    ...(isOwn && readers === 1 ? { wanted: { atMost: FIRST_BYTE_MS_MAX } } : {}),
    ...cellOf("first byte, ms"),
    peer: "as curl counts it, its connection included",
  };
}

interface Run {
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly firstByteMs: number;
}

async function measured(exporter: Exporter, { seconds, readers }: Reading): Promise<Run> {
  const before = usageOf([exporter.pid]).cpuSeconds;
  const startedMs = performance.now();
  const { bytes, firstByteMs, readerSeconds } = await readAll(exporter, seconds, readers);
  const wallSeconds = (performance.now() - startedMs) / 1000;
  const cpuSeconds = usageOf([exporter.pid]).cpuSeconds - before;
  // The start of curl is no part of what one reader takes; of several, it is a small part of the whole.
  return { bytes, firstByteMs, cpuSeconds, seconds: readers === 1 ? readerSeconds : wallSeconds };
}

/** Sixteen cameras are recorded while sixteen readers take 600 s each. */
async function* besideRecording({ service }: ExportReading, own: Exporter): AsyncGenerator<Figure> {
  const source = await PacedSource.start(CAMERAS_BESIDE, CAMERA_CLIP);
  try {
    const cameras = Array.from({ length: CAMERAS_BESIDE }, (_, at) => ({
      name: `Beside ${at}`,
      url: source.url(at),
    }));
    const ids = await service.addCameras(cameras);
    await service.recorded(ids, 5_000_000, 60_000);
    const before = await source.report();
    const name = `600 s to 16 readers beside ${CAMERAS_BESIDE} cameras`;
    yield* figuresOf(name, own, { seconds: 600, readers: 16 });
    const dropped = (await source.report()).droppedFrames - before.droppedFrames;
    const wanted = { atMost: 0 };
    yield { name: "frames that the cameras dropped meanwhile", value: dropped, unit: "", wanted };
  } finally {
    await source.stop();
  }
}

/**
 * Reads the export so often, some at a time. One curl reads them all: a process for each takes longer to start than 100 s take to be
 * sent, on processors that the service needs.
 */
async function readAll(
  { urlOf, curl }: Exporter,
  seconds: number,
  readers: number,
): Promise<{ readonly bytes: number; readonly firstByteMs: number; readonly readerSeconds: number }> {
  const form = "%{size_download} %{time_starttransfer} %{time_total}\n";
  const each = Array.from({ length: readers }, () => ["-o", "/dev/null", urlOf(seconds)]).flat();
  const parallel = ["-Z", "--parallel-immediate", "--parallel-max", `${AT_ONCE}`];
  const { stdout } = await run("curl", ["-sf", ...curl, ...parallel, "-w", form, ...each]);
  const read = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  return {
    bytes: read.reduce((sum, [size = 0]) => sum + size, 0),
    firstByteMs: percentile(
      read.map(([, first = 0]) => first * 1000),
      0.5,
    ),
    readerSeconds: percentile(
      read.map(([, , total = 0]) => total),
      0.5,
    ),
  };
}
