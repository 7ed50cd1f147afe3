import { type Clock, type ClockTimer, errorText, type Log } from "../../base/index.js";
import type { AnnouncedDisks } from "./announced-disks.js";
import { type BlockDisk, BlockDiskReader } from "./block-disks.js";
import { type DiskChange, DiskChanges, isSameAnnounced, type SeenDisk } from "./disk-changes.js";
import type { DiskHistory } from "./disk-history.js";
import { type AskDiskNames, type DiskNames, NO_DISK_NAMES } from "./disk-names.js";
import type { DiskState, DiskStates } from "./disk-state.js";
import { isSameDisk, type SmartSource } from "./smart-source.js";
import type { SystemFiles } from "./system-files.js";
import { disksUnder } from "./volume-disks.js";
import { WatchedDisk } from "./watched-disk.js";

/** After the start: recording comes first. */
export const FIRST_LOOK_MS = 5000;
/** How often the list of disks is checked, and whether one is due to be asked. */
export const DISK_LOOK_MS = 60_000;
/** How often names and places are queried, and all is read of each disk, while no disk appears or disappears. */
export const DISK_NAMES_INTERVAL_US = 3600 * 1_000_000;
/** Most disks whose faults are reported together; the rest is in their summaries. */
const PROBLEMS_LISTED_MAX = 3;

const GOOD_NEWS: ReadonlySet<DiskChange["kind"]> = new Set(["appeared", "well", "cool"]);

/** A directory that is recorded into. */
export interface WatchedVolume {
  readonly path: string;
  /** The drive's workload rating, where it is known. */
  readonly workloadTbPerYear?: number;
}

export interface DiskWatchOptions {
  readonly volumes: readonly WatchedVolume[];
  readonly files: SystemFiles;
  readonly names: AskDiskNames;
  readonly smart: SmartSource;
  readonly announced: AnnouncedDisks;
  readonly onChange: (change: DiskChange) => void;
  /** Remembers what the disks say of themselves. */
  readonly history?: Pick<DiskHistory, "load" | "note" | "stop">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Monitors the machine's disks: which exist, what is on them, their health. Reports changes. */
export class DiskWatch implements DiskStates {
  readonly #options: DiskWatchOptions;
  readonly #changes = new DiskChanges();
  readonly #watched = new Map<string, WatchedDisk>();
  #timers: ClockTimer[] = [];
  #looking: Promise<void> | undefined;
  readonly #blockDisks: BlockDiskReader;
  #found: readonly BlockDisk[] = [];
  #names: DiskNames = NO_DISK_NAMES;
  #namesUs = Number.NEGATIVE_INFINITY;
  #namesProblem: string | undefined;
  /** By the path of the settings: names of the disks that it lies on. */
  #places: ReadonlyMap<string, readonly string[]> = new Map();
  #disks: readonly DiskState[] | undefined;
  #isStopped = false;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#blockDisks = new BlockDiskReader(options.files);
  }

  get disks(): readonly DiskState[] | undefined {
    return this.#disks;
  }

  get problem(): string | undefined {
    const { smart } = this.#options;
    const ofDisks = this.#found
      .map((disk) => ({ disk, problem: smart.of(disk)?.problem }))
      .filter(({ problem }) => problem !== undefined);
    const listed = ofDisks
      .slice(0, PROBLEMS_LISTED_MAX)
      .map(({ disk, problem }) => `${disk.device}: ${problem}`);
    const more = ofDisks.length - listed.length;
    const parts = [smart.problem, this.#namesProblem, ...listed, more > 0 ? `${more} more disks` : undefined];
    return parts.filter((part) => part !== undefined).join("; ") || undefined;
  }

  start(): void {
    const { clock, announced, history } = this.#options;
    announced.load();
    history?.load();
    this.#timers = [
      clock.setTimeout(() => void this.look(), FIRST_LOOK_MS),
      clock.setInterval(() => void this.look(), DISK_LOOK_MS),
    ];
  }

