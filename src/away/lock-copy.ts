import { errorText, type Log } from "../base/index.js";
import { type EvidenceLock, locksText, readLocks } from "./lock-file.js";
import { LOCKS_BYTES_MAX, LOCKS_FOLDER, locksKey } from "./plan/lock-keys.js";
import { revisionOf } from "./plan/manifest.js";
import type { Sender } from "./send/sender.js";

/** Instead of a user's name, beside encrypted recordings. */
const WITHHELD = "?";

export interface LockCopyOptions {
  readonly sender: Pick<Sender, "run">;
  /** Beside encrypted recordings lies nothing that says who locked what, and why. */
  readonly isSealed: boolean;
  readonly log: Log;
}

/** The locks of a target, once more in its bucket: a list that is replaced by a new one, and never changed. */
export class LockCopy {
  readonly #options: LockCopyOptions;
  /** In order of their revisions; undefined: the bucket was not asked yet. */
  #keys: string[] | undefined;
  #text = "";

  constructor(options: LockCopyOptions) {
    this.#options = options;
  }

  /** From the newest list that can be read; empty where there is none. Rejects with SendError. */
  async read(): Promise<readonly EvidenceLock[]> {
    const { sender, log } = this.#options;
    const listed = await sender.run({ op: "list", start: LOCKS_FOLDER });
    const keys = listed.map(({ key }) => key).filter((key) => revisionOf(key) !== undefined);
    let found: readonly EvidenceLock[] = [];
    for (const key of keys.sort().reverse()) {
      const content = await sender.run({ op: "get", key, bytesMax: LOCKS_BYTES_MAX });
      if (content === undefined) continue;
      try {
        const text = Buffer.from(content).toString("utf8");
        found = readLocks(text).locks;
        this.#text = key === keys[0] ? text : "";
        break;
      } catch (error) {
        log.error({ key, error: errorText(error) }, "a list of locks in the bucket cannot be read");
      }
    }
    this.#keys = keys.reverse();
    return found;
  }

  /** Resolves with false where the bucket has it. Rejects with SendError. */
  async write(locks: readonly EvidenceLock[]): Promise<boolean> {
    if (this.#keys === undefined) await this.read();
    const keys = this.#keys ?? [];
    const text = locksText({ locks: locks.map((lock) => this.#withoutSecrets(lock)) });
    if (text === this.#text || (locks.length === 0 && keys.length === 0)) return false;
    const older = [...keys];
    const key = locksKey((revisionOf(keys.at(-1) ?? "") ?? 0) + 1);
    // It may be there though its answer is lost: the number is used up.
    keys.push(key);
    this.#text = "";
    await this.#options.sender.run({ op: "put", key, content: Buffer.from(text) });
    for (const name of older) await this.#options.sender.run({ op: "remove", key: name });
    this.#keys = [key];
    this.#text = text;
    return true;
  }

  #withoutSecrets(lock: EvidenceLock): EvidenceLock {
    if (!this.#options.isSealed) return lock;
    return { ...lock, comment: "", userName: lock.userName === "" ? "" : WITHHELD };
  }
}
