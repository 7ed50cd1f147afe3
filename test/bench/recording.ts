import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, type Clip, PacedSource } from "../support/service/paced-source.js";
import { pause } from "../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, type Program, percentile } from "./figure.js";
import { hasPeer } from "./peers.js";
import { pssBytesOf, usageOf } from "./process-usage.js";
import {
  type StartRecorder,
  startFfmpeg,
  startFloor,
  startMediamtxRecorder,
  startMoonfireRecorder,
  startNvrd,
} from "./recorders.js";
import { type CostsAtOnce, measureAtOnce, medianShare } from "./recording-at-once.js";

const MEBIBYTE = 1024 * 1024;
/** V8 compiles the frame path within its first minute, most of it in the first half. */
const SETTLE_MS = 30_000;
const QUICK_SETTLE_MS = 5000;
/** Of the three that record at once: each of the three windows. */
const WINDOW_AT_ONCE_MS = 10_000;
const QUICK_WINDOW_AT_ONCE_MS = 5000;
/** Peers are compiled before they start: nothing of them gets quicker within their first minute. */
const COMPILED_SETTLE_MS = 5000;
const SINGLE_SETTLE_MS = 45_000;
const WINDOW_MS = 15_000;
const QUICK_WINDOW_MS = 10_000;
const SINGLE_CORE_PERCENT_MAX = 0.4;
/** What an unusual load may cost a GB, in usual ones. */
const UNUSUAL_MAX = 1.5;
/** With these many streams, what nvrd may cost of the peer and of the floor. */
const SHARES_MAX: readonly {
  readonly streams: number;
  readonly ofMoonfire: number;
  readonly ofFloor: number;
}[] = [
  { streams: 16, ofMoonfire: 0.6, ofFloor: 1 },
  { streams: 64, ofMoonfire: 0.5, ofFloor: 0.7 },
];
/** What nvrd may cost of an ffmpeg for each camera. */
const OF_FFMPEG_MAX = 1 / 4;
const MANY_CLIP: Clip = { ...CAMERA_CLIP, width: 1280, height: 720, kilobitsPerSecond: 1000 };
const LARGE_CLIP: Clip = { ...CAMERA_CLIP, width: 3840, height: 2160, kilobitsPerSecond: 32_000, seconds: 4 };

interface Cost {
  readonly cpuSecondsPerGigabyte: number;
  readonly corePercent: number;
  readonly mebibytes: number;
  readonly droppedFrames: number;
}

interface Load {
  readonly streams: number;
  readonly clip: Clip;
}

/**
 * CPU and memory of recording paced cameras: nvrd, the floor and Moonfire NVR at once, the other peers one after another.
 */
export const recordingBench: Bench = {
  name: "recording",
  about:
    "CPU a GB and memory of recording: 16 and 64 streams beside the peers; 1, 256 small and 8 large ones",
  async *run(options) {
    let usual = Number.POSITIVE_INFINITY;
    for (const shares of SHARES_MAX) {
      const beside = await besidePeers(shares.streams, options);
      yield* figuresOf(beside, shares);
      const windows = beside.atOnce.costs.get("nvrd")?.cpuSecondsPerGigabyte ?? [usual];
      usual = percentile(windows, 0.5);
    }
    yield* single(options);
    yield* unusual({ streams: 256, clip: MANY_CLIP }, { usual, options });
    yield* unusual({ streams: 8, clip: LARGE_CLIP }, { usual, options });
  },
};

/** What was measured of a load with all recorders. */
interface Beside {
  readonly atOnce: CostsAtOnce;
  /** One after another, by the recorder's name. */
  readonly alone: ReadonlyMap<Program, Cost>;
}

async function besidePeers(streams: number, options: BenchOptions): Promise<Beside> {
  const together: readonly (readonly [Program, StartRecorder])[] = [
    ["nvrd", startNvrd],
    ...(hasPeer("moonfire-nvr") ? [["Moonfire NVR", startMoonfireRecorder] as const] : []),
    ["the floor", startFloor],
  ];
  const others: readonly (readonly [Program, StartRecorder])[] = [
    ["ffmpeg a camera", startFfmpeg],
    ...(hasPeer("mediamtx") ? [["MediaMTX", startMediamtxRecorder] as const] : []),
  ];
  const alone = new Map<Program, Cost>();
  for (const [name, start] of others) {
    const settling = { ...options, settleMs: COMPILED_SETTLE_MS };
    alone.set(name, await measure({ streams, clip: CAMERA_CLIP }, start, settling));
  }
  const settleMs = options.quick ? QUICK_SETTLE_MS : SETTLE_MS;
  const windowMs = options.quick ? QUICK_WINDOW_AT_ONCE_MS : WINDOW_AT_ONCE_MS;
  const atOnce = await measureAtOnce(together, { streams, clip: CAMERA_CLIP, settleMs, windowMs });
  return { atOnce, alone };
}

/** Of all recorders: for those at once the median of the windows. */
function* costsOf({ atOnce, alone }: Beside): Generator<readonly [Program, number, number]> {
  for (const [program, { cpuSecondsPerGigabyte, pssBytes }] of atOnce.costs)
    yield [program, percentile(cpuSecondsPerGigabyte, 0.5), pssBytes / MEBIBYTE];
  for (const [program, { cpuSecondsPerGigabyte, mebibytes }] of alone)
    yield [program, cpuSecondsPerGigabyte, mebibytes];
}

