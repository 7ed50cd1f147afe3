import { mkdir } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import {
  errorText,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
  readSmallFile,
  replaceSmallFile,
} from "../base/index.js";
import type { WantedLock } from "./plan/object-lock.js";

const FORMAT_VERSION = 1;

/** A lock of a channel's recordings of a time in one bucket, and who wanted it. */
export interface EvidenceLock extends WantedLock {
  readonly id: Guid;
  readonly channelId: Guid;
  readonly comment: string;
  /** Empty: the target's configuration, because the time is protected. */
  readonly userName: string;
  readonly createdUs: number;
}

const guid = v.pipe(
  v.string(),
  v.check((text) => parseGuid(text) === text),
);
const timeUs = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.object({
  formatVersion: v.literal(FORMAT_VERSION),
  /** The bucket is to be asked for locks that are not in this file. */
  isPartial: v.optional(v.boolean()),
  locks: v.array(
    v.object({
      ...{ id: guid, channelId: guid, fromUs: timeUs, toUs: timeUs },
      mode: v.picklist(["none", "governance", "compliance"]),
      ...{ untilUs: timeUs, isHeld: v.boolean(), isLifted: v.boolean() },
      ...{ comment: v.string(), userName: v.string(), createdUs: timeUs },
    }),
  ),
});

/** A list of locks; `isPartial`: the bucket may know of others. */
export interface LockList {
  readonly locks: readonly EvidenceLock[];
  readonly isPartial?: boolean | undefined;
}

export function locksText({ locks, isPartial }: LockList): string {
  const partial = isPartial === true ? { isPartial } : {};
  return `${JSON.stringify({ formatVersion: FORMAT_VERSION, ...partial, locks })}\n`;
}

/** Throws where it is no list of locks. */
export function readLocks(text: string): LockList {
  return v.parse(schema, JSON.parse(text));
}

/** The locks of a target: a small file. Without it they are known again from the bucket's copy. */
export class LockFile {
  readonly #path: string;
  readonly #log: Log;

  constructor({ directory, log }: { readonly directory: string; readonly log: Log }) {
    this.#path = path.join(directory, "locks.json");
    this.#log = log;
  }

  load(): LockList {
    try {
      const text = readSmallFile(this.#path);
      return text === undefined ? { locks: [], isPartial: true } : readLocks(text);
    } catch (error) {
      this.#log.error(
        { path: this.#path, error: errorText(error) },
        "the locks of a target cannot be read: its bucket is asked for them",
      );
      return { locks: [], isPartial: true };
    }
  }

  /** Resolves when they are durable. Rejects with NvrdError NOT_AVAILABLE. */
  async save(list: LockList): Promise<void> {
    try {
      await mkdir(path.dirname(this.#path), { recursive: true });
      await replaceSmallFile(this.#path, locksText(list));
    } catch (error) {
      this.#log.error({ path: this.#path, error: errorText(error) }, "the locks of a target cannot be saved");
      throw new NvrdError("NOT_AVAILABLE", "the lock cannot be saved: check the system disk", {
        cause: error,
      });
    }
  }
}
