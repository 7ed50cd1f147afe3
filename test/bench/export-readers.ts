import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import type { Service } from "../support/service/service.js";
import { type Figure, percentile } from "./figure.js";
import { usageOf } from "./process-usage.js";

const run = promisify(execFile);

const SPANS_SECONDS = [100, 600] as const;
/** Exports of each measurement. One user has four places: of 16 readers, four are served at a time. */
const READERS = [1, 16] as const;
const AT_ONCE = 4;
const CAMERAS_BESIDE = 16;
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

/** How fast archives of 100 and 600 s go out as MP4 to one and to 16 readers, and what that costs; then beside recording. */
export async function* readerFigures(reading: ExportReading): AsyncGenerator<Figure> {
  for (const seconds of SPANS_SECONDS)
    for (const readers of READERS) {
      await readAll(reading, seconds, 1);
      yield* figuresOf(`${seconds} s to ${readers} reader${readers > 1 ? "s" : ""}`, reading, {
        seconds,
        readers,
      });
    }
  yield* besideRecording(reading);
}

async function* figuresOf(
  name: string,
  reading: ExportReading,
  { seconds, readers }: { readonly seconds: number; readonly readers: number },
): AsyncGenerator<Figure> {
  const { pid } = reading.service.process;
  const cpuBefore = usageOf([pid]).cpuSeconds;
  const startedMs = performance.now();
  const { bytes, firstByteMs } = await readAll(reading, seconds, readers);
  const wallSeconds = (performance.now() - startedMs) / 1000;
  const cpuSeconds = usageOf([pid]).cpuSeconds - cpuBefore;
  const peer = readers > AT_ONCE ? `${AT_ONCE} at a time, the bound of one user` : "curl to /dev/null";
  const wanted = { atLeast: MEGABYTES_A_SECOND_MIN };
  yield { name: `${name}: throughput`, value: bytes / 1e6 / wallSeconds, unit: "MB/s", wanted, peer };
  yield {
    name: `${name}: CPU of the service`,
    value: cpuSeconds / (bytes / 1e9),
    unit: "CPU s/GB",
    wanted: { atMost: CPU_SECONDS_PER_GB_MAX },
  };
  yield {
    name: `${name}: first byte, median`,
    value: firstByteMs,
    unit: "ms",
    ...(readers === 1 ? { wanted: { atMost: FIRST_BYTE_MS_MAX } } : {}),
    peer: "as curl counts it",
  };
}

/** Sixteen cameras are recorded while sixteen readers take 600 s each. */
async function* besideRecording(reading: ExportReading): AsyncGenerator<Figure> {
  const { service } = reading;
  const source = await PacedSource.start(CAMERAS_BESIDE, CAMERA_CLIP);
  try {
    const cameras = Array.from({ length: CAMERAS_BESIDE }, (_, at) => ({
      name: `Beside ${at}`,
      url: source.url(at),
    }));
    const ids = await service.addCameras(cameras);
    await service.recorded(ids, 5_000_000, 60_000);
    const before = await source.report();
    yield* figuresOf(`600 s to 16 readers beside ${CAMERAS_BESIDE} cameras`, reading, {
      seconds: 600,
      readers: 16,
    });
    const dropped = (await source.report()).droppedFrames - before.droppedFrames;
    const wanted = { atMost: 0 };
    yield { name: "frames that the cameras dropped meanwhile", value: dropped, unit: "", wanted };
  } finally {
    await source.stop();
  }
}

/** Reads the export so often, some at a time. */
async function readAll(
  { urlOf, credentials }: ExportReading,
  seconds: number,
  readers: number,
): Promise<{ readonly bytes: number; readonly firstByteMs: number }> {
  const form = "%{size_download} %{time_starttransfer}";
  const args = ["-sf", "-K", credentials, "-o", "/dev/null", "-w", form, urlOf(seconds)];
  let left = readers;
  let bytes = 0;
  const firstBytesMs: number[] = [];
  const reader = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { stdout } = await run("curl", args);
      const [size = "0", first = "0"] = stdout.split(" ");
      bytes += Number(size);
      firstBytesMs.push(Number(first) * 1000);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, readers) }, reader));
  return { bytes, firstByteMs: percentile(firstBytesMs, 0.5) };
}
