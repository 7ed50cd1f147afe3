import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { type Clip, PacedSource } from "../support/service/paced-source.js";
import { pause } from "../support/service/service.js";
import { type Program, percentile } from "./figure.js";
import { pssBytesOf, type ThreadTimes, threadTimesOf } from "./process-usage.js";
import type { Recorder, StartRecorder } from "./recorders.js";

const WINDOWS = 3;

/** What a recorder cost while others recorded the same cameras. */
export interface CostAtOnce {
  /** Of each window, in their order. */
  readonly cpuSecondsPerGigabyte: readonly number[];
  readonly pssBytes: number;
}

export interface CostsAtOnce {
  readonly costs: ReadonlyMap<Program, CostAtOnce>;
  /** Of all recorders. */
  readonly droppedFrames: number;
}

export interface AtOnceOptions {
  readonly streams: number;
  readonly clip: Clip;
  /** How long all of them record before they are measured. */
  readonly settleMs: number;
  readonly windowMs: number;
}

interface Running {
  readonly program: Program;
  readonly recorder: Recorder;
}

/**
 * Measures recorders of the same cameras at once, in three windows: a machine's speed changes within minutes, and so it does for all
 * of them. Each client of the source gets the same frames.
 */
export async function measureAtOnce(
  programs: readonly (readonly [Program, StartRecorder])[],
  options: AtOnceOptions,
): Promise<CostsAtOnce> {
  const { streams, clip, settleMs } = options;
  const directories = programs.map(() => new TemporaryDirectory("bench"));
  const source = await PacedSource.start(streams, clip);
  const running: Running[] = [];
  try {
    for (const [at, [program, start]] of programs.entries()) {
      const directory = directories[at];
      if (directory === undefined) throw new RangeError("no directory");
      running.push({ program, recorder: await start(source, streams, directory) });
    }
    await Promise.all(running.map(({ recorder }) => recorder.ready));
    await pause(settleMs);
    return await inWindows(running, source, options);
  } finally {
    for (const { recorder } of running) await recorder.stop();
    await source.stop();
    for (const directory of directories) directory.remove();
  }
}

async function inWindows(
  running: readonly Running[],
  source: PacedSource,
  { windowMs }: AtOnceOptions,
): Promise<CostsAtOnce> {
  const windows = new Map<Program, number[]>(running.map(({ program }) => [program, []]));
  const first = await look(running, source);
  let before = first;
  for (let window = 0; window < WINDOWS; window++) {
    await pause(windowMs);
    const after = await look(running, source);
    const gigabytes = (after.source.sentBytes - before.source.sentBytes) / 1e9 / running.length;
    for (const { program } of running) {
      const seconds = secondsBetween(before.times.get(program), after.times.get(program));
      windows.get(program)?.push(seconds / gigabytes);
    }
    before = after;
  }
  const costs = new Map<Program, CostAtOnce>();
  for (const { program, recorder } of running) {
    const cpuSecondsPerGigabyte = windows.get(program) ?? [];
    costs.set(program, { cpuSecondsPerGigabyte, pssBytes: pssBytesOf(recorder.pids) });
  }
  return { costs, droppedFrames: before.source.droppedFrames - first.source.droppedFrames };
}

interface Look {
  readonly source: Awaited<ReturnType<PacedSource["report"]>>;
  readonly times: ReadonlyMap<Program, ThreadTimes>;
}

async function look(running: readonly Running[], source: PacedSource): Promise<Look> {
  const times = new Map<Program, ThreadTimes>();
  for (const { program, recorder } of running) times.set(program, threadTimesOf(recorder.pids));
  return { source: await source.report(), times };
}

/** What threads ran between two looks. One that ended in between is left out, one that began is not. */
function secondsBetween(before: ThreadTimes | undefined, after: ThreadTimes | undefined): number {
  let seconds = 0;
  for (const [thread, ran] of after ?? []) seconds += ran - (before?.get(thread) ?? 0);
  return seconds;
}

/** The median of one recorder's share of another's cost, window by window. */
export function medianShare(own: CostAtOnce, peer: CostAtOnce): number {
  const shares = own.cpuSecondsPerGigabyte.map(
    (cost, window) => cost / (peer.cpuSecondsPerGigabyte[window] ?? Number.NaN),
  );
  return percentile(shares, 0.5);
}
