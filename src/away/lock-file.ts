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
  locks: v.array(
    v.object({
      ...{ id: guid, channelId: guid, fromUs: timeUs, toUs: timeUs },
      mode: v.picklist(["none", "governance", "compliance"]),
      ...{ untilUs: timeUs, isHeld: v.boolean(), isLifted: v.boolean() },
      ...{ comment: v.string(), userName: v.string(), createdUs: timeUs },
    }),
  ),
});

/** The locks of a target: a small file. Without it the bucket keeps what is locked; the recorder does not know of it any more. */
export class LockFile {
  readonly #path: string;
  readonly #log: Log;

  constructor({ directory, log }: { readonly directory: string; readonly log: Log }) {
    this.#path = path.join(directory, "locks.json");
    this.#log = log;
  }

  load(): readonly EvidenceLock[] {
    try {
      const text = readSmallFile(this.#path);
      return text === undefined ? [] : v.parse(schema, JSON.parse(text)).locks;
    } catch (error) {
      this.#log.error({ path: this.#path, error: errorText(error) }, "the locks of a target are lost");
      return [];
    }
  }

  /** Resolves when they are durable. Rejects with NvrdError NOT_AVAILABLE. */
  async save(locks: readonly EvidenceLock[]): Promise<void> {
    try {
      await mkdir(path.dirname(this.#path), { recursive: true });
      await replaceSmallFile(this.#path, `${JSON.stringify({ formatVersion: FORMAT_VERSION, locks })}\n`);
    } catch (error) {
      this.#log.error({ path: this.#path, error: errorText(error) }, "the locks of a target cannot be saved");
      throw new NvrdError("NOT_AVAILABLE", "the lock cannot be saved: check the system disk", {
        cause: error,
      });
    }
  }
}
