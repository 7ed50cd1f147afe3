import { readdir, readFile, statfs } from "node:fs/promises";
import path from "node:path";
import { spaceOf, type VolumeSpace } from "../../archive/index.js";
import { BYTES_PER_KIB, memoryGroups } from "../../base/index.js";

/** The machine's own figures; null if not available. */
export interface MachineFigures {
  readonly memoryTotalBytes: number | null;
  /** Memory available to programs without swapping (MemAvailable of proc(5)). */
  readonly memoryAvailableBytes: number | null;
  /** Memory that the control groups of the service still allow, without the page cache; null without a limit. */
  readonly groupAvailableBytes: number | null;
  /** Processes that run or wait for the processor or a disk, averaged over 1, 5 and 15 minutes. */
  readonly load: readonly [number, number, number] | null;
  readonly uptimeSeconds: number | null;
  readonly temperatures: readonly Temperature[];
  /** Open files of this process. */
  readonly openFiles: number | null;
  /** The disk of the data directory: configuration, index and events. */
  readonly systemDisk: VolumeSpace | null;
}

/** A thermal zone of the kernel. */
export interface Temperature {
  /** As the kernel's driver calls it: `cpu-thermal`. */
  readonly zone: string;
  readonly celsius: number;
  /** Where the kernel switches the machine off; null where the zone has no such point. */
  readonly criticalCelsius: number | null;
}

/** Those of them that are looked at each minute. */
export type MachineVitals = Pick<MachineFigures, "memoryTotalBytes" | "memoryAvailableBytes"> & {
  readonly temperatures: readonly Pick<Temperature, "zone" | "celsius">[];
};

export interface MachineOptions {
  /** Where /proc and /sys lie; a test has its own. */
  readonly root?: string;
  readonly dataDir: string;
}

/** Most thermal zones looked at, and trip points of each: boards have up to a dozen. */
const ZONES_MAX = 32;
const TRIP_POINTS_MAX = 16;
/** The kernel's files are short; a longer one is ignored. */
const TEXT_LENGTH_MAX = 64 * 1024;
const MILLIDEGREES = 1000;
/** A missing sensor returns nonsense. */
const CELSIUS_MIN = -60;
const CELSIUS_MAX = 250;

/** Reads /proc and /sys: some sensors take milliseconds to answer, so nothing here is synchronous. */
export class Machine {
  readonly #root: string;
  readonly #dataDir: string;

  constructor({ root = "/", dataDir }: MachineOptions) {
    this.#root = root;
    this.#dataDir = dataDir;
  }

  /** Never rejects: what cannot be read is null. */
  async read(): Promise<MachineFigures> {
    const [memory, groupAvailableBytes, load, uptime, temperatures, files, systemDisk] = await Promise.all([
      this.#text("proc/meminfo"),
      this.#groupAvailable(),
      this.#text("proc/loadavg"),
      this.#text("proc/uptime"),
      this.#temperatures(true),
      this.#names("proc/self/fd"),
      this.#systemDisk(),
    ]);
    return {
      memoryTotalBytes: kibibytes(memory, "MemTotal"),
      memoryAvailableBytes: kibibytes(memory, "MemAvailable"),
      groupAvailableBytes,
      load: loadOf(load),
      uptimeSeconds: numberOf(uptime?.split(" ")[0]),
      temperatures,
      openFiles: files === undefined ? null : files.length,
      systemDisk,
    };
  }

