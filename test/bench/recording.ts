import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, type Clip, PacedSource } from "../support/service/paced-source.js";
import { pause } from "../support/service/service.js";
import type { Bench, BenchOptions, Figure, Program } from "./figure.js";
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

const MEBIBYTE = 1024 * 1024;
/** V8 compiles the frame path within its first minute, most of it in the first half. */
const SETTLE_MS = 30_000;
const QUICK_SETTLE_MS = 5000;
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

/** CPU and memory of recording paced cameras: nvrd and its peers, one after another. */
export const recordingBench: Bench = {
  name: "recording",
  about:
    "CPU a GB and memory of recording: 16 and 64 streams beside the peers; 1, 256 small and 8 large ones",
  async *run(options) {
    let usual = Number.POSITIVE_INFINITY;
    for (const shares of SHARES_MAX) {
      const costs = await besidePeers(shares.streams, options);
      yield* figuresOf(costs, shares);
      usual = costs.get("nvrd")?.cpuSecondsPerGigabyte ?? usual;
    }
    yield* single(options);
    yield* unusual({ streams: 256, clip: MANY_CLIP }, { usual, options });
    yield* unusual({ streams: 8, clip: LARGE_CLIP }, { usual, options });
  },
};

/** By the recorder's name. */
async function besidePeers(streams: number, options: BenchOptions): Promise<ReadonlyMap<Program, Cost>> {
  const recorders: readonly (readonly [Program, StartRecorder])[] = [
    ["the floor", startFloor],
    ["ffmpeg a camera", startFfmpeg],
    ...(hasPeer("mediamtx") ? [["MediaMTX", startMediamtxRecorder] as const] : []),
    ...(hasPeer("moonfire-nvr") ? [["Moonfire NVR", startMoonfireRecorder] as const] : []),
    ["nvrd", startNvrd],
  ];
  const costs = new Map<Program, Cost>();
  for (const [name, start] of recorders) {
    const settleMs = name === "nvrd" ? {} : { settleMs: COMPILED_SETTLE_MS };
    costs.set(name, await measure({ streams, clip: CAMERA_CLIP }, start, { ...options, ...settleMs }));
  }
  return costs;
}

function* figuresOf(
  costs: ReadonlyMap<Program, Cost>,
  { streams, ofMoonfire, ofFloor }: (typeof SHARES_MAX)[number],
): Generator<Figure> {
  const name = `recording ${streams} streams`;
  for (const [recorder, cost] of costs) {
    const cellOf = (work: string) => ({ cell: { work, program: recorder } });
    const cpu = { value: cost.cpuSecondsPerGigabyte, unit: "CPU s/GB" };
    yield { name: `${name}: CPU, ${recorder}`, ...cpu, ...cellOf(`record ${streams} streams, CPU s/GB`) };
    const memory = { value: cost.mebibytes, unit: "MiB", peer: "PSS" };
    yield { name: `${name}: memory, ${recorder}`, ...memory, ...cellOf(`memory, ${streams} streams, MiB`) };
  }
  const own = costs.get("nvrd");
  if (own === undefined) return;
  const share = (peer: Program): number =>
    own.cpuSecondsPerGigabyte / (costs.get(peer)?.cpuSecondsPerGigabyte ?? Number.NaN);
  const wantedShares = [
    ["the floor", ofFloor],
    ["ffmpeg a camera", 1 / 4],
    ["Moonfire NVR", ofMoonfire],
  ] as const;
  for (const [peer, atMost] of wantedShares)
    if (costs.has(peer))
      yield { name: `${name}: CPU`, value: share(peer), unit: "x", wanted: { atMost }, peer };
  const mediamtx = costs.get("MediaMTX");
  if (mediamtx !== undefined)
    yield {
      name: `${name}: memory`,
      value: own.mebibytes / mediamtx.mebibytes,
      unit: "x",
      wanted: { atMost: 1 },
      peer: "MediaMTX",
    };
  yield droppedOf(name, own);
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

function droppedOf(name: string, { droppedFrames }: Cost): Figure {
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
