import { type Clock, type ClockTimer, errorText, type Log } from "../../base/index.js";
import type { IdentifyRequest, IdentifyResult } from "../disk/volume-messages.js";
import { isRefusal, type Volume } from "./volume.js";

/** How often it is looked whether a disk is away, or back. */
export const GIVEN_UP_LOOK_MS = 15_000;

export interface GivenUpVolumesOptions {
  readonly create: (directory: string) => Volume;
  /** How a directory is looked at: the volume that was given up there is refused while it was not away. */
  readonly requestFor: (directory: string) => IdentifyRequest;
  /** Called when a directory does not hold its volume any more. */
  readonly onLeft: (directory: string) => Promise<void>;
  /** Called with a volume that is back and has been started. */
  readonly onBack: (volume: Volume, found: IdentifyResult) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

interface GivenUp {
  readonly volume: Volume;
  timer: ClockTimer | undefined;
  /** The look that is under way. */
  looking: Promise<void> | undefined;
}

/**
 * Directories whose volume was given up by hand. They are no volumes, and nothing is reported of them. The disk of each is used again
 * by itself when it was away and is back.
 */
export class GivenUpVolumes {
  readonly #options: GivenUpVolumesOptions;
  readonly #all = new Map<string, GivenUp>();
  #isStopped = false;

  constructor(options: GivenUpVolumesOptions) {
    this.#options = options;
  }

  add(directory: string): void {
    if (this.#all.has(directory) || this.#isStopped) return;
    const { create, log } = this.#options;
    const entry: GivenUp = { volume: create(directory), timer: undefined, looking: undefined };
    this.#all.set(directory, entry);
    log.info({ directory }, "volume given up: it is used again when it was away and is back, or is adopted");
    this.#lookLater(directory, entry);
  }

  /** Looks at once. Resolves when the volume is in use, or not. */
  async look(directory: string): Promise<void> {
    const entry = this.#all.get(directory);
    if (entry === undefined) return;
    entry.timer?.clear();
    entry.looking ??= this.#look(directory, entry).finally(() => {
      entry.looking = undefined;
      if (this.#all.get(directory) === entry) this.#lookLater(directory, entry);
    });
    await entry.looking;
  }

  /** Looks no more at a directory: its volume, not started, is the caller's. Undefined where none was given up, or it has just come back. */
  async release(directory: string): Promise<Volume | undefined> {
    const entry = this.#all.get(directory);
    await entry?.looking;
    if (entry === undefined || this.#all.get(directory) !== entry) return undefined;
    this.#drop(directory, entry);
    return entry.volume;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const [directory, entry] of [...this.#all]) {
      this.#drop(directory, entry);
      await entry.looking;
      await entry.volume.stop();
    }
  }

  #drop(directory: string, entry: GivenUp): void {
    entry.timer?.clear();
    this.#all.delete(directory);
  }

  #lookLater(directory: string, entry: GivenUp): void {
    if (this.#isStopped) return;
    entry.timer = this.#options.clock.setTimeout(() => void this.look(directory), GIVEN_UP_LOOK_MS);
  }

  /** Never rejects. */
  async #look(directory: string, entry: GivenUp): Promise<void> {
    const { requestFor, onLeft, onBack, log } = this.#options;
    const { volume } = entry;
    try {
      const found = await volume.start(requestFor(directory));
      if (this.#all.get(directory) !== entry) return;
      this.#drop(directory, entry);
      await onBack(volume, found);
    } catch (error) {
      // A disk that hangs or cannot be read may be there still.
      if (isRefusal(error)) await onLeft(directory);
      else log.debug({ directory }, `not looked at: ${errorText(error)}`);
    }
  }
}