  /** As `read`, of fewer files. */
  async vitals(): Promise<MachineVitals> {
    const [memory, temperatures] = await Promise.all([this.#text("proc/meminfo"), this.#temperatures(false)]);
    return {
      memoryTotalBytes: kibibytes(memory, "MemTotal"),
      memoryAvailableBytes: kibibytes(memory, "MemAvailable"),
      temperatures,
    };
  }

  async #groupAvailable(): Promise<number | null> {
    const left = await Promise.all(memoryGroups(this.#root).map((group) => this.#availableOf(group)));
    return left.reduce(
      (least, bytes) => (least === null || (bytes !== null && bytes < least) ? bytes : least),
      null,
    );
  }

  /** Files of version 2, else of version 1. */
  async #availableOf(group: string): Promise<number | null> {
    const read = async (name: string) =>
      (await this.#text(path.relative(this.#root, path.join(group, name))))?.trim();
    const [max, high, current, stat, limit, usage] = await Promise.all(
      [
        "memory.max",
        "memory.high",
        "memory.current",
        "memory.stat",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
      ].map(read),
    );
    const limits = [max, high, limit].map(numberOf).filter((bytes) => bytes !== null);
    const used = numberOf(current ?? usage);
    // Version 1 says 2^63 less a page where there is no limit.
    if (used === null || limits.length === 0 || Math.min(...limits) > Number.MAX_SAFE_INTEGER) return null;
    // Of the group and those below it: `total_` in version 1.
    const line = (name: string) => numberOf(new RegExp(`^${name} (\\d+)$`, "m").exec(stat ?? "")?.[1]);
    const cached = (name: string) => line(`total_${name}`) ?? line(name) ?? 0;
    return Math.max(0, Math.min(...limits) - used + cached("inactive_file") + cached("active_file"));
  }

  async #temperatures(withCritical: boolean): Promise<readonly Temperature[]> {
    const names = (await this.#names("sys/class/thermal")) ?? [];
    const zones = names.filter((name) => /^thermal_zone\d+$/.test(name)).slice(0, ZONES_MAX);
    const read = await Promise.all(
      zones.map((name) => this.#temperature(`sys/class/thermal/${name}`, withCritical)),
    );
    return read.filter((temperature) => temperature !== undefined);
  }

  async #temperature(directory: string, withCritical: boolean): Promise<Temperature | undefined> {
    const [type, text] = await Promise.all([
      this.#text(`${directory}/type`),
      this.#text(`${directory}/temp`),
    ]);
    const celsius = celsiusOf(text);
    if (type === undefined || celsius === null) return undefined;
    const criticalCelsius = withCritical ? await this.#critical(directory) : null;
    return { zone: type.trim(), celsius, criticalCelsius };
  }

  async #critical(directory: string): Promise<number | null> {
    for (let index = 0; index < TRIP_POINTS_MAX; index++) {
      const type = await this.#text(`${directory}/trip_point_${index}_type`);
      if (type === undefined) return null;
      if (type.trim() === "critical")
        return celsiusOf(await this.#text(`${directory}/trip_point_${index}_temp`));
    }
    return null;
  }

  async #systemDisk(): Promise<MachineFigures["systemDisk"]> {
    try {
      return spaceOf(await statfs(this.#dataDir));
    } catch {
      return null; // unknown is what null says
    }
  }

  /** Undefined where there is no such file, or no sensor behind it. */
  async #text(file: string): Promise<string | undefined> {
    try {
      return (await readFile(path.join(this.#root, file), "utf8")).slice(0, TEXT_LENGTH_MAX);
    } catch {
      return undefined;
    }
  }

  async #names(directory: string): Promise<readonly string[] | undefined> {
    try {
      return await readdir(path.join(this.#root, directory));
    } catch {
      return undefined;
    }
  }
}

function kibibytes(text: string | undefined, name: string): number | null {
  const count = numberOf(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text ?? "")?.[1]);
  return count === null ? null : count * BYTES_PER_KIB;
}

function loadOf(text: string | undefined): MachineFigures["load"] {
  const [one, five, fifteen] = (text ?? "").split(" ").map(numberOf);
  if (one == null || five == null || fifteen == null) return null;
  return [one, five, fifteen];
}

function celsiusOf(text: string | undefined): number | null {
  const thousandths = numberOf(text?.trim());
  if (thousandths === null) return null;
  const celsius = thousandths / MILLIDEGREES;
  return celsius > CELSIUS_MIN && celsius < CELSIUS_MAX ? celsius : null;
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}
