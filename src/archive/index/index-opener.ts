import { mkdir, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { builtScript, type Clock, errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import {
  type Inspection,
  inspectDatabase,
  noteOpening,
  openWhenPossible,
  setAside,
} from "../../kept/lmdb/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type { OpenIndex } from "./index-database.js";
import { FORMAT_KEY, INDEX_FORMAT, INDEX_RESERVE_BYTES, IndexEnvironment } from "./index-environment.js";
import { numberKey } from "./index-keys.js";
import { IndexStore } from "./index-store.js";

/** Errors of the disk or the machine rather than of the index: opening is retried. */
const PASSING_ERRORS = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN"]);

export interface IndexOpenerOptions {
  readonly directory: string;
  /** The kernel's id of this boot. */
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly log: Log;
  readonly reserveBytes?: number;
  /** Ids of all volumes this recorder ever had: an index that knows none of them belongs to another recorder. */
  readonly knownVolumeIds?: () => readonly Guid[];
  readonly signal: AbortSignal;
  readonly notice?: ArchiveNoticeListener;
  /** Called when an attempt has failed, with the reason. */
  readonly onRefused: (reason: string) => void;
}

/**
 * Opens the index. A child process reads it first, since a damaged file crashes the process that opens it. A damaged, foreign or
 * old index is moved aside and replaced by a new one. If the disk fails, opening is retried and the index is left alone.
 */
export class IndexOpener {
  readonly #options: IndexOpenerOptions;

  constructor(options: IndexOpenerOptions) {
    this.#options = options;
  }

  /** Resolves with the open index; undefined when stopped before. Rejects with FORMAT_NEWER only. */
  open(): Promise<OpenIndex | undefined> {
    const { clock, signal } = this.#options;
    const onRefused = (error: unknown, isFirst: boolean): void => this.#refused(error, isFirst);
    return openWhenPossible({ attempt: () => this.#try(), onRefused, clock, signal });
  }

  async #try(): Promise<OpenIndex | undefined> {
    const { signal } = this.#options;
    const found = await this.#inspect();
    if (signal.aborted) return undefined;
    switch (found.state) {
      case "newer":
        // It is a cache: an older version that is booted again builds its own from the segments.
        return await this.#makeAnew("it was written by a newer nvrd");
      case "unavailable":
        throw new NvrdError("NOT_AVAILABLE", found.reason);
      case "bad":
        await this.#checkRoomToJudge(found.reason);
        return await this.#makeAnew(found.reason);
      case "absent":
        return await this.#makeAnew(undefined);
      case "good":
        return await this.#openGood();
    }
  }

  /** Something other than a database in its place is treated as damage. */
  async #inspect(): Promise<Inspection> {
    const { directory, bootId, clock, signal } = this.#options;
    const walkScript = builtScript(import.meta.url, "index-walk");
    try {
      await mkdir(directory, { recursive: true });
      return await inspectDatabase({ directory, walkScript, bootId, clock, signal });
    } catch (error) {
      if (isPassing(error)) throw error;
      return { state: "bad", reason: errorText(error) };
    }
  }

  /** On a full disk a good index looks like a damaged one: LMDB's lock file cannot be written. */
  async #checkRoomToJudge(reason: string): Promise<void> {
    const { directory } = this.#options;
    const free = await freeBytes(path.dirname(directory));
    if (free < JUDGE_BYTES) throw new NvrdError("NOT_AVAILABLE", `its disk is full (${reason})`);
  }

  async #openGood(): Promise<OpenIndex> {
    const { knownVolumeIds } = this.#options;
    let opened: OpenIndex;
    try {
      await this.#noteOpening();
      opened = this.#openEnvironment();
    } catch (error) {
      if (isPassing(error) || error instanceof NvrdError) throw error;
      return await this.#makeAnew(errorText(error));
    }
    const known = new Set(knownVolumeIds?.() ?? []);
    const named = opened.store.volumeIds();
    if (known.size === 0 || named.length === 0 || named.some((id) => known.has(id))) return opened;
    await opened.environment.close();
    await opened.environment.noteSettled();
    return await this.#makeAnew("it is another recorder's");
  }

  /** Creates a new index. The old one is moved aside if the disk has space for both. */
  async #makeAnew(reason: string | undefined): Promise<OpenIndex> {
    const { directory, clock, log, notice, reserveBytes = INDEX_RESERVE_BYTES } = this.#options;
    if (reason !== undefined) {
      log.error({ directory, reason }, "the index cannot be used; it is being rebuilt from the segments");
      notice?.({ kind: "index-lost", reason });
      await this.#dropIfLarge(await setAside(directory, clock, log));
    }
    await mkdir(directory, { recursive: true });
    const free = await freeBytes(directory);
    // LMDB maps its files: creating them on a full disk would crash the process.
    if (free < reserveBytes)
      throw new NvrdError("NOT_AVAILABLE", `its disk has ${free} bytes left, ${reserveBytes} are wanted`);
    await this.#noteOpening();
    const opened = this.#openEnvironment();
    const { meta } = opened.store.tables;
    meta.put(FORMAT_KEY, numberKey(INDEX_FORMAT), opened.store.generation);
    return opened;
  }

  /** The rebuilt index will need as much room as the old one had. */
  async #dropIfLarge(aside: string): Promise<void> {
    const { log, reserveBytes = INDEX_RESERVE_BYTES } = this.#options;
    const bytes = await dataBytes(aside);
    if ((await freeBytes(path.dirname(aside))) >= bytes + reserveBytes) return;
    await rm(aside, { recursive: true, force: true });
    log.warn({ aside, bytes }, "the old index was deleted because its disk has no room for two");
  }

  #openEnvironment(): OpenIndex {
    const environment = new IndexEnvironment(this.#options);
    return { environment, store: new IndexStore(environment.tables) };
  }

  /** On a full disk the note cannot be written; the child process has read the whole index. */
  async #noteOpening(): Promise<void> {
    const { directory, bootId, log } = this.#options;
    try {
      await noteOpening(directory, bootId);
    } catch (error) {
      if (!isPassing(error)) throw error;
      log.warn({ error: errorText(error) }, "cannot note that the index is being opened");
    }
  }

  #refused(error: unknown, isFirst: boolean): void {
    const { directory, log, onRefused } = this.#options;
    const reason = errorText(error);
    if (isFirst)
      log.error(
        { directory, error: reason },
        "the index cannot be opened; recording goes on, it is tried again",
      );
    onRefused(reason);
  }
}

/** With less free space than this, LMDB's errors about its file prove nothing. */
const JUDGE_BYTES = 1024 * 1024;

function isPassing(error: unknown): boolean {
  return error instanceof Error && "code" in error && PASSING_ERRORS.has(String(error.code));
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function dataBytes(directory: string): Promise<number> {
  try {
    const { size, blocks } = await stat(path.join(directory, "data.mdb"));
    return Math.max(size, blocks * 512);
  } catch (error) {
    const isGone =
      error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    if (isGone) return 0;
    throw error;
  }
}
