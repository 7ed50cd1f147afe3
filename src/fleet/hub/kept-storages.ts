import { createCipheriv, createDecipheriv, createPrivateKey, hkdfSync, randomBytes } from "node:crypto";
import * as v from "valibot";
import { errorText, type Guid, type Log } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import { type HandedStorage, handedStorage } from "../link/handed-storage.js";
import { BOXES_MAX } from "./box-keeping.js";
import type { HubStore } from "./hub-store.js";

const FOLDER = "hub/storage/";
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const SEALED_LENGTH_MAX = 16_000;

/** AES-256-GCM (NIST SP 800-38D). */
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const sealedSchema = v.pipe(v.string(), v.maxLength(SEALED_LENGTH_MAX));
const listSchema = v.object({
  storages: v.pipe(
    v.array(v.object({ id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))), sealed: sealedSchema })),
    v.maxLength(BOXES_MAX),
  ),
});
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
  readonly #key: Buffer;
  readonly #log: Log;
  /** Of this hub's own file. */
  readonly #sealed = new Map<Guid, string>();
  #ids = new Set<Guid>();

  constructor({ directory, store, authorityKey, log }: KeptStoragesOptions) {
    this.#store = store;
    this.#log = log;
    this.#file = new KeptFile(HUB_STORAGES_KIND, { directory, log });
    const secret = createPrivateKey(authorityKey).export({ format: "der", type: "pkcs8" });
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", "off-site storage of recorders", KEY_BYTES));
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
    try {
      return v.parse(handedStorage, JSON.parse(this.#open(id, sealed)));
    } catch (error) {
      this.#log.error(
        { box: id, reason: errorText(error) },
        "what a recorder has handed over of its off-site storage cannot be read: it is handed over anew",
      );
      return undefined;
    }
  }

  /** Resolves when it is kept. Rejects with the disk's or the store's error. */
  async write(id: Guid, storage: HandedStorage): Promise<void> {
    const sealed = this.#seal(id, JSON.stringify(storage));
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

  #seal(id: Guid, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(id));
    const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString("base64");
  }

  /** Throws where it was sealed by another authority, for another box, or was changed. */
  #open(id: Guid, sealed: string): string {
    const bytes = Buffer.from(sealed, "base64");
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    if (tag.length < TAG_BYTES) throw new TypeError("it is too short");
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(id))
      .setAuthTag(tag);
    const content = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(content), decipher.final()]).toString("utf8");
  }
}

function nameOf(id: Guid): string {
  return `${FOLDER}${id}.json`;
}
