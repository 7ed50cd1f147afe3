import { randomBytes } from "node:crypto";
import { type Clock, errorText, MS_PER_MINUTE, newGuid } from "../base/index.js";
import type { AwayTests } from "../contract/answer/index.js";
import { type AwayTarget, readIdentity, readRecipient } from "../site/index.js";
import { AGES_TAG } from "./bucket-rules.js";
import { bytesBody } from "./s3/object-body.js";
import { S3Client } from "./s3/s3-client.js";
import { clockWords, S3Error, type S3Fault } from "./s3/s3-error.js";
import { privateKeyOf, rawPublicKey } from "./seal/age-keys.js";
import { s3TargetOf } from "./target-address.js";

const TRIAL_BYTES = 4096;
/** From here on the owner is warned: servers refuse at 15 minutes. */
const AHEAD_MS_MAX = 5 * MS_PER_MINUTE;

export type CheckStep = NonNullable<AwayTests["Results"][number]["Step"]>;

/** What a target lacks; the text is for the owner. */
export interface TargetProblem {
  readonly step: CheckStep;
  readonly fault: S3Fault;
  readonly text: string;
}

export interface TargetCheckOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly silenceMsMax?: number;
}

/** Where it is, and what of a bucket it needs. */
export type CheckedTarget = Parameters<typeof s3TargetOf>[0] &
  Partial<Pick<AwayTarget, "lock" | "keepDays" | "ageBy" | "recipients" | "identity">>;

/**
 * Tries with a small object of its own all that replication needs of a target: writes it, compares the clocks, sends a
 * wrong digest that must be refused, reads back, lists, deletes; asks for locks and lifecycle rules where they are wanted. Undefined: all of it works.
 */
export async function checkTarget(
  target: CheckedTarget,
  options: TargetCheckOptions,
): Promise<TargetProblem | undefined> {
  const { clock, signal, silenceMsMax } = options;
  const client = new S3Client({
    target: s3TargetOf(target),
    clock,
    ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
  });
  const trial = new TargetTrial(client, target, signal === undefined ? {} : { signal });
  try {
    return await trial.run();
  } finally {
    client.close();
  }
}

class TargetTrial {
  readonly #client: S3Client;
  readonly #target: CheckedTarget;
  readonly #sending: { readonly signal?: AbortSignal };
  readonly #key = `test/${newGuid()}`;
  readonly #content = randomBytes(TRIAL_BYTES);
  #step: CheckStep = "write";

  constructor(client: S3Client, target: CheckedTarget, sending: { readonly signal?: AbortSignal }) {
    this.#client = client;
    this.#target = target;
    this.#sending = sending;
  }

  async run(): Promise<TargetProblem | undefined> {
    const problem = await this.#tried(() => this.#useAll());
    if (problem !== undefined && this.#step !== "write" && this.#step !== "delete")
      await this.#tried(() => this.#client.remove(this.#key, this.#sending)); // the first problem is reported
    return problem;
  }

  async #tried(work: () => Promise<void>): Promise<TargetProblem | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      const fault = error instanceof S3Error ? error.fault : "answer";
      // HEAD and GET answer 404 for an object, and for a bucket that is not there.
      return { step: this.#step, fault, text: `${STEP_WORDS[this.#step]}: ${errorText(error)}` };
    }
  }

  async #useAll(): Promise<void> {
    const { aheadMs = 0 } = await this.#client.put(this.#key, bytesBody(this.#content), this.#sending);
    this.#step = "clock";
    if (Math.abs(aheadMs) > AHEAD_MS_MAX)
      throw new S3Error("clock", `the server's clock is ${clockWords(aheadMs)}: set this box's clock`);
    this.#step = "digest";
    await this.#checkDigest();
    this.#step = "read";
    await this.#checkContent();
    this.#step = "list";
    const { objects } = await this.#client.list(this.#key, this.#sending);
    if (!objects.some(({ key }) => key === this.#key))
      throw new S3Error("answer", "the object that was just written is not in the list");
    await this.#checkLock();
    await this.#checkLifecycle();
    this.#checkKeys();
    this.#step = "delete";
    await this.#client.remove(this.#key, this.#sending);
    if ((await this.#client.bytesOf(this.#key, this.#sending)) !== undefined)
      throw new S3Error("answer", "the object is still there after it was deleted");
  }

  /** "Sent" means that the server compared what arrived: one that does not is no place for evidence. */
  async #checkDigest(): Promise<void> {
    const wrong = { ...bytesBody(this.#content), md5: bytesBody(Buffer.from("another")).md5 };
    try {
      await this.#client.put(this.#key, wrong, this.#sending);
    } catch (error) {
      if (error instanceof S3Error && (error.fault === "digest" || error.fault === "answer")) return;
      throw error;
    }
    throw new S3Error(
      "digest",
      "the server accepted an object with a wrong Content-MD5: it does not check what arrives, use another",
    );
  }

  async #checkLock(): Promise<void> {
    const { lock } = this.#target;
    if (lock === undefined || (lock.mode === "none" && !lock.isHeld)) return;
    this.#step = "lock";
    if (await this.#client.bucket.hasLock(this.#sending)) return;
    throw new S3Error(
      "no-lock",
      `the bucket ${this.#target.bucket} has no object lock: create another one with it, or set LockMode to None`,
    );
  }

  /** Whether the server takes the tag that rules go by, and knows rules. */
  async #checkLifecycle(): Promise<void> {
    const { keepDays = null, ageBy } = this.#target;
    if (keepDays === null || ageBy !== "bucket") return;
    this.#step = "lifecycle";
    await this.#client.bucket.rules(this.#sending);
    await this.#client.put(this.#key, bytesBody(this.#content), { ...this.#sending, tag: AGES_TAG });
    await this.#client.bucket.untag(this.#key, this.#sending);
  }

  /** A private key that opens nothing would be found out when it is too late. */
  #checkKeys(): void {
    const { recipients = [], identity = "" } = this.#target;
    const key = readIdentity(identity);
    if (key === undefined || recipients.length === 0) return;
    this.#step = "keys";
    const own = Buffer.from(rawPublicKey(privateKeyOf(key)));
    if (recipients.some((text) => own.equals(readRecipient(text) ?? new Uint8Array()))) return;
    throw new S3Error("sealed", "Identity is not the private key to any of Recipients");
  }

  async #checkContent(): Promise<void> {
    const { body } = await this.#client.get(this.#key, { bytesMax: TRIAL_BYTES, ...this.#sending });
    if (!body.equals(this.#content))
      throw new S3Error("digest", "what was read back is not what was written");
  }
}

const STEP_WORDS: Readonly<Record<CheckStep, string>> = {
  write: "writing a test object failed",
  clock: "comparing the clocks failed",
  digest: "checking that the server compares digests failed",
  read: "reading the test object back failed",
  list: "listing the test object failed",
  lock: "asking for object lock failed",
  lifecycle: "asking for lifecycle rules and tags failed: with AgeBy: Recorder the server needs none",
  keys: "comparing the keys of the encryption failed",
  delete: "deleting the test object failed",
};
