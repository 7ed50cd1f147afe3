import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { h264AccessUnits, splitNalUnits } from "../../support/media/nal-units.js";
import { runToEnd } from "../../support/service/background-process.js";
import {
  buildProgram,
  CAMERA_CLIP,
  type Clip,
  makeClip,
  SMALL_CLIP,
} from "../../support/service/paced-source.js";
import { type BenchOptions, type Figure, percentile } from "../figure.js";

const BARE_TIMES_MAX = 1.2;
/** nvrd, the bare decoder and ffmpeg take turns, so that what else the machine does meets all. */
const TURNS = 7;
const QUICK_TURNS = 3;
const STILLS_A_TURN = 40;
const STILLS = 10_000;
const QUICK_STILLS = 1000;
/** Of resident memory, V8's spare room aside: what allocators keep or give back by the way. */
const GROWTH_MIB_MAX = 8;
const SCRIPT_TIMEOUT_MS = 10 * 60_000;

/** Microseconds of one. */
interface Cost {
  readonly wallUs: number;
  readonly cpuUs: number;
}

interface Turn {
  readonly small: Cost;
  readonly large: Cost;
  readonly bare: Cost;
  readonly ffmpegMs: number;
}

/** Stills of a 1080p key frame that nobody asked for before, beside a bare decoder and ffmpeg. */
export async function* coldStills(options: BenchOptions): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory("bench-cold");
  try {
    const file = await keyFrameFile(CAMERA_CLIP, directory);
    const clip = await makeClip(CAMERA_CLIP);
    const turns: Turn[] = [];
    for (let turn = 0; turn < (options.quick ? QUICK_TURNS : TURNS); turn++) {
      const bare = await bareDecode(file);
      const stills = await runScript<Pick<Turn, "small" | "large">>("cold", file, STILLS_A_TURN);
      turns.push({ ...stills, bare, ffmpegMs: await ffmpegStill(clip) });
    }
    const median = (value: (turn: Turn) => number): number => percentile(turns.map(value), 0.5);
    const name = "still of a 1080p key frame, cold";
    const peer = `bare libavcodec: ${median(({ bare }) => bare.cpuUs / 1000).toFixed(2)} ms of CPU`;
    for (const [size, cost] of [
      ["64x36", (turn: Turn) => turn.small],
      ["320x180", (turn: Turn) => turn.large],
    ] as const) {
      yield { name: `${name}, ${size}`, value: median((turn) => cost(turn).wallUs / 1000), unit: "ms" };
      yield {
        name: `${name}, ${size}: CPU of the bare decoder's`,
        value: median((turn) => cost(turn).cpuUs / turn.bare.cpuUs),
        unit: "",
        wanted: { atMost: BARE_TIMES_MAX },
        peer,
      };
    }
    yield {
      name: `${name}: ffmpeg -ss -frames:v 1`,
      value: median(({ ffmpegMs }) => ffmpegMs),
      unit: "ms",
      peer: "its start included",
    };
  } finally {
    directory.remove();
  }
}

interface Memory {
  readonly count: number;
  readonly beforeMebibytes: number;
  readonly afterMebibytes: number;
}

/** What many stills, and many transcodes that were opened and closed, leave in memory. */
export async function* pictureMemory(options: BenchOptions): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory("bench-memory");
  try {
    const file = await keyFrameFile(SMALL_CLIP, directory);
    const report = await runScript<{ stills: Memory; transcodes: Memory; leftOpen: number }>(
      "memory",
      file,
      options.quick ? QUICK_STILLS : STILLS,
    );
    for (const [what, memory] of [
      ["stills", report.stills],
      ["transcodes opened and closed", report.transcodes],
    ] as const)
      yield {
        name: `memory: growth over the last 4/5 of ${memory.count} ${what}`,
        value: memory.afterMebibytes - memory.beforeMebibytes,
        unit: "MiB",
        wanted: { atMost: GROWTH_MIB_MAX },
        peer: `${memory.afterMebibytes.toFixed(0)} MiB resident then`,
      };
    yield { name: "memory: decoders left open", value: report.leftOpen, unit: "", wanted: { atMost: 0 } };
  } finally {
    directory.remove();
  }
}

/** The clip's first access unit as a file. */
async function keyFrameFile(clip: Clip, directory: TemporaryDirectory): Promise<string> {
  const [units = []] = h264AccessUnits(splitNalUnits(readFileSync(await makeClip(clip))));
  const file = directory.join("key.h264");
  writeFileSync(file, Buffer.concat(units.flatMap((unit) => [Buffer.of(0, 0, 0, 1), unit])));
  return file;
}

async function bareDecode(file: string): Promise<Cost> {
  const output = await runToEnd(await buildProgram("bare-decode"), [file, `${STILLS_A_TURN}`]);
  const match = /^wall (\d+) cpu (\d+)$/m.exec(output);
  if (match === null) throw new Error(`bare-decode printed ${output}`);
  return { wallUs: Number(match[1]), cpuUs: Number(match[2]) };
}

async function ffmpegStill(clip: string): Promise<number> {
  const startedMs = performance.now();
  const output = ["-frames:v", "1", "-s", "64x36", "-f", "image2pipe", "-c:v", "mjpeg", "-"];
  await runToEnd("ffmpeg", ["-nostdin", "-v", "error", "-ss", "0", "-i", clip, ...output]);
  return performance.now() - startedMs;
}

async function runScript<T>(mode: string, file: string, times: number): Promise<T> {
  const script = join(REPOSITORY_ROOT, "test/bench/scripts/pictures-codec.mjs");
  const args = ["--expose-gc", script, mode, file, `${times}`];
  return JSON.parse(await runToEnd(process.execPath, args, SCRIPT_TIMEOUT_MS)) as T;
}
