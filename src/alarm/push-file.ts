import { createECDH } from "node:crypto";
import { errorText, type Guid, type Log } from "../base/index.js";
import { KeptFile, keptKind } from "../kept/index.js";
import { PUSH_FILE_SCHEMA, type PushKey, type PushSubscription } from "./push-subscription.js";

/** In the data directory: the recorder's key, and the subscribed browsers. */
export const PUSH_FILE = "push.json";
/** Of a private key and addresses that anybody could send to: nobody but the service reads it. */
const FILE_MODE = 0o600;
const CURVE = "prime256v1";

export const PUSH_KIND = keptKind({
  name: PUSH_FILE,
  says: "the subscriptions of browsers",
  policy: "forget",
  damaged: "the subscriptions of browsers cannot be read: they subscribe anew",
  unsaved: "the subscriptions of browsers cannot be written",
  severity: "warn",
  schema: PUSH_FILE_SCHEMA,
  mode: FILE_MODE,
});

/** The subscribed browsers, in a file: a change resolves when it is on the disk. */
export class PushFile {
  readonly #file: KeptFile<typeof PUSH_FILE_SCHEMA>;
  readonly #log: Log;
  #key: PushKey | null = null;
  #subscriptions = new Map<Guid, PushSubscription>();
  #writing: Promise<void> = Promise.resolve();

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.#file = new KeptFile(PUSH_KIND, { directory: dataDir, log });
    this.#log = log;
  }

  /** Reads what there is. Without the file there are no subscriptions; browsers subscribe anew. */
  read(): void {
    const { key = null, subscriptions = [] } = this.#file.read() ?? {};
    this.#key = key;
    this.#subscriptions = new Map(subscriptions.map((one) => [one.id, one]));
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
    await this.#file.flush();
  }

  #write(): Promise<void> {
    this.#writing = this.#file.replace({ key: this.#key, subscriptions: [...this.all] });
    this.#writing.catch((error: unknown) =>
      this.#log.warn(
        { path: this.#file.path, error: errorText(error) },
        "the subscriptions of browsers cannot be written",
      ),
    );
    return this.#writing;
  }
}
