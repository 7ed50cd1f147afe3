import { mkdirSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { errorText, type Guid, type Log, newGuid, parseGuid } from "../../base/index.js";
import { errorCodeOf } from "../disk/disk.js";

const FILE = "volumes.json";

/** What is known of the volume at a path. */
export interface KnownVolume {
  readonly id: Guid;
  /** Whether the path was a mount point. */
  readonly mounted: boolean;
  /** Nothing new is recorded onto it. */
  readonly retired?: boolean;
  /** Since when, Unix µs; absent where an earlier version retired it. */
  readonly retiredUs?: number;
}

export interface KnownVolumesOptions {
  readonly dataDir: string;
  /** The paths of the settings. */
  readonly paths: readonly string[];
  readonly log: Log;
}

/**
 * Which volume belongs at which path, kept in the data directory: so that an empty mount point or a swapped
 * disk is distinguished from a fresh one.
 */
export class KnownVolumes {
  readonly #path: string;
  readonly #paths: readonly string[];
  readonly #log: Log;
  readonly #volumes = new Map<string, KnownVolume>();
  /** Ids of volumes that are about to be made: found after a crash, they are ours. */
  readonly #making = new Map<string, Guid>();
  /** Paths where the next volume found is taken, whichever it is. */
  readonly #adopting = new Set<string>();
  #saving = Promise.resolve();

  constructor(options: KnownVolumesOptions) {
    mkdirSync(options.dataDir, { recursive: true });
    this.#path = join(options.dataDir, FILE);
    this.#paths = options.paths;
    this.#log = options.log;
  }

  /** Reads what is known. Where nothing is, as after the loss of the system disk, volumes are taken as found. */
  load(): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(readFileSync(this.#path, "utf8"));
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT")
        this.#log.error(
          { path: this.#path },
          `cannot be read, volumes are accepted as found: ${errorText(error)}`,
        );
      for (const path of this.#paths) this.#adopting.add(path);
      return;
    }
    const { volumes, making, adopting } = (parsed ?? {}) as Record<string, unknown>;
    for (const [path, value] of entriesOf(volumes)) {
      const known = knownVolumeOf(value);
      if (known !== undefined) this.#volumes.set(path, known);
    }
    for (const [path, value] of entriesOf(making)) {
      const id = typeof value === "string" ? parseGuid(value) : undefined;
      if (id !== undefined) this.#making.set(path, id);
    }
    for (const path of Array.isArray(adopting) ? adopting : []) {
      if (typeof path === "string") this.#adopting.add(path);
    }
  }

  at(path: string): KnownVolume | undefined {
    return this.#volumes.get(path);
  }

  /** The paths where a volume belongs, away or not. */
  paths(): string[] {
    return [...this.#volumes.keys()];
  }

  isAdopting(path: string): boolean {
    return this.#adopting.has(path);
  }

  /** Ids of all volumes that belong somewhere. */
  ids(): Guid[] {
    return [...this.#volumes.values()].map(({ id }) => id);
  }

  /** The id of the volume that may be made at a path. It is noted before the volume is made. */
  async idToMake(path: string): Promise<Guid> {
    const noted = this.#making.get(path);
    if (noted !== undefined) return noted;
    const id = newGuid();
    this.#making.set(path, id);
    await this.#save();
    return id;
  }

  /** Remembers that the volume is at this path now, and at no other; whether it is retired goes with it. */
  remember(path: string, { id, mounted }: Pick<KnownVolume, "id" | "mounted">): Promise<void> {
    const volume = { id, mounted, ...this.#retirementOf(id) };
    const known = this.#volumes.get(path);
    const same = known?.id === volume.id && known.mounted === volume.mounted;
    const left = this.#making.delete(path);
    if (!this.#adopting.delete(path) && !left && same) return this.#saving;
    for (const [other, { id }] of this.#volumes) if (id === volume.id) this.#volumes.delete(other);
    this.#volumes.set(path, volume);
    return this.#save();
  }

  isRetired(volumeId: Guid): boolean {
    return this.#retirementOf(volumeId).retired === true;
  }

  #retirementOf(volumeId: Guid): Pick<KnownVolume, "retired" | "retiredUs"> {
    const found = [...this.#volumes.values()].find(({ id, retired }) => id === volumeId && retired === true);
    if (found === undefined) return {};
    return { retired: true, ...(found.retiredUs === undefined ? {} : { retiredUs: found.retiredUs }) };
  }

  /** Whether anything new may be recorded onto the volume at a path: not since `retiredUs`, or undefined. */
  retire(path: string, retiredUs: number | undefined): Promise<void> {
    const known = this.#volumes.get(path);
    if (known === undefined) return this.#saving;
    const retirement = retiredUs === undefined ? {} : { retired: true, retiredUs };
    this.#volumes.set(path, { id: known.id, mounted: known.mounted, ...retirement });
    return this.#save();
  }

  /** No volume belongs at the path any more; one that is found there later is a foreign one. */
  forget(path: string): Promise<void> {
    const known = this.#volumes.delete(path);
    const made = this.#making.delete(path);
    const adopted = this.#adopting.delete(path);
    return known || made || adopted ? this.#save() : this.#saving;
  }

  /** Forgets which volume belongs at a path. The next volume found there is accepted; if there is none, one is created. */
  adopt(path: string): Promise<void> {
    this.#volumes.delete(path);
    this.#adopting.add(path);
    return this.#save();
  }

  /** Resolves when what has changed so far is saved, or could not be. */
  saved(): Promise<void> {
    return this.#saving;
  }

  #save(): Promise<void> {
    const text = `${JSON.stringify(
      {
        volumes: Object.fromEntries(this.#volumes),
        making: Object.fromEntries(this.#making),
        adopting: [...this.#adopting],
      },
      null,
      2,
    )}\n`;
    this.#saving = this.#saving
      .then(() => this.#write(text))
      .catch((error: unknown) => {
        // Recording continues; the next start takes the volume as found.
        this.#log.error({ path: this.#path }, `cannot be saved: ${errorText(error)}`);
      });
    return this.#saving;
  }

  async #write(text: string): Promise<void> {
    const file = await open(`${this.#path}.new`, "w", 0o640);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${this.#path}.new`, this.#path);
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(typeof value === "object" && value !== null ? value : {});
}

/** Earlier versions kept the id alone. */
function knownVolumeOf(value: unknown): KnownVolume | undefined {
  const { id, mounted, retired, retiredUs } = (
    typeof value === "string" ? { id: value, mounted: false } : (value ?? {})
  ) as Record<string, unknown>;
  const guid = typeof id === "string" ? parseGuid(id) : undefined;
  if (guid === undefined) return undefined;
  if (retired !== true) return { id: guid, mounted: mounted === true };
  const since = Number.isSafeInteger(retiredUs) ? { retiredUs: Number(retiredUs) } : {};
  return { id: guid, mounted: mounted === true, retired, ...since };
}
