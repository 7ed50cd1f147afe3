import * as v from "valibot";
import { type Clock, type ClockTimer, errorText, type Guid, type Log, parseGuid } from "../../base/index.js";
import { eachByItself, keptKind } from "../../kept/index.js";
import { type ThreadRequests, VolumeError } from "../disk/volume-thread.js";

/** Name of the file on each volume. */
export const CHANNEL_NAMES_FILE = "channels.json";
/** Most channels that a volume names; beyond it those named longest ago are left out. */
const CHANNELS_MAX = 1024;
const NAME_LENGTH_MAX = 256;
/** Time between two looks at names and volumes. */
export const NAMES_LOOK_MS = 30_000;
const DISK_TIMEOUT_MS = 10_000;

const nameSchema = v.object({
  id: v.pipe(
    v.string(),
    v.check((text) => parseGuid(text) === text),
  ),
  name: v.pipe(v.string(), v.maxLength(NAME_LENGTH_MAX)),
  /** When it was noted, Unix µs: of two volumes the later one is believed. */
  sinceUs: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});

/** On each volume. */
export const CHANNEL_NAMES_KIND = keptKind({
  name: CHANNEL_NAMES_FILE,
  folder: "each volume: ",
  says: "the names of a volume's channels, each entry by itself",
  policy: "rebuild",
  damaged: "the names of channels on a volume cannot be read: they are written anew",
  severity: "warn",
  schema: v.object({ channels: eachByItself(nameSchema, CHANNELS_MAX) }),
});

type ChannelName = Readonly<v.InferOutput<typeof nameSchema>>;
type Names = Map<Guid, ChannelName>;

/** What this asks of a volume. Its `reads` are others each time it is taken. */
interface NamedVolume {
  readonly directory: string;
  readonly reads: Pick<ThreadRequests, "read">;
}

export interface ChannelNamesOptions {
  readonly volumes: () => readonly NamedVolume[];
  /** Channels that anything is recorded of. */
  readonly recorded: () => Iterable<Guid>;
  /** Names of the channels that are configured now. */
  readonly present: () => ReadonlyMap<Guid, string>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The names of recorded channels. Each volume carries them, so that its recordings have names where the configuration does not
 * know the camera: under another recorder, or after it was removed.
 */
export class ChannelNames {
  readonly #options: ChannelNamesOptions;
  /** What each volume says while it is taken. */
  readonly #notes = new WeakMap<object, Names>();
  readonly #known: Names = new Map();
  #timer: ClockTimer | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ChannelNamesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.setInterval(() => this.#lookSoon(), NAMES_LOOK_MS);
    this.#lookSoon();
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    await this.#looking;
  }

  /** The channel's name: the present one, else the last one that a volume knows; undefined if none does. */
  of(channelId: Guid): string | undefined {
    return this.#options.present().get(channelId) ?? this.#known.get(channelId)?.name;
  }

  /** Reads the names of volumes that have come, and notes those that have changed; also called when a volume has come. */
  async look(): Promise<void> {
    const volumes = this.#options.volumes();
    await Promise.all(volumes.map((volume) => this.#atVolume(volume, () => this.#read(volume))));
    this.#notePresent();
    await Promise.all(volumes.map((volume) => this.#atVolume(volume, () => this.#write(volume))));
  }

  #lookSoon(): void {
    this.#looking ??= this.look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** A volume that does not answer is looked at again next time. */
  async #atVolume({ directory }: NamedVolume, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn({ directory, file: CHANNEL_NAMES_FILE }, `cannot be used: ${errorText(error)}`);
    }
  }

  async #read({ reads, directory }: NamedVolume): Promise<void> {
    if (this.#notes.has(reads)) return;
    const { value, fault } = await this.#look(reads);
    // It is written anew from what is known.
    if (fault !== undefined)
      this.#options.log.warn({ directory, error: fault }, CHANNEL_NAMES_KIND.options.damaged);
    const names: Names = new Map(value?.channels.map((name) => [name.id, name]));
    this.#notes.set(reads, names);
    for (const name of names.values())
      if (name.sinceUs > (this.#known.get(name.id)?.sinceUs ?? -1)) this.#known.set(name.id, name);
  }

  /** Rejects where the disk does not answer. */
  async #look(reads: NamedVolume["reads"]): Promise<ReturnType<typeof CHANNEL_NAMES_KIND.look>> {
    try {
      const text = await reads.read({ op: "read-note", name: CHANNEL_NAMES_FILE }, DISK_TIMEOUT_MS);
      return text === undefined ? {} : CHANNEL_NAMES_KIND.look(text);
    } catch (error) {
      if (error instanceof VolumeError) return { fault: error.message };
      throw error;
    }
  }

  #notePresent(): void {
    const { present, recorded, clock } = this.#options;
    const names = present();
    const sinceUs = clock.nowUs();
    for (const id of new Set(recorded())) {
      const name = names.get(id)?.slice(0, NAME_LENGTH_MAX);
      if (name === undefined || this.#known.get(id)?.name === name) continue;
      this.#known.delete(id);
      this.#known.set(id, { id, name, sinceUs });
    }
  }

  async #write({ reads }: NamedVolume): Promise<void> {
    const noted = this.#notes.get(reads);
    if (noted === undefined) return;
    const wanted = [...this.#known.values()].sort((a, b) => b.sinceUs - a.sinceUs).slice(0, CHANNELS_MAX);
    if (wanted.every(({ id, name }) => noted.get(id)?.name === name)) return;
    const text = CHANNEL_NAMES_KIND.text({ channels: wanted });
    await reads.read({ op: "replace-note", name: CHANNEL_NAMES_FILE, text }, DISK_TIMEOUT_MS);
    this.#notes.set(reads, new Map(wanted.map((name) => [name.id, name])));
  }
}
