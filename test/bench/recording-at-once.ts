import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { type Clip, PacedSource } from "../support/service/paced-source.js";
import { pause } from "../support/service/service.js";
import { type Program, percentile } from "./figure.js";
import { pssBytesOf, type ThreadTimes, threadTimesOf } from "./process-usage.js";
import type { Recorder, StartRecorder } from "./recorders.js";

const WINDOWS = 3;
/** The first window is from here on, */
const FIRST_FROM_MS = 15_000;
/** and as long: what V8 compiles first is behind it, and the rest is not. */
const FIRST_MS = 15_000;

/** What a recorder cost while others recorded the same cameras. */
export interface CostAtOnce {
  /** In the first half minute; undefined where that was not looked at. */
  readonly firstCpuSecondsPerGigabyte: number | undefined;
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
  /** What is done after the first half minute, which is measured then: the windows begin when it has ended, too. */
  readonly meanwhile?: () => Promise<void>;
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
  const { streams, clip, settleMs, meanwhile } = options;
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
    const first = meanwhile === undefined ? undefined : await firstHalfMinute(running, source);
    const settledMs = first === undefined ? 0 : FIRST_FROM_MS + FIRST_MS;
    await Promise.all([pause(Math.max(0, settleMs - settledMs)), meanwhile?.()]);
    return await inWindows({ running, source, first }, options);
  } finally {
    for (const { recorder } of running) await recorder.stop();
    await source.stop();
    for (const directory of directories) directory.remove();
  }
}

/** CPU seconds a GB of each. */
async function firstHalfMinute(
  running: readonly Running[],
  source: PacedSource,
): Promise<ReadonlyMap<Program, number>> {
  await pause(FIRST_FROM_MS);
  const before = await look(running, source);
  await pause(FIRST_MS);
  return costsBetween(running, before, await look(running, source));
}

interface Settled {
  readonly running: readonly Running[];
  readonly source: PacedSource;
  readonly first: ReadonlyMap<Program, number> | undefined;
}

async function inWindows(
  { running, source, first }: Settled,
  { windowMs }: AtOnceOptions,
): Promise<CostsAtOnce> {
  const windows = new Map<Program, number[]>(running.map(({ program }) => [program, []]));
  const begin = await look(running, source);
  let before = begin;
  for (let window = 0; window < WINDOWS; window++) {
    await pause(windowMs);
    const after = await look(running, source);
    for (const [program, cost] of costsBetween(running, before, after)) windows.get(program)?.push(cost);
    before = after;
  }
  const costs = new Map<Program, CostAtOnce>();
  for (const { program, recorder } of running) {
    const cpuSecondsPerGigabyte = windows.get(program) ?? [];
    const firstCpuSecondsPerGigabyte = first?.get(program);
    const pssBytes = pssBytesOf(recorder.pids);
    costs.set(program, { firstCpuSecondsPerGigabyte, cpuSecondsPerGigabyte, pssBytes });
  }
  return { costs, droppedFrames: before.source.droppedFrames - begin.source.droppedFrames };
}

/** CPU seconds a GB of each program between two looks. */
function costsBetween(running: readonly Running[], before: Look, after: Look): ReadonlyMap<Program, number> {
  const gigabytes = (after.source.sentBytes - before.source.sentBytes) / 1e9 / running.length;
  return new Map(
    running.map(({ program }) => [
      program,
      secondsBetween(before.times.get(program), after.times.get(program)) / gigabytes,
    ]),
  );
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
export function secondsBetween(before: ThreadTimes | undefined, after: ThreadTimes | undefined): number {
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
