import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, type Clip, PacedSource } from "../support/service/paced-source.js";
import { pause } from "../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, type Program, percentile } from "./figure.js";
import { hasPeer } from "./peers.js";
import { pssBytesOf, threadTimesOf } from "./process-usage.js";
import {
  type Recorder,
  type StartRecorder,
  startBatchedFloor,
  startFfmpeg,
  startFloor,
  startMediamtxRecorder,
  startMoonfireRecorder,
  startNvrd,
} from "./recorders.js";
import { type CostsAtOnce, measureAtOnce, medianShare, secondsBetween } from "./recording-at-once.js";

const MEBIBYTE = 1024 * 1024;
/** V8 compiles the frame path within its first minute or two, most of it in the first half: a recorder runs for years. */
const SETTLE_MS = 75_000;
const QUICK_SETTLE_MS = 5000;
/** Of those that record at once: each of the three windows. */
const WINDOW_AT_ONCE_MS = 10_000;
const QUICK_WINDOW_AT_ONCE_MS = 5000;
/** Peers are compiled before they start: nothing of them gets quicker within their first minute. */
const COMPILED_SETTLE_MS = 5000;
/** With one camera the same takes longer. */
const SINGLE_SETTLE_MS = 120_000;
/** It takes a hundredth of a core. */
const SINGLE_WINDOW_MS = 30_000;
const QUICK_SINGLE_SETTLE_MS = 45_000;
/** Until here V8 compiles most: what is measured from half of it on is reported as well. */
const FIRST_MS = 30_000;
const WINDOW_MS = 15_000;
const QUICK_WINDOW_MS = 10_000;
const SINGLE_CORE_PERCENT_MAX = 0.4;
/** What an unusual load may cost a GB, in usual ones. */
const UNUSUAL_MAX = 1.5;
/** With these many streams, what nvrd may cost of the peer and of the floors. */
const SHARES_MAX: readonly {
  readonly streams: number;
  readonly ofMoonfire: number;
  readonly ofFloor: number;
  readonly ofBatchedFloor: number;
}[] = [
  { streams: 16, ofMoonfire: 0.6, ofFloor: 1, ofBatchedFloor: 2 },
  { streams: 64, ofMoonfire: 0.5, ofFloor: 0.7, ofBatchedFloor: 1.8 },
];
/** What nvrd may cost of an ffmpeg for each camera. */
const OF_FFMPEG_MAX = 1 / 4;
const MANY_CLIP: Clip = { ...CAMERA_CLIP, width: 1280, height: 720, kilobitsPerSecond: 1000 };
const LARGE_CLIP: Clip = { ...CAMERA_CLIP, width: 3840, height: 2160, kilobitsPerSecond: 32_000, seconds: 4 };

interface WindowCost {
  readonly cpuSecondsPerGigabyte: number;
  readonly corePercent: number;
  readonly droppedFrames: number;
}

interface Cost extends WindowCost {
  /** In the first half minute; undefined where that was not looked at. */
  readonly first: WindowCost | undefined;
  /** How long it had recorded before its window. */
  readonly settledSeconds: number;
  readonly mebibytes: number;
}

interface Load {
  readonly streams: number;
  readonly clip: Clip;
}

/**
 * CPU and memory of recording paced cameras: nvrd, the floors and Moonfire NVR at once, the other peers one after another.
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
    yield* byItself(usual, options);
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
    ["the batched floor", startBatchedFloor],
  ];
  const others: readonly (readonly [Program, StartRecorder])[] = [
    ["ffmpeg a camera", startFfmpeg],
    ...(hasPeer("mediamtx") ? [["MediaMTX", startMediamtxRecorder] as const] : []),
  ];
  const alone = new Map<Program, Cost>();
  const measureOthers = async (): Promise<void> => {
    for (const [name, start] of others)
      alone.set(name, await measure(load, start, { ...options, settleMs: COMPILED_SETTLE_MS }));
  };
  const load = { streams, clip: CAMERA_CLIP };
  if (options.quick) {
    await measureOthers();
    const windows = { settleMs: QUICK_SETTLE_MS, windowMs: QUICK_WINDOW_AT_ONCE_MS };
    return { atOnce: await measureAtOnce(together, { ...load, ...windows }), alone };
  }
  // The others take their turns while V8 compiles: they end before the windows begin.
  const windows = { settleMs: SETTLE_MS, windowMs: WINDOW_AT_ONCE_MS, meanwhile: measureOthers };
  return { atOnce: await measureAtOnce(together, { ...load, ...windows }), alone };
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
    const how = beside.atOnce.costs.has(program)
      ? "at once, median of three windows"
      : "in its turn, by itself";
    const cpu = { value, unit: "CPU s/GB", peer: how };
    yield { name: `${name}: CPU, ${program}`, ...cpu, ...cellOf(`record ${streams} streams, CPU s/GB`) };
    const first = beside.atOnce.costs.get(program)?.firstCpuSecondsPerGigabyte;
    if (first !== undefined)
      yield { name: `${name}: CPU in the first half minute, ${program}`, value: first, unit: "CPU s/GB" };
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
  { ofMoonfire, ofFloor, ofBatchedFloor }: (typeof SHARES_MAX)[number],
): Generator<Figure> {
  const own = atOnce.costs.get("nvrd");
  if (own === undefined) return;
  const wantedShares = [
    ["the floor", ofFloor],
    ["the batched floor", ofBatchedFloor],
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

/**
 * nvrd with one camera, and with loads that are unusual: one after another in a short run. Else all begin at once, so that they settle
 * together, and what one camera costs is measured when the others have ended.
 */