function* figuresOf(beside: Beside, shares: (typeof SHARES_MAX)[number]): Generator<Figure> {
  const { streams } = shares;
  const name = `recording ${streams} streams`;
  for (const [program, value, mebibytes] of costsOf(beside)) {
    const cellOf = (work: string) => ({ cell: { work, program } });
    const how = beside.atOnce.costs.has(program) ? "at once, median of three windows" : "by itself";
    const cpu = { value, unit: "CPU s/GB", peer: how };
    yield { name: `${name}: CPU, ${program}`, ...cpu, ...cellOf(`record ${streams} streams, CPU s/GB`) };
    const memory = { value: mebibytes, unit: "MiB", peer: "PSS" };
    yield { name: `${name}: memory, ${program}`, ...memory, ...cellOf(`memory, ${streams} streams, MiB`) };
  }
  yield* sharesOf(name, beside, shares);
  yield {
    ...droppedOf(name, beside.atOnce),
    peer: [...beside.atOnce.costs.keys()].join(", "),
  };
}

function* sharesOf(
  name: string,
  { atOnce, alone }: Beside,
  { ofMoonfire, ofFloor }: (typeof SHARES_MAX)[number],
): Generator<Figure> {
  const own = atOnce.costs.get("nvrd");
  if (own === undefined) return;
  const wantedShares = [
    ["the floor", ofFloor],
    ["Moonfire NVR", ofMoonfire],
  ] as const;
  for (const [program, atMost] of wantedShares) {
    const peer = atOnce.costs.get(program);
    if (peer !== undefined)
      yield {
        name: `${name}: CPU`,
        value: medianShare(own, peer),
        unit: "x",
        wanted: { atMost },
        peer: `${program}, median of the windows' shares`,
      };
  }
  const ffmpeg = alone.get("ffmpeg a camera");
  const ownCpu = percentile(own.cpuSecondsPerGigabyte, 0.5);
  if (ffmpeg !== undefined)
    yield {
      name: `${name}: CPU`,
      value: ownCpu / ffmpeg.cpuSecondsPerGigabyte,
      unit: "x",
      wanted: { atMost: OF_FFMPEG_MAX },
      peer: "ffmpeg a camera",
    };
  const mediamtx = alone.get("MediaMTX");
  if (mediamtx !== undefined)
    yield {
      name: `${name}: memory`,
      value: own.pssBytes / MEBIBYTE / mediamtx.mebibytes,
      unit: "x",
      wanted: { atMost: 1 },
      peer: "MediaMTX",
    };
}

async function* single(options: BenchOptions): AsyncGenerator<Figure> {
  const settling = { ...options, settleMs: SINGLE_SETTLE_MS };
  const cost = await measure({ streams: 1, clip: CAMERA_CLIP }, startNvrd, settling);
  const wanted = { atMost: SINGLE_CORE_PERCENT_MAX };
  const peer = `all threads, after ${SINGLE_SETTLE_MS / 1000} s`;
  const cell = { work: "record 1 stream, % of a core", program: "nvrd" } as const;
  yield { name: "recording 1 stream: CPU", value: cost.corePercent, unit: "% of a core", wanted, peer, cell };
}

async function* unusual(
  load: Load,
  { usual, options }: { readonly usual: number; readonly options: BenchOptions },
): AsyncGenerator<Figure> {
  const { streams, clip } = load;
  const name = `recording ${streams} streams of ${clip.kilobitsPerSecond / 1000} Mbit/s`;
  const cost = await measure(load, startNvrd, options);
  yield {
    name: `${name}: CPU`,
    value: cost.cpuSecondsPerGigabyte,
    unit: "CPU s/GB",
    wanted: { atMost: usual * UNUSUAL_MAX },
    peer: `${UNUSUAL_MAX} x 64 streams of ${CAMERA_CLIP.kilobitsPerSecond / 1000} Mbit/s`,
    cell: {
      work: `record ${streams} streams of ${clip.kilobitsPerSecond / 1000} Mbit/s, CPU s/GB`,
      program: "nvrd",
    },
  };
  yield droppedOf(name, cost);
}

function droppedOf(name: string, { droppedFrames }: Pick<Cost, "droppedFrames">): Figure {
  return {
    name: `${name}: frames the source dropped`,
    value: droppedFrames,
    unit: "",
    wanted: { atMost: 0 },
    peer: "nvrd reads in time",
  };
}

interface Settling extends BenchOptions {
  /** How long the recorder works before it is measured; default: as long as nvrd. */
  readonly settleMs?: number;
}

async function measure({ streams, clip }: Load, start: StartRecorder, options: Settling): Promise<Cost> {
  const directory = new TemporaryDirectory("bench");
  const source = await PacedSource.start(streams, clip);
  try {
    const recorder = await start(source, streams, directory);
    try {
      await recorder.ready;
      await pause(options.settleMs ?? (options.quick ? QUICK_SETTLE_MS : SETTLE_MS));
      const before = { usage: usageOf(recorder.pids), source: await source.report(), ms: performance.now() };
      await pause(options.quick ? QUICK_WINDOW_MS : WINDOW_MS);
      const after = { usage: usageOf(recorder.pids), source: await source.report(), ms: performance.now() };
      const gigabytes = (after.source.sentBytes - before.source.sentBytes) / 1e9;
      const cpuSeconds = after.usage.cpuSeconds - before.usage.cpuSeconds;
      return {
        cpuSecondsPerGigabyte: cpuSeconds / gigabytes,
        corePercent: (cpuSeconds / (after.ms - before.ms)) * 100_000,
        mebibytes: pssBytesOf(recorder.pids) / MEBIBYTE,
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
