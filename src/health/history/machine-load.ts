import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { US_PER_SECOND } from "../../base/index.js";
import type { MachineVitals } from "../report/machine.js";

/** What the machine did since the reading before; null where it is not known. */
interface MachineLoad {
  readonly cpuPercent: number | null;
  readonly memoryPercent: number | null;
  readonly networkInBytesPerSecond: number | null;
  readonly networkOutBytesPerSecond: number | null;
  readonly diskWriteBytesPerSecond: number | null;
  /** The warmest place. */
  readonly celsius: number | null;
}

interface Counters {
  readonly atUs: number;
  readonly cpuTicks: number | null;
  readonly cpuBusyTicks: number | null;
  readonly receivedBytes: number | null;
  readonly sentBytes: number | null;
  readonly writtenBytes: number | null;
}

/** The kernel counts sectors of this size, whatever the disk has (Documentation/admin-guide/iostats.rst). */
const SECTOR_BYTES = 512;
const PERCENT = 100;
/** A file of the kernel that is longer is cut. */
const TEXT_LENGTH_MAX = 256 * 1024;
/** Most interfaces and disks counted. */
const DEVICES_MAX = 256;

/** Turns the kernel's counters into what happened between two readings. */
export class MachineLoadReader {
  readonly #root: string;
  readonly #machine: { vitals(): Promise<MachineVitals> };
  readonly #monotonicUs: () => number;
  #before: Counters | undefined;
  /** What was found below a directory, for the names that were there. */
  readonly #found = new Map<
    string,
    { readonly names: readonly string[]; readonly devices: ReadonlySet<string> }
  >();

  /** `root`: where /proc and /sys lie. */
  constructor(options: {
    readonly root?: string;
    readonly machine: { vitals(): Promise<MachineVitals> };
    readonly monotonicUs: () => number;
  }) {
    this.#root = options.root ?? "/";
    this.#machine = options.machine;
    this.#monotonicUs = options.monotonicUs;
  }

  /** Never rejects. The first reading has no rates. */
  async read(): Promise<MachineLoad> {
    const [now, figures] = await Promise.all([this.#counters(), this.#machine.vitals()]);
    const before = this.#before;
    this.#before = now;
    const { memoryTotalBytes: total, memoryAvailableBytes: available, temperatures } = figures;
    const celsius = temperatures.map((one) => one.celsius);
    const seconds = before === undefined ? 0 : (now.atUs - before.atUs) / US_PER_SECOND;
    const rate = (count: "receivedBytes" | "sentBytes" | "writtenBytes"): number | null => {
      const grown = growth(now[count], before?.[count]);
      return grown === null || seconds <= 0 ? null : grown / seconds;
    };
    const ticks = growth(now.cpuTicks, before?.cpuTicks);
    const busy = growth(now.cpuBusyTicks, before?.cpuBusyTicks);
    return {
      cpuPercent: ticks === null || busy === null || ticks === 0 ? null : (busy / ticks) * PERCENT,
      memoryPercent:
        total === null || available === null || total === 0
          ? null
          : Math.max(0, 1 - available / total) * PERCENT,
      networkInBytesPerSecond: rate("receivedBytes"),
      networkOutBytesPerSecond: rate("sentBytes"),
      diskWriteBytesPerSecond: rate("writtenBytes"),
      celsius: celsius.length === 0 ? null : Math.max(...celsius),
    };
  }

  async #counters(): Promise<Counters> {
    const [stat, interfaces, disks, physicalNets, physicalDisks] = await Promise.all([
      this.#text("proc/stat"),
      this.#text("proc/net/dev"),
      this.#text("proc/diskstats"),
      this.#devices("sys/class/net"),
      this.#devices("sys/block"),
    ]);
    const [cpuTicks, cpuBusyTicks] = cpuOf(stat);
    const [receivedBytes, sentBytes] = networkOf(interfaces, physicalNets);
    return {
      atUs: this.#monotonicUs(),
      ...{ cpuTicks, cpuBusyTicks, receivedBytes, sentBytes },
      writtenBytes: writtenOf(disks, physicalDisks),
    };
  }

  /** Names of what has hardware behind it: not bridges, partitions, loops, RAID, which count the same bytes again. */
  async #devices(directory: string): Promise<ReadonlySet<string>> {
    const names = (await this.#names(directory)).slice(0, DEVICES_MAX);
    const found = this.#found.get(directory);
    if (found?.names.length === names.length && found.names.every((name, at) => name === names[at]))
      return found.devices;
    const isDevice = await Promise.all(
      names.map(async (name) => (await this.#names(`${directory}/${name}`)).includes("device")),
    );
    const devices = new Set(names.filter((_, index) => isDevice[index] === true));
    this.#found.set(directory, { names, devices });
    return devices;
  }

  async #text(file: string): Promise<string | undefined> {
    try {
      return (await readFile(path.join(this.#root, file), "utf8")).slice(0, TEXT_LENGTH_MAX);
    } catch {
      return undefined; // a kernel without it
    }
  }

  async #names(directory: string): Promise<readonly string[]> {
    try {
      return await readdir(path.join(this.#root, directory));
    } catch {
      return []; // a kernel without it
    }
  }
}

/** Null where a counter is not known, or began anew. */
function growth(now: number | null, before: number | null | undefined): number | null {
  if (now === null || before === null || before === undefined || now < before) return null;
  return now - before;
}

/** All ticks and those not idle: `cpu user nice system idle iowait irq softirq steal …` (proc(5)). Guests are in user. */
function cpuOf(stat: string | undefined): readonly [number | null, number | null] {
  const ticks = numbersOf(/^cpu +(.*)$/m.exec(stat ?? "")?.[1] ?? "").slice(0, 8);
  if (ticks.length < 4) return [null, null];
  const all = ticks.reduce((sum, count) => sum + count, 0);
  const [, , , idle = 0, waiting = 0] = ticks;
  return [all, all - idle - waiting];
}

/** Of the ports that have hardware; in a container none has, and all but the loopback count. */
function networkOf(
  text: string | undefined,
  physical: ReadonlySet<string>,
): readonly [number | null, number | null] {
  if (text === undefined) return [null, null];
  const lines = [...text.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)].map(
    ([, name = "", counts = ""]) => [name, numbersOf(counts)] as const,
  );
  const isAny = lines.some(([name]) => physical.has(name));
  const counted = lines.filter(([name]) => (isAny ? physical.has(name) : name !== "lo"));
  if (counted.length === 0) return [null, null];
  const sum = (column: number) => counted.reduce((all, [, counts]) => all + (counts[column] ?? 0), 0);
  return [sum(0), sum(8)];
}

/** `major minor name reads merged sectors ms writes merged sectors …`. Null without a disk. */
function writtenOf(text: string | undefined, physical: ReadonlySet<string>): number | null {
  const lines = [...(text ?? "").matchAll(/^\s*\d+\s+\d+\s+(\S+)\s+(.*)$/gm)].filter(([, name = ""]) =>
    physical.has(name),
  );
  if (lines.length === 0) return null;
  return lines.reduce((all, [, , counts = ""]) => all + (numbersOf(counts)[6] ?? 0) * SECTOR_BYTES, 0);
}

function numbersOf(text: string): readonly number[] {
  return text
    .trim()
    .split(/\s+/)
    .map(Number)
    .filter((count) => Number.isFinite(count));
}
