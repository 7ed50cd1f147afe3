import * as v from "valibot";
import type { Guid, Log } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import { type HandedStorage, handedStorage } from "../link/handed-storage.js";
import { AuthoritySeal } from "./authority-seal.js";
import { BOXES_MAX } from "./box-keeping.js";
import type { HubStore } from "./hub-store.js";

const FOLDER = "hub/storage/";
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const SEALED_LENGTH_MAX = 16_000;

const sealedSchema = v.pipe(v.string(), v.maxLength(SEALED_LENGTH_MAX));
const listSchema = v.object({
  storages: v.pipe(
    v.array(v.object({ id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))), sealed: sealedSchema })),
    v.maxLength(BOXES_MAX),
  ),
});
const openedStorage = v.pipe(v.string(), v.parseJson(), handedStorage);
const documentSchema = v.object({ Sealed: sealedSchema });

export const HUB_STORAGES_KIND = keptKind({
  name: "storages.json",
  folder: "hub/",
  says: "how off-site recordings of this hub's recorders are read, sealed",
  policy: "forget",
  damaged:
    "damaged: recorders that are connected hand over anew what this hub may read of their off-site storage",
  mode: FILE_MODE,
  folderMode: FOLDER_MODE,
  schema: listSchema,
});

export interface KeptStoragesOptions {
  /** The hub's folder. */
  readonly directory: string;
  /** What several hubs have together; undefined: this hub is alone. */
  readonly store: HubStore | undefined;
  /** The key of the hub's authority, PEM: whoever has the file or the store alone can read nothing. */
  readonly authorityKey: string;
  readonly log: Log;
}

/** What boxes have handed over of their off-site storage, sealed, as the hub's list of boxes is kept: in a file, or where all hubs can read it. */
export class KeptStorages {
  readonly #store: HubStore | undefined;
  readonly #file: KeptFile<typeof listSchema>;
  readonly #seal: AuthoritySeal;
  readonly #log: Log;
  /** Of this hub's own file. */
  readonly #sealed = new Map<Guid, string>();
  #ids = new Set<Guid>();

  constructor({ directory, store, authorityKey, log }: KeptStoragesOptions) {
    this.#store = store;
    this.#log = log;
    this.#file = new KeptFile(HUB_STORAGES_KIND, { directory, log });
    this.#seal = new AuthoritySeal(authorityKey, "off-site storage of recorders");
  }

  /** Finds out who has handed something over. Rejects with NvrdError NOT_AVAILABLE. */
  async start(): Promise<void> {
    if (this.#store !== undefined) {
      const names = await this.#store.names(FOLDER);
      this.#ids = new Set(names.flatMap((name) => /^hub\/storage\/(.+)\.json$/.exec(name)?.[1] ?? []));
      return;
    }
    for (const { id, sealed } of this.#file.read()?.storages ?? []) this.#sealed.set(id, sealed);
    this.#ids = new Set(this.#sealed.keys());
  }

  /** Whether a box has handed something over, as far as it is known. */
  has(id: Guid): boolean {
    return this.#ids.has(id);
  }

  /** Undefined: nothing, or it cannot be read. Rejects with NvrdError NOT_AVAILABLE. */
  async read(id: Guid): Promise<HandedStorage | undefined> {
    const sealed = this.#store === undefined ? this.#sealed.get(id) : await this.#readDocument(id);
    if (sealed === undefined) {
      this.#ids.delete(id);
      return undefined;
    }
    this.#ids.add(id);
    const read = v.safeParse(openedStorage, this.#seal.open(id, sealed));
    if (read.success) return read.output;
    // The issue's message may quote a secret.
    const member = v.getDotPath(read.issues[0]);
    this.#log.error(
      { box: id, reason: member === null ? "it was sealed for somebody else, or changed" : `its ${member}` },
      "what a recorder has handed over of its off-site storage cannot be read: it is handed over anew",
    );
    return undefined;
  }

  /** Resolves when it is kept. Rejects with the disk's or the store's error. */
  async write(id: Guid, storage: HandedStorage): Promise<void> {
    const sealed = this.#seal.seal(id, JSON.stringify(storage));
    if (this.#store === undefined) {
      this.#sealed.set(id, sealed);
      await this.#writeFile();
    } else await this.#store.write(nameOf(id), JSON.stringify({ Sealed: sealed }));
    this.#ids.add(id);
  }

  /** None is no error. Rejects with the disk's or the store's error. */
  async remove(id: Guid): Promise<void> {
    if (this.#store !== undefined) await this.#store.remove(nameOf(id));
    else if (this.#sealed.delete(id)) await this.#writeFile();
    this.#ids.delete(id);
  }

  async #writeFile(): Promise<void> {
    await this.#file.replace({ storages: [...this.#sealed].map(([id, sealed]) => ({ id, sealed })) });
  }

  async #readDocument(id: Guid): Promise<string | undefined> {
    const said = await this.#store?.read(nameOf(id));
    if (said === undefined) return undefined;
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), documentSchema), said);
    return read.success ? read.output.Sealed : "";
  }
}

function nameOf(id: Guid): string {
  return `${FOLDER}${id}.json`;
}
