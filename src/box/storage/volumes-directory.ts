import { type Clock, type ClockTimer, errorText, type Log } from "../../base/index.js";
import { volumeMounts } from "./volume-mounts.js";

/** How often the mount table is read. */
export const MOUNTS_LOOK_MS = 5000;

export interface VolumesDirectoryOptions {
  /** The directory below which disks are mounted. */
  readonly directory: string;
  /** Directories that are already volumes. */
  readonly known: readonly string[];
  readonly mountTable: () => string;
  /** Makes a mount point a volume. */
  readonly add: (directory: string) => Promise<void>;
  /** Called with the mount points of each look: a forgotten disk that is not among them is a volume again when it comes back. */
  readonly seen: (mounted: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes disks volumes when they are mounted while the service runs. A forgotten one is ignored until it is unmounted. */
export class VolumesDirectory {
  readonly #options: VolumesDirectoryOptions;
  /** Directories of volumes, present or absent. */
  readonly #volumes: Set<string>;
  /** Forgotten ones that are still mounted. */
  readonly #forgotten = new Set<string>();
  #timer: ClockTimer | undefined;
  #problem = "";

  constructor(options: VolumesDirectoryOptions) {
    this.#options = options;
    this.#volumes = new Set(options.known);
  }

  start(): void {
    this.#timer = this.#options.clock.setInterval(() => void this.look(), MOUNTS_LOOK_MS);
    void this.look();
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  /** Adds what was mounted since the last call; resolves when it was added or refused. */
  async look(): Promise<void> {
    const { directory, mountTable, add, seen, log } = this.#options;
    try {
      const mounted = volumeMounts(directory, mountTable());
      await seen(mounted);
      for (const gone of [...this.#forgotten]) if (!mounted.includes(gone)) this.#forgotten.delete(gone);
      for (const point of mounted) {
        if (this.#volumes.has(point) || this.#forgotten.has(point)) continue;
        this.#volumes.add(point);
        log.info({ directory: point }, "a disk for recordings was mounted");
        await add(point);
      }
      this.#problem = "";
    } catch (error) {
      const problem = errorText(error);
      if (problem !== this.#problem) log.error(`${directory}: new disks cannot be detected: ${problem}`);
      this.#problem = problem;
    }
  }

  /** Marks the volume there as forgotten. */
  forget(point: string): void {
    this.#volumes.delete(point);
    this.#forgotten.add(point);
  }

  /** Allows a forgotten volume again. */
  async readmit(point: string): Promise<void> {
    if (this.#forgotten.delete(point)) await this.look();
  }
}
