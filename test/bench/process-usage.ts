import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Kernel clock ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const NS_PER_SECOND = 1e9;

/** What processes have used since they started. */
export interface ProcessUsage {
  /** User and system time, threads and reaped children included. */
  readonly cpuSeconds: number;
  /** Sum of the processes' highest resident sizes (VmHWM). */
  readonly peakBytes: number;
}

/** Usage of `roots` and all processes they started that still run. */
export function usageOf(roots: readonly number[]): ProcessUsage {
  const parents = parentsOfAll();
  let cpuSeconds = 0;
  let peakBytes = 0;
  for (const pid of withDescendants(roots, parents)) {
    const fields = statFields(pid);
    if (fields === undefined) continue;
    // utime, stime, cutime and cstime: fields 14 to 17 of proc(5), counted from the one after the name.
    const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
    cpuSeconds += ticks / TICKS_PER_SECOND;
    peakBytes += peakBytesOf(pid);
  }
  return { cpuSeconds, peakBytes };
}

/** Resident memory of `roots` and all processes they started, pages that others share by their part (PSS). */
export function pssBytesOf(roots: readonly number[]): number {
  let bytes = 0;
  for (const pid of withDescendants(roots, parentsOfAll())) {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/smaps_rollup`) ?? "");
    bytes += Number(match?.[1] ?? 0) * 1024;
  }
  return bytes;
}

/** Seconds that threads have run, by thread: to the nanosecond, where the ticks of `usageOf` are too coarse. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** Of the living threads of `roots` and of all processes they started. */
export function threadTimesOf(roots: readonly number[]): ThreadTimes {
  const times = new Map<string, number>();
  for (const pid of withDescendants(roots, parentsOfAll())) {
    for (const thread of threadsOf(pid)) {
      const [ranNs] = readProc(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ") ?? [];
      if (ranNs !== undefined) times.set(thread, Number(ranNs) / NS_PER_SECOND);
    }
  }
  return times;
}

function withDescendants(roots: readonly number[], parents: ReadonlyMap<number, number>): Set<number> {
  const all = new Set(roots);
  for (let before = -1; before !== all.size; ) {
    before = all.size;
    for (const [pid, parent] of parents) if (all.has(parent)) all.add(pid);
  }
  return all;
}

function parentsOfAll(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statFields(Number(name));
    if (fields !== undefined) parents.set(Number(name), Number(fields[1]));
  }
  return parents;
}

/** Empty once the process is gone. */
function threadsOf(pid: number): string[] {
  return existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
}

/** Fields of /proc/PID/stat from the state on (field 3); undefined once the process is gone. */
function statFields(pid: number): string[] | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function peakBytesOf(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? "");
  return Number(match?.[1] ?? 0) * 1024;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // The process ended between listing and reading it: it has no usage to add.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
