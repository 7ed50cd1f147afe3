import * as v from "valibot";
import type { Guid, Log } from "../../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";

/** Recorders that can have a share. */
export const REPLICA_SHARES_MAX = 8;
/** In the data directory, beside what is sent. */
const FOLDER = "away";
const FOLDER_MODE = 0o750;

const schema = v.object({
  /** The volume that replicas lie on. */
  volumeId: keptGuid,
  shares: v.pipe(
    v.array(
      v.object({
        id: keptGuid,
        name: v.pipe(v.string(), v.maxLength(128)),
        bytesMax: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      }),
    ),
    v.maxLength(REPLICA_SHARES_MAX),
  ),
});

export const REPLICA_SHARES_KIND = keptKind({
  name: "replicas.json",
  folder: `${FOLDER}/`,
  says: "how much of a disk other recorders may use for replicas of their recordings",
  policy: "refuse",
  damaged: "the list of shares is damaged: no replicas are taken; what is kept stays. Give the shares anew",
  copies: 2,
  folderMode: FOLDER_MODE,
  schema,
});

/** What of a disk a recorder may use for its replicas. */
export interface ReplicaShare {
  readonly id: Guid;
  /** As it was called when the share was given. */
  readonly name: string;
  /** 0: nothing more is taken; what is kept stays. */
  readonly bytesMax: number;
}

/** Shares of a volume that were given to other recorders, kept over a restart. */
export class ReplicaShares {
  readonly #file: KeptFile<typeof schema>;
  #volumeId: Guid | undefined;
  #shares: readonly ReplicaShare[] = [];

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.#file = new KeptFile(REPLICA_SHARES_KIND, { directory: `${dataDir}/${FOLDER}`, log });
  }

  /** Throws NvrdError where the file cannot be used. */
  start(): void {
    const kept = this.#file.read();
    this.#volumeId = kept?.volumeId;
    this.#shares = kept?.shares ?? [];
  }

  /** Undefined: no share was given yet. */
  get volumeId(): Guid | undefined {
    return this.#volumeId;
  }

  get all(): readonly ReplicaShare[] {
    return this.#shares;
  }

  get(id: Guid): ReplicaShare | undefined {
    return this.#shares.find((share) => share.id === id);
  }

  /** Resolves when it is kept. Rejects with the disk's error: then nothing has changed. */
  async give(share: ReplicaShare, volumeId: Guid): Promise<void> {
    await this.#keep(volumeId, [...this.#shares.filter(({ id }) => id !== share.id), share]);
  }

  /** Resolves when it is kept. Rejects as `give`. */
  async takeBack(id: Guid): Promise<void> {
    if (this.#volumeId === undefined) return;
    await this.#keep(
      this.#volumeId,
      this.#shares.filter((share) => share.id !== id),
    );
  }

  async #keep(volumeId: Guid, shares: readonly ReplicaShare[]): Promise<void> {
    await this.#file.replace({ volumeId, shares: shares.map((share) => ({ ...share })) });
    this.#volumeId = volumeId;
    this.#shares = shares;
  }
}
