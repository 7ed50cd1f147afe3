import { mkdirSync } from "node:fs";
import * as v from "valibot";
import { errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import { exactGuid, KeptFile, keptKind } from "../../kept/index.js";

/** Most former cameras whose recordings belong to another one; a further one is refused. */
export const GIVEN_MAX = 1024;

const fileSchema = v.object({
  given: v.pipe(v.array(v.object({ formerId: exactGuid, channelId: exactGuid })), v.maxLength(GIVEN_MAX)),
});

export const GIVEN_KIND = keptKind({
  name: "given-recordings.json",
  says: "which camera has a former camera's recordings",
  policy: "refuse",
  damaged:
    "cannot be read: without its copy, recordings that were given to a camera are those of former cameras again",
  schema: fileSchema,
  copies: 2,
  indent: 2,
});

/** The recordings of a former camera, and the camera that has them now. */
export type GivenRecording = Readonly<v.InferOutput<typeof fileSchema>["given"][number]>;

export interface GivenRecordingsOptions {
  /** Directory of the service's own small files. */
  readonly dataDir: string;
  readonly log: Log;
}

/**
 * Which former cameras' recordings belong to another camera. Their files stay as they are: what is asked of the camera is
 * answered from its own recordings and from theirs. So a power cut loses nothing, and what is given can be taken back.
 */
export class GivenRecordings {
  readonly #options: GivenRecordingsOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #listeners: (() => void)[] = [];
  /** By former camera, in the order in which they were given. */
  #owners: ReadonlyMap<Guid, Guid> = new Map();
  #families: ReadonlyMap<Guid, readonly Guid[]> = new Map();
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: GivenRecordingsOptions) {
    this.#options = options;
    this.#file = new KeptFile(GIVEN_KIND, { directory: options.dataDir, log: options.log });
  }

  /** Reads what was kept. */
  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    const given = this.#file.read()?.given;
    this.#set(new Map(given?.map(({ formerId, channelId }) => [formerId, channelId])));
  }

  /**
   * Why it is not known what was given; undefined: it is known. Until `accept` nothing more is given: a protected time of the camera
   * may hold for recordings that do not seem to be its own.
   */
  get lack(): string | undefined {
    return this.#file.lack;
  }

  /** What is not known was not given. What cannot be read stays beside. Resolves and rejects as `give` does. */
  accept(): Promise<void> {
    const accepted = this.#changing.then(async () => {
      if (this.lack !== undefined) await this.#save(this.#owners);
    });
    this.#changing = accepted.catch(() => undefined); // the caller of `accepted` gets the error
    return accepted;
  }

  /** Calls `listener` after each change. It must not throw or block. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  list(): readonly GivenRecording[] {
    return [...this.#owners].map(([formerId, channelId]) => ({ formerId, channelId }));
  }

  /** The camera that a channel's recordings belong to: another one where they were given to it. */
  ownerOf(channelId: Guid): Guid {
    return this.#owners.get(channelId) ?? channelId;
  }

  /** The channel, and the former cameras whose recordings it has, those that were given first before the others. */
  familyOf(channelId: Guid): readonly Guid[] {
    return this.#families.get(channelId) ?? [channelId];
  }

  /**
   * Gives a former camera's recordings to a camera, and with them what was given to the former one. Resolves when that is
   * durable. Rejects with NvrdError NOT_AVAILABLE when it cannot be; nothing has changed then.
   */
  give(formerId: Guid, channelId: Guid): Promise<void> {
    return this.#change((owners) => {
      for (const [id, owner] of owners) if (owner === formerId) owners.set(id, channelId);
      owners.delete(formerId);
      owners.set(formerId, channelId);
    });
  }

  /** Makes the recordings those of the former camera again. Resolves and rejects as `give` does. */
  takeBack(formerId: Guid): Promise<void> {
    return this.#change((owners) => owners.delete(formerId));
  }

  /** Nothing belongs to the camera any more. Resolves and rejects as `give` does. */
  forget(channelId: Guid): Promise<void> {
    return this.#change((owners) => {
      for (const [id, owner] of owners) if (owner === channelId) owners.delete(id);
    });
  }

  /** Changes run one after the other, each durable before it counts. */
  #change(edit: (owners: Map<Guid, Guid>) => void): Promise<void> {
    const changed = this.#changing.then(async () => {
      if (this.lack !== undefined)
        throw new NvrdError("NOT_AVAILABLE", "it is not known which recordings were given to cameras", {
          hint: "see protection-unknown in GET /api/health",
        });
      const owners = new Map(this.#owners);
      edit(owners);
      if (owners.size > GIVEN_MAX)
        throw new NvrdError(
          "NOT_AVAILABLE",
          `the recordings of ${GIVEN_MAX} former cameras are given already`,
          { hint: "take back or delete those of others first: see GET /api/archive/former" },
        );
      await this.#save(owners);
      this.#set(owners);
    });
    this.#changing = changed.catch(() => undefined); // the caller of `changed` gets the error
    return changed;
  }

  async #save(owners: ReadonlyMap<Guid, Guid>): Promise<void> {
    const given = [...owners].map(([formerId, channelId]) => ({ formerId, channelId }));
    try {
      await this.#file.replace({ given });
    } catch (cause) {
      throw new NvrdError("NOT_AVAILABLE", `${this.#file.path} cannot be written: ${errorText(cause)}`, {
        cause,
      });
    }
  }

  #set(owners: ReadonlyMap<Guid, Guid>): void {
    const families = new Map<Guid, Guid[]>();
    for (const [formerId, channelId] of owners) {
      const family = families.get(channelId) ?? [channelId];
      family.push(formerId);
      families.set(channelId, family);
    }
    this.#owners = owners;
    this.#families = families;
    for (const listener of this.#listeners) listener();
  }
}
