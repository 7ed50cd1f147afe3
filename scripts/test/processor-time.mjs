/**
 * The processor time of each test file, with NVRD_TEST_CPU=N in the environment: a run then ends with the N files that took
 * the most. On a machine whose processors are all busy it says what a run costs; how long a file took says how long it
 * waited.
 *
 * Each process of the tests is in a control group of its own, so that all that it starts counts, also what outlives it. That
 * needs root and control groups, which a system in a folder of another one has not. What a process uses after the end of a file counts for that file until the next one starts.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Where the control groups are, of the first version and of the second. */
const GROUPS = ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup"];

/** How many files are to be named; 0: none, and nothing is measured. */
export const COSTLIEST_FILES = Number(process.env.NVRD_TEST_CPU ?? 0);

/** Vitest reads its configuration once for each project: what is measured is one for all of them. */
const MEASURED = Symbol.for("nvrd.processor-time");
/** Milliseconds by file, and the processes that still run. */
globalThis[MEASURED] ??= { usedMs: new Map(), open: new Set() };
const { usedMs, open } = globalThis[MEASURED];

/** What one process of the tests and all that it starts use. */
class Meter {
  #group;
  #files;
  #countedMs = 0;

  constructor(pid, groups) {
    this.#group = join(groups, `nvrd-test-cpu-${pid}`);
    mkdirSync(this.#group);
    writeFileSync(join(this.#group, "cgroup.procs"), `${pid}`);
    open.add(this);
  }

  /** From now on it runs `files`. */
  runs(files) {
    this.count();
    this.#files = files.join(", ");
  }

  count() {
    if (!open.has(this)) return;
    const nowMs = this.#usedMs();
    // What it used before its first file is part of what that file costs.
    if (this.#files === undefined) return;
    usedMs.set(this.#files, (usedMs.get(this.#files) ?? 0) + nowMs - this.#countedMs);
    this.#countedMs = nowMs;
  }

  /** The process has ended. */
  end() {
    this.count();
    open.delete(this);
    try {
      rmdirSync(this.#group);
    } catch (error) {
      // It has processes that outlive this one.
      if (error.code !== "EBUSY") throw error;
    }
  }

  #usedMs() {
    const v1 = join(this.#group, "cpuacct.usage");
    if (existsSync(v1)) return Number(readFileSync(v1, "utf8")) / 1e6;
    return Number(/^usage_usec (\d+)$/m.exec(readFileSync(join(this.#group, "cpu.stat"), "utf8"))?.[1]) / 1e3;
  }
}

/** A meter of the process; undefined where nothing is measured. */
export function meterOf(pid) {
  const groups = COSTLIEST_FILES > 0 ? groupsOf(GROUPS) : undefined;
  return groups === undefined ? undefined : new Meter(pid, groups);
}

/** The first of these folders in which control groups can be made. */
export function groupsOf(folders) {
  return folders.find(isWritable);
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The processor time of each file so far, milliseconds. */
export function processorTimes() {
  for (const meter of open) meter.count();
  return [...usedMs].map(([file, ms]) => ({ file, ms }));
}

/** Lines for the files that used the most, the costliest first, and for what all used. */
export function costliestLines(times, count = COSTLIEST_FILES) {
  if (times.length === 0)
    return ["Processor time: not measured, as there are no control groups that it may use."];
  const seconds = (ms) => (ms / 1000).toFixed(1);
  const all = times.reduce((sum, { ms }) => sum + ms, 0);
  const costliest = [...times].sort((a, b) => b.ms - a.ms).slice(0, count);
  const width = Math.max(0, ...costliest.map(({ ms }) => seconds(ms).length));
  return [
    `Processor time: ${seconds(all)} s, of it:`,
    ...costliest.map(({ file, ms }) => `  ${seconds(ms).padStart(width)} s  ${file}`),
  ];
}
