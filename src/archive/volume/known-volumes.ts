import { mkdirSync } from "node:fs";
import * as v from "valibot";
import { type Guid, type Log, newGuid } from "../../base/index.js";
import {
  eachByItself,
  type Kept,
  KeptFile,
  keptGuid,
  keptKind,
  membersByThemselves,
} from "../../kept/index.js";

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

/** Files of earlier versions have not all of it, and what is odd of it counts as not there. */
const retirement = {
  retired: v.fallback(v.optional(v.literal(true)), undefined),
  retiredUs: v.fallback(v.optional(v.pipe(v.number(), v.safeInteger())), undefined),
};
const isMounted = v.fallback(v.boolean(), false);
const volumeSchema = v.union([
  v.pipe(
    keptGuid,
    v.transform((id): KnownVolume => ({ id, mounted: false })),
  ),
  v.pipe(
    v.object({ id: keptGuid, mounted: isMounted, ...retirement }),
    v.transform(({ id, mounted, ...rest }): KnownVolume => ({ id, mounted, ...retirementOf(rest) })),
  ),
]);
const formerSchema = v.pipe(
  v.fallback(
    v.object({
      forgottenAt: v.fallback(v.optional(v.string()), undefined),
      wasAway: v.fallback(v.optional(v.literal(true)), undefined),
      mounted: isMounted,
      ...retirement,
    }),
    { mounted: false },
  ),
  v.transform(({ forgottenAt, wasAway, mounted, ...rest }): FormerVolume => {
    const place = forgottenAt === undefined ? {} : { forgottenAt, mounted, ...(wasAway && { wasAway }) };
    return { ...retirementOf(rest), ...place };
  }),
);
/** Each member by itself: one that is damaged costs that alone. */
const fileSchema = v.object({
  volumes: v.fallback(membersByThemselves(v.string(), volumeSchema), new Map()),
  former: v.fallback(membersByThemselves(keptGuid, formerSchema), new Map()),
  making: v.fallback(membersByThemselves(v.string(), keptGuid), new Map()),
  adopting: v.fallback(eachByItself(v.string()), []),
  /** Earlier versions have none. */
  left: v.fallback(v.optional(eachByItself(v.string()), []), []),
});

export const KNOWN_VOLUMES_KIND = keptKind({
  name: "volumes.json",
  says: "which volume belongs at which path, which are retired, which were here before",
  policy: "forget",
  damaged: "cannot be read; without its copy, volumes are accepted as found",
  mayLackVersion: true,
  schema: fileSchema,
  copies: 2,
  indent: 2,
});

/** Most of them remembered; the oldest is forgotten. */
const FORMER_VOLUMES_MAX = 64;
const LEFT_MAX = 64;

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
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #paths: readonly string[];
  readonly #volumes = new Map<string, KnownVolume>();
  readonly #former = new Map<Guid, FormerVolume>();
  /** Ids of volumes that are about to be made: found after a crash, they are ours. */
  readonly #making = new Map<string, Guid>();
  /** Paths where the next volume found is taken, whichever it is. */
  readonly #adopting = new Set<string>();
  /** Mount points whose disk is mounted elsewhere now. */
  readonly #left = new Set<string>();

  constructor(options: KnownVolumesOptions) {
    mkdirSync(options.dataDir, { recursive: true });
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(KNOWN_VOLUMES_KIND, { directory, log, content: () => this.#content() });
    this.#paths = options.paths;
  }

  /** Reads what is known. Where nothing is, as after the loss of the system disk, volumes are taken as found. */
  load(): void {
    const known = this.#file.read();
    if (known === undefined) {
      for (const path of this.#paths) this.#adopting.add(path);
      return;
    }
    for (const [path, volume] of known.volumes) this.#volumes.set(path, volume);
    for (const [id, former] of known.former) this.#former.set(id, former);
    for (const [path, id] of known.making) this.#making.set(path, id);
    for (const path of known.adopting) this.#adopting.add(path);
    for (const path of known.left) this.#left.add(path);
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

  /** Whether a path was a mount point when it last held a volume. */
  wasMounted(path: string): boolean {
    const known = this.#volumes.get(path);
    if (known !== undefined) return known.mounted;
    if (this.#adopting.has(path)) return false;
    return this.#left.has(path) || this.#givenUpAt(path).some(([, { mounted }]) => mounted === true);
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
    if (!this.#adopting.delete(path) && !left && same) return this.saved();
    if (known !== undefined && known.id !== volume.id) this.#setFormer(known);
    for (const [other, { id, mounted }] of this.#volumes) {
      if (id !== volume.id) continue;
      this.#volumes.delete(other);
      if (mounted) this.#leave(other);
    }
    this.#left.delete(path);
    this.#former.delete(volume.id);
    // Any that was given up here is elsewhere.
    for (const [former, { retired, retiredUs }] of this.#givenUpAt(path))
      this.#former.set(former, retirementOf({ retired, retiredUs }));
    this.#volumes.set(path, volume);
    return this.#save();
  }

  #leave(path: string): void {
    this.#left.add(path);
    const [oldest] = this.#left;
    if (this.#left.size > LEFT_MAX && oldest !== undefined) this.#left.delete(oldest);
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
    if (known === undefined) return this.saved();
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
    return known || made || adopted ? this.#save() : this.saved();
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
    return gone.length > 0 ? this.#save() : this.saved();
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
    this.#left.delete(path);
    this.#adopting.add(path);
    return this.#save();
  }

  /** Resolves when what has changed so far is saved, or could not be. */
  async saved(): Promise<void> {
    await this.#file.flush();
  }

  /** What cannot be saved does not stop recording: the next start takes the volume as found. */
  async #save(): Promise<void> {
    this.#file.changed();
    await this.#file.flush();
  }

  #content(): Kept<typeof fileSchema> {
    return {
      volumes: Object.fromEntries(this.#volumes),
      former: Object.fromEntries(this.#former),
      making: Object.fromEntries(this.#making),
      adopting: [...this.#adopting],
      left: [...this.#left],
    };
  }
}

/** Whether a volume was given up by hand and was not away since. */
function isLyingThere({ forgottenAt, wasAway }: FormerVolume): boolean {
  return forgottenAt !== undefined && wasAway !== true;
}

function retirementOf({
  retired,
  retiredUs,
}: {
  readonly retired?: boolean | undefined;
  readonly retiredUs?: number | undefined;
}): Pick<KnownVolume, "retired" | "retiredUs"> {
  if (retired !== true) return {};
  return { retired, ...(retiredUs === undefined ? {} : { retiredUs }) };
}
