import { US_PER_MS } from "../../base/index.js";
import { bytesBody, type ObjectBody } from "./object-body.js";
import { S3Error } from "./s3-error.js";
import type { S3Exchanges } from "./s3-exchange.js";
import { readList } from "./s3-list.js";

/** `governance`: who has the permission may lift it; `compliance`: nobody may, before its time. */
export type LockMode = "governance" | "compliance";

/** Until when the server refuses to delete an object. */
export interface Retention {
  readonly mode: LockMode;
  readonly untilUs: number;
}

export interface ObjectLock {
  readonly retention: Retention | undefined;
  readonly isHeld: boolean;
}

export interface ObjectVersion {
  readonly key: string;
  readonly versionId: string;
  /** A mark that says that the object was deleted; it has no content. */
  readonly isMarker: boolean;
}

interface Asking {
  readonly signal?: AbortSignal;
}

const BYPASS = { "x-amz-bypass-governance-retention": "true" };
const VERSIONS_BYTES_MAX = 4 * 1024 * 1024;
const VERSIONS_MAX = 1000;

/** The calls for what a bucket may have beside objects: locks, versions and lifecycle rules. Keys are without the target's prefix. */
export class S3Bucket {
  readonly #exchanges: S3Exchanges;
  readonly #prefix: string;

  constructor(exchanges: S3Exchanges, prefix: string) {
    this.#exchanges = exchanges;
    this.#prefix = prefix;
  }

  /** Whether objects can be locked. Rejects with `unsupported` where the server knows no locks. */
  async hasLock(asking: Asking = {}): Promise<boolean> {
    try {
      const { body } = await this.#get("", { "object-lock": "" }, asking);
      return /<ObjectLockEnabled>Enabled</.test(body.toString("utf8"));
    } catch (error) {
      if (error instanceof S3Error && (error.fault === "no-lock" || error.fault === "not-found"))
        return false;
      throw error;
    }
  }

  /** Whether a deleted object stays as a version. Servers that know none answer so. */
  async hasVersions(asking: Asking = {}): Promise<boolean> {
    try {
      const { body } = await this.#get("", { versioning: "" }, asking);
      return /<Status>Enabled</.test(body.toString("utf8"));
    } catch (error) {
      if (error instanceof S3Error && error.fault === "unsupported") return false;
      throw error;
    }
  }

  /**
   * Locks the newest version of an object. A time that is later than the present one, or a stricter mode, is always taken; an
   * earlier one in governance mode, where the key may do that.
   */
  async retain(key: string, { mode, untilUs }: Retention, asking: Asking = {}): Promise<void> {
    const until = new Date(Math.floor(untilUs / US_PER_MS)).toISOString();
    const text = `<Mode>${mode.toUpperCase()}</Mode><RetainUntilDate>${until}</RetainUntilDate>`;
    const body = documentOf("Retention", text);
    await this.#locking(key, { retention: "" }, body, { ...asking, headers: BYPASS });
  }

  /** Sets a hold without an end, or removes it. */
  async hold(key: string, isHeld: boolean, asking: Asking = {}): Promise<void> {
    const body = documentOf("LegalHold", `<Status>${isHeld ? "ON" : "OFF"}</Status>`);
    await this.#locking(key, { "legal-hold": "" }, body, asking);
  }

  /** What the server says of an object's lock. Rejects with `not-found`. */
  async lockOf(key: string, asking: Asking = {}): Promise<ObjectLock> {
    const { headers } = await this.#exchanges.run({ method: "HEAD", key: this.#prefix + key, ...asking });
    const mode = String(headers["x-amz-object-lock-mode"] ?? "").toLowerCase();
    const untilUs = Date.parse(String(headers["x-amz-object-lock-retain-until-date"] ?? "")) * US_PER_MS;
    const isLocked = (mode === "governance" || mode === "compliance") && !Number.isNaN(untilUs);
    return {
      retention: isLocked ? { mode, untilUs } : undefined,
      isHeld: String(headers["x-amz-object-lock-legal-hold"] ?? "").toUpperCase() === "ON",
    };
  }

