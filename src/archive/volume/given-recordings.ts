import { mkdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import {
  errorText,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
  readKeptTwice,
  replaceKeptTwice,
} from "../../base/index.js";

const FILE = "given-recordings.json";
const FORMAT_VERSION = 1;
/** Most former cameras whose recordings belong to another one; a further one is refused. */
export const GIVEN_MAX = 1024;

const guid = v.pipe(
  v.string(),
  v.check((text) => parseGuid(text) === text),
);
const fileSchema = v.object({
  formatVersion: v.literal(FORMAT_VERSION),
  given: v.pipe(v.array(v.object({ formerId: guid, channelId: guid })), v.maxLength(GIVEN_MAX)),
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
  readonly #path: string;
  readonly #listeners: (() => void)[] = [];
  /** By former camera, in the order in which they were given. */
  #owners: ReadonlyMap<Guid, Guid> = new Map();
  #families: ReadonlyMap<Guid, readonly Guid[]> = new Map();
  #lack: string | undefined;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: GivenRecordingsOptions) {
    this.#options = options;
    this.#path = join(options.dataDir, FILE);
  }

  /** Reads what was kept. */
  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    const faults: string[] = [];
    const kept = readKeptTwice(this.#path, parseGiven, (path, error) => {
      faults.push(`${path}: ${errorText(error)}`);
      this.#options.log.error(
        { path, error: errorText(error) },
        "cannot be read: without its copy, recordings that were given to a camera are those of former cameras again",
      );
    });
    this.#lack = kept === undefined && faults.length > 0 ? faults.join("; ") : undefined;
    this.#set(new Map(kept?.map(({ formerId, channelId }) => [formerId, channelId])));
  }

  /**
   * Why it is not known what was given; undefined: it is known. Until `accept` nothing more is given: a protected time of the camera
   * may hold for recordings that do not seem to be its own.
   */
  get lack(): string | undefined {
    return this.#lack;
  }

  /** What is not known was not given. What cannot be read stays beside. Resolves and rejects as `give` does. */
  accept(): Promise<void> {
    const accepted = this.#changing.then(async () => {
      if (this.#lack === undefined) return;
      await this.#setAside();
      await this.#save(this.#owners);
      this.#lack = undefined;
    });
    this.#changing = accepted.catch(() => undefined); // `accepted` tells its own caller
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
      if (this.#lack !== undefined)
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
    this.#changing = changed.catch(() => undefined); // `changed` tells its own caller
    return changed;
  }

  async #setAside(): Promise<void> {
    try {
      await rename(this.#path, `${this.#path}.damaged`);
    } catch (error) {
      this.#options.log.warn(
        { path: this.#path, error: errorText(error) },
        "the damaged list of given recordings cannot be set aside: it is replaced",
      );
    }
  }

  async #save(owners: ReadonlyMap<Guid, Guid>): Promise<void> {
    const given = [...owners].map(([formerId, channelId]) => ({ formerId, channelId }));
    const text = `${JSON.stringify({ formatVersion: FORMAT_VERSION, given }, null, 2)}\n`;
    try {
      await replaceKeptTwice(this.#path, text);
    } catch (cause) {
      throw new NvrdError("NOT_AVAILABLE", `${this.#path} cannot be written: ${errorText(cause)}`, { cause });
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

function parseGiven(text: string): readonly GivenRecording[] {
  return v.parse(fileSchema, JSON.parse(text)).given;
}