  /** Waits for no disk that is being asked. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.splice(0)) timer.clear();
    await this.#options.announced.saved();
    await this.#options.history?.stop();
  }

  /** Checks once; joins a check that is under way. Resolves before the disks that are due have answered. */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { smart, clock, log } = this.#options;
    try {
      const isLongAgo = clock.monotonicUs() - this.#namesUs >= DISK_NAMES_INTERVAL_US;
      const found = await this.#blockDisks.read(isLongAgo);
      const isOther = found.length !== this.#found.length || !found.every((disk) => this.#wasThere(disk));
      this.#found = found;
      await this.#askNames(isOther);
      this.#places = await this.#findPlaces();
      // A disk that hangs is not waited for: the present state is reported now, and again when all have answered.
      void smart.refresh(found).then(() => this.#update());
      this.#update();
    } catch (error) {
      log.error(`the disks cannot be looked at: ${errorText(error)}`);
    }
  }

  #wasThere(disk: BlockDisk): boolean {
    return this.#found.some((before) => isSameDisk(before, disk));
  }

  async #askNames(isOther: boolean): Promise<void> {
    const { clock, names, volumes, log } = this.#options;
    const nowUs = clock.monotonicUs();
    if (!isOther && nowUs - this.#namesUs < DISK_NAMES_INTERVAL_US) return;
    this.#namesUs = nowUs;
    try {
      this.#names = await names(volumes.map(({ path }) => path));
      this.#namesProblem = undefined;
    } catch (error) {
      this.#namesProblem = errorText(error);
      log.warn(`${this.#namesProblem}; using the names from the kernel`);
    }
  }

  async #findPlaces(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { files, volumes } = this.#options;
    const places = new Map<string, readonly string[]>();
    for (const { path } of volumes)
      places.set(path, await disksUnder(files, this.#names.directories.get(path) ?? path));
    return places;
  }

  /** Combines what is known now, and reports changes. */
  #update(): void {
    if (this.#isStopped) return;
    const { announced, onChange, clock, log } = this.#options;
    const seen = this.#found.map((disk) => this.#see(disk));
    const keys = new Set(seen.map(({ key }) => key));
    for (const key of this.#watched.keys()) if (!keys.has(key)) this.#watched.delete(key);
    this.#disks = seen.map(({ state }) => state);
    this.#options.history?.note(this.#disks);
    const outcome = this.#changes.compare(announced.disks, seen, clock.monotonicUs());
    for (const change of outcome.changes) {
      const level = GOOD_NEWS.has(change.kind) ? "info" : "warn";
      log[level]({ change: change.kind }, change.text);
      onChange(change);
    }
    if (!isSameAnnounced(announced.disks, outcome.announced)) announced.keep(outcome.announced);
  }

  #see(disk: BlockDisk): SeenDisk {
    const { smart, clock, announced } = this.#options;
    const nowUs = clock.monotonicUs();
    const key = keyOf(disk, this.#found);
    const watched = this.#watched.get(key) ?? new WatchedDisk(announced.disks?.get(key), nowUs);
    this.#watched.set(key, watched);
    const volumes = this.#volumesOn(disk);
    const state = watched.note({
      disk,
      named: this.#names.devices.get(disk.name),
      knowledge: smart.of(disk),
      volumes: volumes.map(({ path }) => path),
      workloadTbPerYear: rating(volumes),
      nowUs,
    });
    return { key, state, isHot: watched.isHot, isSilent: watched.isSilent(nowUs) };
  }

  #volumesOn(disk: BlockDisk): readonly WatchedVolume[] {
    return this.#options.volumes.filter(({ path }) => this.#places.get(path)?.includes(disk.name) === true);
  }
}

/**
 * A disk keeps its key when it moves to another port; if it has no serial number, or not its own, only the port identifies it.
 */
function keyOf(disk: BlockDisk, all: readonly BlockDisk[]): string {
  const { model, serial, device } = disk;
  const isAlone = all.filter((other) => other.model === model && other.serial === serial).length === 1;
  return serial !== "" && isAlone ? `${model} ${serial}` : `${device} ${model} ${serial}`;
}

/** Several volumes on one drive have one rating. */
function rating(volumes: readonly WatchedVolume[]): number | undefined {
  const ratings = volumes.map(({ workloadTbPerYear }) => workloadTbPerYear).filter((tb) => tb !== undefined);
  return ratings.length === 0 ? undefined : Math.max(...ratings);
}