  /** All versions of an object, at most the 1000 newest. */
  async versionsOf(key: string, asking: Asking = {}): Promise<readonly ObjectVersion[]> {
    const query = { versions: "", prefix: this.#prefix + key, "max-keys": String(VERSIONS_MAX) };
    const { body } = await this.#get("", query, asking, VERSIONS_BYTES_MAX);
    return versionsIn(body)
      .filter((version) => version.key === this.#prefix + key)
      .map((version) => ({ ...version, key }));
  }

  /** Removes a version for good. Rejects with `locked` where a lock forbids it. */
  async removeVersion(key: string, versionId: string, asking: Asking = {}): Promise<void> {
    try {
      const query = { versionId };
      await this.#exchanges.run({ method: "DELETE", key: this.#prefix + key, query, ...asking });
    } catch (error) {
      if (!(error instanceof S3Error && error.fault === "forbidden")) throw error;
      throw new S3Error("locked", "a lock forbids that this object is deleted", { cause: error });
    }
  }

  /** Removes the tags of an object; none is no error. */
  async untag(key: string, asking: Asking = {}): Promise<void> {
    const query = { tagging: "" };
    await this.#exchanges.run({ method: "DELETE", key: this.#prefix + key, query, ...asking });
  }

  /** The lifecycle rules as the server has them, each `<Rule>…</Rule>`. Rejects with `unsupported`. */
  async rules(asking: Asking = {}): Promise<readonly string[]> {
    try {
      const { body } = await this.#get("", { lifecycle: "" }, asking);
      return rulesIn(body.toString("utf8"));
    } catch (error) {
      if (error instanceof S3Error && error.fault === "not-found") return [];
      throw error;
    }
  }

  /** Replaces all lifecycle rules of the bucket. */
  async setRules(rules: readonly string[], asking: Asking = {}): Promise<void> {
    const query = { lifecycle: "" };
    if (rules.length === 0) {
      await this.#exchanges.run({ method: "DELETE", key: "", query, ...asking });
      return;
    }
    const body = documentOf("LifecycleConfiguration", rules.join(""));
    await this.#exchanges.run({ method: "PUT", key: "", query, body, ...asking });
  }

  /** Where the bucket has no lock servers answer in several ways. */
  async #locking(
    key: string,
    query: Readonly<Record<string, string>>,
    body: ObjectBody,
    asking: Asking & { readonly headers?: Readonly<Record<string, string>> },
  ): Promise<void> {
    try {
      await this.#exchanges.run({ method: "PUT", key: this.#prefix + key, query, body, ...asking });
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      if (error.code === "InvalidRequest" || error.code === "InvalidBucketState")
        throw new S3Error("no-lock", "the bucket has no object lock", { cause: error });
      if (error.fault === "forbidden")
        throw new S3Error(
          "locked",
          `the storage refuses to change the lock (${error.message}): a lock in compliance mode cannot be shortened, and one in governance mode needs s3:BypassGovernanceRetention`,
          { cause: error },
        );
      throw error;
    }
  }

  #get(key: string, query: Readonly<Record<string, string>>, asking: Asking, answerBytesMax?: number) {
    const request = { method: "GET", key: key === "" ? "" : this.#prefix + key, query } as const;
    return this.#exchanges.run({
      ...request,
      ...asking,
      ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
    });
  }
}

function documentOf(name: string, content: string): ObjectBody {
  const text = `<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`;
  return bytesBody(Buffer.from(text));
}

/** Throws S3Error where rules cannot be distinguished: setting others would lose them. */
function rulesIn(text: string): readonly string[] {
  const rules = text.match(/<Rule>[\s\S]*?<\/Rule>/g) ?? [];
  const isWhole = rules.length === (text.match(/<\/(?:[\w-]+:)?Rule>/g) ?? []).length;
  if (!isWhole || text.includes("<!DOCTYPE"))
    throw new S3Error("answer", "the lifecycle rules of the bucket cannot be read");
  return rules;
}

const VERSION_LISTS = ["Version", "DeleteMarker"] as const;

function versionsIn(body: Buffer): readonly ObjectVersion[] {
  const found = readList(body, "ListVersionsResult", VERSION_LISTS, "the list of versions");
  return VERSION_LISTS.flatMap((name) => {
    const listed = Array.isArray(found[name])
      ? (found[name] as { Key?: unknown; VersionId?: unknown }[])
      : [];
    return listed.map(({ Key, VersionId }) => ({
      key: String(Key),
      versionId: String(VersionId),
      isMarker: name === "DeleteMarker",
    }));
  });
}
