import { createECDH } from "node:crypto";
import path from "node:path";
import * as v from "valibot";
import { errorText, type Guid, type Log, readSmallFile, replaceSmallFile } from "../base/index.js";
import { PUSH_FILE_SCHEMA, type PushKey, type PushSubscription } from "./push-subscription.js";

/** In the data directory: the recorder's key, and the browsers that are told of events. */
export const PUSH_FILE = "push.json";
/** Of a private key and addresses that anybody could send to: nobody but the service reads it. */
const FILE_MODE = 0o600;
/** A larger file is none of ours. */
const TEXT_LENGTH_MAX = 4_000_000;
const CURVE = "prime256v1";

/** The browsers that are told of events, in a file: a change resolves when it is on the disk. */
export class PushFile {
  readonly #file: string;
  readonly #log: Log;
  #key: PushKey | null = null;
  #subscriptions = new Map<Guid, PushSubscription>();
  #writing: Promise<void> = Promise.resolve();

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.#file = path.join(dataDir, PUSH_FILE);
    this.#log = log;
  }

  /** Reads what there is. Without the file nobody is told; browsers subscribe anew. */
  read(): void {
    try {
      const text = readSmallFile(this.#file);
      if (text === undefined) return;
      if (text.length > TEXT_LENGTH_MAX) throw new RangeError(`it has ${text.length} characters`);
      const { key, subscriptions } = v.parse(PUSH_FILE_SCHEMA, JSON.parse(text));
      this.#key = key;
      this.#subscriptions = new Map(subscriptions.map((one) => [one.id, one]));
    } catch (error) {
      this.#log.warn(
        { path: this.#file, error: errorText(error) },
        "the subscriptions of browsers cannot be read: they subscribe anew",
      );
    }
  }

  get all(): readonly PushSubscription[] {
    return [...this.#subscriptions.values()];
  }

  /** The key that browsers know the recorder by; made when it is asked for first. Rejects when it cannot be kept. */
  async key(): Promise<PushKey> {
    if (this.#key === null) {
      const pair = createECDH(CURVE);
      const publicKey = pair.generateKeys("base64url");
      this.#key = { publicKey, privateKey: pair.getPrivateKey("base64url") };
      await this.#write();
    }
    await this.#writing;
    return this.#key;
  }

  /** Resolves when it is on the disk. */
  async put(subscription: PushSubscription): Promise<void> {
    this.#subscriptions.set(subscription.id, subscription);
    await this.#write();
  }

  async remove(ids: readonly Guid[]): Promise<void> {
    const gone = ids.filter((id) => this.#subscriptions.delete(id));
    if (gone.length > 0) await this.#write();
  }

  /** Resolves when all changes are on the disk, or have failed. */
  async stop(): Promise<void> {
    await this.#writing.catch((error: unknown) => this.#warn(error));
  }

  #write(): Promise<void> {
    const replace = async (): Promise<void> => {
      const content = { formatVersion: 1, key: this.#key, subscriptions: this.all };
      await replaceSmallFile(this.#file, `${JSON.stringify(content)}\n`, FILE_MODE);
    };
    // A write that failed is no reason not to try the next one.
    this.#writing = this.#writing.catch((error: unknown) => this.#warn(error)).then(replace);
    return this.#writing;
  }

  #warn(error: unknown): void {
    this.#log.warn(
      { path: this.#file, error: errorText(error) },
      "the subscriptions of browsers cannot be written",
    );
  }
}
