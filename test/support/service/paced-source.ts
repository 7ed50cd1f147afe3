import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_MS } from "../base/patience.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { BackgroundProcess, runToEnd } from "./background-process.js";

/** Where programs and clips for tests and benches are kept between runs. */
const CACHE = join(REPOSITORY_ROOT, "build", "bench");

/** A clip for the paced source: H.264 without B-frames, key frames at a fixed distance. */
export interface Clip {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly gopFrames: number;
  readonly kilobitsPerSecond: number;
  readonly seconds: number;
  /** The number of the picture in the clip stands in its upper left, as squares that a program reads (`COUNTER`). */
  readonly counter?: true;
}

/** The squares of a clip with a counter: the lowest bit first, side by side; white is 1. */
export const COUNTER = { bits: 9, side: 32 } as const;

/** 1080p25 at 4 Mbit/s with 2 s GOPs: a usual camera, and the benches' measure. */
export const CAMERA_CLIP: Clip = {
  width: 1920,
  height: 1080,
  fps: 25,
  gopFrames: 50,
  kilobitsPerSecond: 4000,
  seconds: 10,
};
/** A small picture with 1 s GOPs, for tests. */
export const SMALL_CLIP: Clip = {
  width: 320,
  height: 240,
  fps: 25,
  gopFrames: 25,
  kilobitsPerSecond: 500,
  seconds: 8,
};

/** What is being made in this process, by its path: cameras that start at once must not make it twice. */
const underWay = new Map<string, Promise<void>>();

/** Has `make` write `file` under another name, which then becomes its own: nobody sees half of it. */
function makeOnce(file: string, make: (building: string) => Promise<string>): Promise<void> {
  const before = underWay.get(file);
  if (before !== undefined) return before;
  mkdirSync(CACHE, { recursive: true });
  const building = `${file}.${process.pid}`;
  const making = make(building)
    .then(() => renameSync(building, file))
    .finally(() => underWay.delete(file));
  underWay.set(file, making);
  return making;
}

/** The C programs of test/bench/programs, and what each is linked with. */
const PROGRAM_LIBRARIES = {
  "paced-source": [],
  floor: [],
  "http-load": [],
  "rtsp-viewers": [],
  "hls-viewers": [],
  "bare-decode": ["-lavcodec", "-lavutil"],
} as const;
export type BenchProgram = keyof typeof PROGRAM_LIBRARIES;

/** Builds one into the cache when it is older than its source. */
export async function buildProgram(name: BenchProgram): Promise<string> {
  const source = join(REPOSITORY_ROOT, "test/bench/programs", `${name}.c`);
  const program = join(CACHE, name);
  if (existsSync(program) && statSync(program).mtimeMs >= statSync(source).mtimeMs) return program;
  const flags = ["-O2", "-Wall", "-Wextra"];
  await makeOnce(program, (building) =>
    runToEnd("gcc", [...flags, "-o", building, source, ...PROGRAM_LIBRARIES[name]]),
  );
  return program;
}

/** Encodes a clip once; later calls find it in the cache. */
export async function makeClip(clip: Clip): Promise<string> {
  const { width, height, fps, gopFrames, kilobitsPerSecond, seconds, counter } = clip;
  const file = join(
    CACHE,
    `${width}x${height}-${fps}fps-gop${gopFrames}-${kilobitsPerSecond}k-${seconds}s${counter ? "-counter" : ""}.h264`,
  );
  if (existsSync(file)) return file;
  const rate = `${kilobitsPerSecond}k`;
  const picture = [
    "-f",
    "lavfi",
    "-i",
    `testsrc2=size=${width}x${height}:rate=${fps}`,
    "-vf",
    ["noise=alls=6:allf=t", ...(counter ? counterFilters() : [])].join(","),
  ];
  const encoder = [
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-pix_fmt",
    "yuv420p",
    "-bf",
    "0",
    "-sc_threshold",
    "0",
  ];
  const pacing = [
    "-g",
    `${gopFrames}`,
    "-keyint_min",
    `${gopFrames}`,
    "-b:v",
    rate,
    "-maxrate",
    rate,
    "-bufsize",
    rate,
  ];
  const flags = ["-v", "error", "-y", ...picture, "-t", `${seconds}`, ...encoder, ...pacing, "-f", "h264"];
  await makeOnce(file, (building) => runToEnd("ffmpeg", [...flags, building]));
  return file;
}

