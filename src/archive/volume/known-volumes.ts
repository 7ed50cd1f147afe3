import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  errorText,
  type Guid,
  type Log,
  newGuid,
  parseGuid,
  readKeptTwice,
  replaceKeptTwice,
} from "../../base/index.js";

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

/** A volume that belonged to the recorder once. It is used again when it comes back. */
export interface FormerVolume extends Pick<KnownVolume, "retired" | "retiredUs"> {
  /** Where it was given up by hand. There it is not used again before it was away. */
  readonly forgottenAt?: string;
  /** Whether it was away from there since. */
  readonly wasAway?: boolean;
  /** Whether that was a mount point. */
  readonly mounted?: boolean;
}

/** Most of them remembered; the oldest is forgotten. */
const FORMER_VOLUMES_MAX = 64;

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
  readonly #former = new Map<Guid, FormerVolume>();
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
    const parsed = readKeptTwice(this.#path, parseMembers, (path, error) =>
      this.#log.error(
        { path },
        `cannot be read; without its copy, volumes are accepted as found: ${errorText(error)}`,
      ),
    );
    if (parsed === undefined) {
      for (const path of this.#paths) this.#adopting.add(path);
      return;
    }
    const { volumes, former, making, adopting } = parsed;
    for (const [path, value] of entriesOf(volumes)) {
      const known = knownVolumeOf(value);
      if (known !== undefined) this.#volumes.set(path, known);
    }
    for (const [name, value] of entriesOf(former)) {
      const id = parseGuid(name);
      if (id !== undefined) this.#former.set(id, formerVolumeOf(value));
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

  /** Ids of volumes that belonged to the recorder once, and are taken where they come back. */
  returningIds(): Guid[] {
    return [...this.#former].filter(([, former]) => !isLyingThere(former)).map(([id]) => id);
  }

  /** Ids of volumes that were given up by hand, and were not away since. */
  givenUpIds(): Guid[] {
    return [...this.#former].filter(([, former]) => isLyingThere(former)).map(([id]) => id);
  }

  /** Whether the volume of a path was given up, and none belongs there now. */
  isGivenUp(path: string): boolean {
    return !this.#volumes.has(path) && !this.#adopting.has(path) && this.#givenUpAt(path).length > 0;
  }

  /** Whether a path was a mount point when its volume was given up. */
  wasMounted(path: string): boolean {
    return this.#givenUpAt(path).some(([, { mounted }]) => mounted === true);
  }

  #givenUpAt(path: string): [Guid, FormerVolume][] {
    return [...this.#former].filter(([, { forgottenAt }]) => forgottenAt === path);
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

  /** Remembers that the volume is at this path now, and at no other; whether it is retired goes with it, unless it is adopted. */
  remember(path: string, { id, mounted }: Pick<KnownVolume, "id" | "mounted">): Promise<void> {
    const retirement = this.#adopting.has(path) ? {} : this.#retirementOf(id);
    const volume = { id, mounted, ...retirement };
    const known = this.#volumes.get(path);
    const same = known?.id === volume.id && known.mounted === volume.mounted;
    const left = this.#making.delete(path);
    if (!this.#adopting.delete(path) && !left && same) return this.#saving;
    if (known !== undefined && known.id !== volume.id) this.#setFormer(known);
    for (const [other, { id }] of this.#volumes) if (id === volume.id) this.#volumes.delete(other);
    this.#former.delete(volume.id);
    // Any that was given up here is elsewhere.
    for (const [former, { retired, retiredUs }] of this.#givenUpAt(path))
      this.#former.set(former, retirementOf({ retired, retiredUs }));
    this.#volumes.set(path, volume);
    return this.#save();
  }

  isRetired(volumeId: Guid): boolean {
    return this.#retirementOf(volumeId).retired === true;
  }

  #retirementOf(volumeId: Guid): Pick<KnownVolume, "retired" | "retiredUs"> {
    const known = [...this.#volumes.values()].find(({ id, retired }) => id === volumeId && retired === true);
    const found = known ?? this.#former.get(volumeId);
    if (found?.retired !== true) return {};
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

  /** No volume belongs at the path any more. The one that lies there is not used again before it was away. */
  forget(path: string): Promise<void> {
    const volume = this.#volumes.get(path);
    if (volume !== undefined) this.#setFormer(volume, path);
    const known = this.#volumes.delete(path);
    const made = this.#making.delete(path);
    const adopted = this.#adopting.delete(path);
    return known || made || adopted ? this.#save() : this.#saving;
  }

  /** Paths where volumes lie that were forgotten there. */
  forgottenAt(): string[] {
    return [...this.#former.values()].flatMap((former) =>
      isLyingThere(former) ? (former.forgottenAt ?? []) : [],
    );
  }

  /** The path's disk is away: one that was forgotten there is used again when it comes back. */
  left(path: string): Promise<void> {
    const gone = this.#givenUpAt(path).filter(([, former]) => isLyingThere(former));
    for (const [id, former] of gone) this.#former.set(id, { ...former, wasAway: true });
    return gone.length > 0 ? this.#save() : this.#saving;
  }

  #setFormer({ id, retired, retiredUs, mounted }: KnownVolume, forgottenAt?: string): void {
    this.#former.delete(id);
    this.#former.set(id, {
      ...(retired === undefined ? {} : { retired }),
      ...(retiredUs === undefined ? {} : { retiredUs }),
      ...(forgottenAt === undefined ? {} : { forgottenAt, mounted }),
    });
    const [oldest] = this.#former.keys();
    if (this.#former.size > FORMER_VOLUMES_MAX && oldest !== undefined) this.#former.delete(oldest);
  }

  /** Forgets which volume belongs at a path. The next volume found there is accepted; if there is none, one is created. */
  adopt(path: string): Promise<void> {
    const known = this.#volumes.get(path);
    if (known !== undefined) this.#setFormer(known);
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
        former: Object.fromEntries(this.#former),
        making: Object.fromEntries(this.#making),
        adopting: [...this.#adopting],
      },
      null,
      2,
    )}\n`;
    this.#saving = this.#saving
      .then(() => replaceKeptTwice(this.#path, text))
      .catch((error: unknown) => {
        // Recording continues; the next start takes the volume as found.
        this.#log.error({ path: this.#path }, `cannot be saved: ${errorText(error)}`);
      });
    return this.#saving;
  }
}

/** Throws on what is no JSON object: each member is then read by itself. */
function parseMembers(text: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null) throw new SyntaxError("it is no object");
  return parsed as Record<string, unknown>;
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
  return { id: guid, mounted: mounted === true, ...retirementOf({ retired, retiredUs }) };
}

function formerVolumeOf(value: unknown): FormerVolume {
  const { forgottenAt, wasAway, mounted, ...retirement } = (value ?? {}) as Record<string, unknown>;
  if (typeof forgottenAt !== "string") return retirementOf(retirement);
  return {
    ...retirementOf(retirement),
    forgottenAt,
    mounted: mounted === true,
    ...(wasAway === true ? { wasAway } : {}),
  };
}

/** Whether a volume was given up by hand and was not away since. */
function isLyingThere({ forgottenAt, wasAway }: FormerVolume): boolean {
  return forgottenAt !== undefined && wasAway !== true;
}

function retirementOf({
  retired,
  retiredUs,
}: Record<string, unknown>): Pick<KnownVolume, "retired" | "retiredUs"> {
  if (retired !== true) return {};
  return { retired, ...(Number.isSafeInteger(retiredUs) ? { retiredUs: Number(retiredUs) } : {}) };
}
