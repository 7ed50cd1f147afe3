import { resolve } from "node:path";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
} from "../base/index.js";
import { KnownVolumes } from "./known-volumes.js";
import { Volume, type VolumeOptions } from "./volume.js";
import type { IdentifyResult } from "./volume-messages.js";

/** Time between two attempts to take a volume that was refused or failed. */
const RETRY_MS = 10_000;
/** How long the start waits for the volumes; those that take longer join later. */
const START_WAIT_MS = 3_000;

export interface VolumeSetOptions {
  readonly dataDir: string;
  readonly paths: readonly string[];
  /** Whether an empty directory may become a volume. */
  readonly mayInitialise: boolean;
  /** What every volume gets. */
  readonly volume: Omit<VolumeOptions, "directory">;
  /** Called each time a volume has been taken, before anything is written to it. */
  readonly onTaken: (volume: Volume, found: IdentifyResult) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A volume that cannot be used now. */
export interface AbsentVolume {
  readonly directory: string;
  readonly reason: string;
}

/** The volumes of the archive: takes them at start, leaves out what fails, and tries again. */
export class VolumeSet {
  readonly #options: VolumeSetOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known: KnownVolumes;
  readonly #volumes: Volume[];
  readonly #assigned = new Map<Volume, number>();
  readonly #retries = new Map<Volume, ClockTimer>();
  /** Why those that are left out are. */
  readonly #reasons = new Map<Volume, string>();
  readonly #created = new Set<Volume>();
  #stopped = false;

  constructor(options: VolumeSetOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#known = new KnownVolumes(options);
    const directories = [...new Set(options.paths.map((path) => resolve(path)))];
    this.#volumes = directories.map((directory) => new Volume({ ...options.volume, directory }));
  }

  get volumes(): readonly Volume[] {
    return this.#volumes;
  }

  /** Takes every volume; resolves when all are taken or refused, or after a few seconds. */
  async start(): Promise<void> {
    this.#known.load();
    const all = Promise.all(this.#volumes.map((volume) => this.#take(volume)));
    let timer: ClockTimer | undefined;
    const late = new Promise<void>((done) => {
      timer = this.#clock.setTimeout(done, START_WAIT_MS);
    });
    await Promise.race([all, late]);
    timer?.clear();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const retry of this.#retries.values()) retry.clear();
    await Promise.all(this.#volumes.map((volume) => volume.stop()));
  }

  /** The volumes that are left out. */
  absent(): AbsentVolume[] {
    return this.#volumes
      .filter((volume) => volume.writer === undefined)
      .map((volume) => ({
        directory: volume.directory,
        reason: this.#reasons.get(volume) ?? "it does not answer",
      }));
  }

  /** Whether every volume was made by this start. */
  get isFresh(): boolean {
    return this.#volumes.every((volume) => this.#created.has(volume));
  }

  get(volumeId: Guid): Volume | undefined {
    return this.#volumes.find((volume) => volume.isIdentified && volume.id === volumeId);
  }

  /** The volume for a stream: the one with the most free space a stream on it. Undefined when none can be written. */
  choose(): Volume | undefined {
    let best: Volume | undefined;
    let bestShare = -1;
    for (const volume of this.#volumes) {
      if (!volume.usable) continue;
      const share = volume.freeBytes / ((this.#assigned.get(volume) ?? 0) + 1);
      if (share <= bestShare) continue;
      best = volume;
      bestShare = share;
    }
    if (best !== undefined) this.#assigned.set(best, (this.#assigned.get(best) ?? 0) + 1);
    return best;
  }

  async #take(volume: Volume): Promise<void> {
    const { directory } = volume;
    volume.onFailure(() => this.#retryLater(volume));
    try {
      const request = {
        knownId: this.#known.idAt(directory),
        freshId: this.#options.mayInitialise ? newGuid() : undefined,
        nowUs: this.#clock.nowUs(),
      };
      const found = await volume.start(request);
      if (this.#stopped) return await volume.stop();
      const twin = this.#volumes.find(
        (other) => other !== volume && other.isIdentified && other.id === found.volumeId,
      );
      if (twin !== undefined) {
        await volume.stop();
        throw new NvrdError("VOLUME_REFUSED", `${directory} is a copy of volume ${twin.directory}`);
      }
      this.#log.info({ directory, volume: found.volumeId, fresh: found.created }, "volume taken");
      this.#reasons.delete(volume);
      if (found.created) this.#created.add(volume);
      this.#options.onTaken(volume, found);
      await this.#known.remember(directory, found.volumeId);
    } catch (error) {
      const hint = error instanceof NvrdError ? error.hint : "";
      this.#reasons.set(volume, errorText(error));
      this.#log.error({ directory, hint }, `volume left out: ${errorText(error)}`);
      this.#retryLater(volume);
    }
  }

  #retryLater(volume: Volume): void {
    if (this.#stopped) return;
    this.#assigned.delete(volume);
    this.#retries.get(volume)?.clear();
    this.#retries.set(
      volume,
      this.#clock.setTimeout(() => {
        this.#take(volume).catch((error: unknown) => this.#log.error(errorText(error)));
      }, RETRY_MS),
    );
  }
}