/** A square for each bit, drawn over the picture. */
function counterFilters(): string[] {
  const { bits, side } = COUNTER;
  const square = (bit: number, colour: string): string =>
    `drawbox=x=${bit * side}:y=0:w=${side}:h=${side}:t=fill:color=${colour}`;
  return Array.from({ length: bits }, (_, bit) => [
    square(bit, "black"),
    `${square(bit, "white")}:enable='mod(floor(n/${2 ** bit}),2)'`,
  ]).flat();
}

/** What the source says of itself. */
export interface SourceReport {
  readonly sentBytes: number;
  readonly frames: number;
  readonly droppedFrames: number;
  /** Open connections. */
  readonly clients: number;
}

/** N paced cameras in one light process: `test/bench/programs/paced-source.c`. */
export class PacedSource {
  readonly clipFile: string;
  readonly port: number;
  readonly #process: BackgroundProcess;

  private constructor(process: BackgroundProcess, port: number, clipFile: string) {
    this.#process = process;
    this.port = port;
    this.clipFile = clipFile;
  }

  /** `port`: one to come back on; else the kernel's choice. */
  static async start(streams: number, clip: Clip, port = 0): Promise<PacedSource> {
    const [program, file] = await Promise.all([buildProgram("paced-source"), makeClip(clip)]);
    const process = new BackgroundProcess(program, [file, `${streams}`, `${clip.fps}`, `${port}`]);
    const match = await process.waitFor(/^port (\d+)$/m);
    return new PacedSource(process, Number(match[1]), file);
  }

  url(stream: number): string {
    return `rtsp://127.0.0.1:${this.port}/${stream}`;
  }

  /** Totals so far. */
  async report(): Promise<SourceReport> {
    const seen = this.#process.output.length;
    this.#process.signal("SIGUSR1");
    const pattern = /^sent (\d+) frames (\d+) dropped (\d+) clients (\d+)$/m;
    const [, sentBytes, frames, droppedFrames, clients] = await this.#process.waitFor(
      pattern,
      PATIENCE_MS,
      seen,
    );
    return {
      sentBytes: Number(sentBytes),
      frames: Number(frames),
      droppedFrames: Number(droppedFrames),
      clients: Number(clients),
    };
  }

  async stop(): Promise<void> {
    await this.#process.stop("SIGTERM");
  }
}

/** The clock that the paced source puts before each access unit. */
export interface PacedClock {
  readonly stream: number;
  /** Counts the stream's frames from the start of the source. */
  readonly frame: number;
  /** When it was sent, Unix microseconds. */
  readonly sentUs: number;
}

const CLOCK_MARK = Buffer.from("nvrd-paced-clock");
const CLOCK_TEXT_BYTES = 4 + 1 + 10 + 1 + 16;

/** Reads the clock of an access unit (or of any bytes that hold one); undefined when there is none. */
export function pacedClockOf(bytes: Buffer): PacedClock | undefined {
  const at = bytes.indexOf(CLOCK_MARK);
  if (at < 0) return undefined;
  const text = bytes.toString("latin1", at + CLOCK_MARK.length, at + CLOCK_MARK.length + CLOCK_TEXT_BYTES);
  const match = /^([0-9a-f]{4}) ([0-9a-f]{10}) ([0-9a-f]{16})$/.exec(text);
  if (match === null) return undefined;
  const [stream = 0, frame = 0, sentUs = 0] = match.slice(1).map((digits) => Number.parseInt(digits, 16));
  return { stream, frame, sentUs };
}
