import * as v from "valibot";
import { errorText, type Guid, type Log, NvrdError } from "../base/index.js";
import { exactGuid, KeptFile, keptKind } from "../kept/index.js";
import type { WantedLock } from "./plan/object-lock.js";

const FOLDER_MODE = 0o750;

/** A lock of a channel's recordings of a time in one bucket, and who wanted it. */
export interface EvidenceLock extends WantedLock {
  readonly id: Guid;
  readonly channelId: Guid;
  readonly comment: string;
  /** Empty: the target's configuration, because the time is protected. */
  readonly userName: string;
  readonly createdUs: number;
}

const timeUs = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.object({
  /** The bucket is to be asked for locks that are not in this file. */
  isPartial: v.optional(v.boolean()),
  locks: v.array(
    v.object({
      ...{ id: exactGuid, channelId: exactGuid, fromUs: timeUs, toUs: timeUs },
      mode: v.picklist(["none", "governance", "compliance"]),
      ...{ untilUs: timeUs, isHeld: v.boolean(), isLifted: v.boolean() },
      ...{ comment: v.string(), userName: v.string(), createdUs: timeUs },
    }),
  ),
});

/** In the folder of a target, and in its bucket. */
export const LOCKS_KIND = keptKind({
  name: "locks.json",
  folder: "away/…/",
  says: "the locks in a target's bucket; a copy is in the bucket",
  policy: "rebuild",
  damaged: "the locks of a target cannot be read: its bucket is asked for them",
  unsaved: "the locks of a target cannot be saved",
  schema,
  folderMode: FOLDER_MODE,
});

/** A list of locks; `isPartial`: the bucket may know of others. */
export interface LockList {
  readonly locks: readonly EvidenceLock[];
  readonly isPartial?: boolean | undefined;
}

export function locksText(list: LockList): string {
  return LOCKS_KIND.text(contentOf(list));
}

function contentOf({ locks, isPartial }: LockList): LockList {
  return isPartial === true ? { isPartial, locks } : { locks };
}

/** Throws where it is no list of locks. */
export function readLocks(text: string): LockList {
  return LOCKS_KIND.read(text);
}

/** The locks of a target: a small file. Without it they are known again from the bucket's copy. */
export class LockFile {
  readonly #file: KeptFile<typeof schema>;
  readonly #log: Log;

  constructor({ directory, log }: { readonly directory: string; readonly log: Log }) {
    this.#file = new KeptFile(LOCKS_KIND, { directory, log });
    this.#log = log;
  }

  load(): LockList {
    return this.#file.read() ?? { locks: [], isPartial: true };
  }

  /** Resolves when they are durable. Rejects with NvrdError NOT_AVAILABLE. */
  async save(list: LockList): Promise<void> {
    try {
      await this.#file.replace(contentOf(list));
    } catch (error) {
      this.#log.error(
        { path: this.#file.path, error: errorText(error) },
        "the locks of a target cannot be saved",
      );
      throw new NvrdError("NOT_AVAILABLE", "the lock cannot be saved: check the system disk", {
        cause: error,
      });
    }
  }
}
