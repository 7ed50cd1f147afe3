import { type Clock, type ClockTimer, errorText, type Log } from "../base/index.js";
import { volumeMounts } from "./volume-mounts.js";

/** How often the table of mounts is looked at. */
export const MOUNTS_LOOK_MS = 5000;

export interface VolumesDirectoryOptions {
  /** The directory below which disks are mounted. */
  readonly directory: string;
  /** Those that are volumes already. */
  readonly known: readonly string[];
  readonly mountTable: () => string;
  /** Makes a mount point a volume. */
  readonly add: (directory: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Disks that are mounted while the service runs become volumes. One that was given up stays out until it was unmounted. */
export class VolumesDirectory {
  readonly #options: VolumesDirectoryOptions;
  /** Those that are volumes, away or not. */
  readonly #volumes: Set<string>;
  /** Those that were given up and are still mounted. */
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

  /** Takes what was mounted since the last look; resolves when it is taken or left out. */
  async look(): Promise<void> {
    const { directory, mountTable, add, log } = this.#options;
    try {
      const mounted = volumeMounts(directory, mountTable());
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
      if (problem !== this.#problem) log.error(`${directory}: new disks are not noticed: ${problem}`);
      this.#problem = problem;
    }
  }

  /** The volume there was given up. */
  forget(point: string): void {
    this.#volumes.delete(point);
    this.#forgotten.add(point);
  }

  /** What was given up may come back. */
  async readmit(point: string): Promise<void> {
    if (this.#forgotten.delete(point)) await this.look();
  }
}