async function* byItself(usual: number, options: BenchOptions): AsyncGenerator<Figure> {
  const one: Load = { streams: 1, clip: CAMERA_CLIP };
  const loads: readonly Load[] = [
    { streams: 256, clip: MANY_CLIP },
    { streams: 8, clip: LARGE_CLIP },
  ];
  if (options.quick) {
    yield* single(await measure(one, startNvrd, { ...options, settleMs: QUICK_SINGLE_SETTLE_MS }));
    for (const load of loads)
      yield* unusual(load, await measure(load, startNvrd, settlingOf(options)), usual);
    return;
  }
  const others = Promise.all(
    loads.map((load) => measure(load, startNvrd, { ...settlingOf(options), firstMs: FIRST_MS })),
  );
  const settling = {
    ...options,
    settleMs: SINGLE_SETTLE_MS,
    firstMs: FIRST_MS,
    windowMs: SINGLE_WINDOW_MS,
    after: others,
  };
  const [cost, costs] = await Promise.all([measure(one, startNvrd, settling), others]);
  yield* single(cost);
  for (const [at, load] of loads.entries()) yield* unusual(load, costs[at], usual);
}

const settlingOf = (options: BenchOptions): Settling => ({
  ...options,
  settleMs: options.quick ? QUICK_SETTLE_MS : SETTLE_MS,
});

function* single(cost: Cost): Generator<Figure> {
  const unit = "% of a core";
  if (cost.first !== undefined)
    yield { name: "recording 1 stream: CPU in the first half minute", value: cost.first.corePercent, unit };
  const wanted = { atMost: SINGLE_CORE_PERCENT_MAX };
  const peer = `all threads, ${Math.round(cost.settledSeconds)} s after its first second was recorded`;
  const cell = { work: "record 1 stream, % of a core", program: "nvrd" } as const;
  yield { name: "recording 1 stream: CPU", value: cost.corePercent, unit, wanted, peer, cell };
}

function* unusual({ streams, clip }: Load, cost: Cost | undefined, usual: number): Generator<Figure> {
  if (cost === undefined) throw new RangeError("a load was not measured");
  const kind = `${streams} streams of ${clip.kilobitsPerSecond / 1000} Mbit/s`;
  const name = `recording ${kind}`;
  const unit = "CPU s/GB";
  if (cost.first !== undefined)
    yield { name: `${name}: CPU in the first half minute`, value: cost.first.cpuSecondsPerGigabyte, unit };
  yield {
    ...{ name: `${name}: CPU`, value: cost.cpuSecondsPerGigabyte, unit },
    wanted: { atMost: usual * UNUSUAL_MAX },
    peer: `${UNUSUAL_MAX} x 64 streams of ${CAMERA_CLIP.kilobitsPerSecond / 1000} Mbit/s`,
    cell: { work: `record ${kind}, CPU s/GB`, program: "nvrd" },
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
  /** How long the recorder works before it is measured. */
  readonly settleMs: number;
  /** What it costs in the second half of this time, from its begin on, is measured too; absent: it is not. */
  readonly firstMs?: number;
  /** How long it is measured; default: as the run is. */
  readonly windowMs?: number;
  /** It is not measured before this. */
  readonly after?: Promise<unknown>;
}

async function measure({ streams, clip }: Load, start: StartRecorder, options: Settling): Promise<Cost> {
  const { settleMs, firstMs = 0, quick, after } = options;
  const directory = new TemporaryDirectory("bench");
  const source = await PacedSource.start(streams, clip);
  try {
    const recorder = await start(source, streams, directory);
    try {
      await recorder.ready;
      const readyMs = performance.now();
      const first = firstMs === 0 ? undefined : await firstWindow(recorder, source, firstMs);
      await Promise.all([pause(Math.max(0, settleMs - firstMs)), after]);
      const settledSeconds = (performance.now() - readyMs) / 1000;
      const window = await windowOf(
        recorder,
        source,
        options.windowMs ?? (quick ? QUICK_WINDOW_MS : WINDOW_MS),
      );
      return { ...window, first, settledSeconds, mebibytes: pssBytesOf(recorder.pids) / MEBIBYTE };
    } finally {
      await recorder.stop();
    }
  } finally {
    await source.stop();
    directory.remove();
  }
}

async function firstWindow(recorder: Recorder, source: PacedSource, firstMs: number): Promise<WindowCost> {
  await pause(firstMs / 2);
  return await windowOf(recorder, source, firstMs / 2);
}

async function windowOf(recorder: Recorder, source: PacedSource, windowMs: number): Promise<WindowCost> {
  const look = async () => ({
    times: threadTimesOf(recorder.pids),
    source: await source.report(),
    ms: performance.now(),
  });
  const before = await look();
  await pause(windowMs);
  const after = await look();
  const gigabytes = (after.source.sentBytes - before.source.sentBytes) / 1e9;
  const cpuSeconds = secondsBetween(before.times, after.times);
  return {
    cpuSecondsPerGigabyte: cpuSeconds / gigabytes,
    corePercent: (cpuSeconds / (after.ms - before.ms)) * 100_000,
    droppedFrames: after.source.droppedFrames - before.source.droppedFrames,
  };
}
