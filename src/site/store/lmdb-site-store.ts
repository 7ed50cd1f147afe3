import { existsSync } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { type Clock, errorText, inTurns, type Log, NvrdError, withTimeout } from "../../base/index.js";
import { createFirstSite } from "../model/first-site.js";
import { type FollowerPlace, Followers, type SiteListener } from "../model/followers.js";
import type { Site } from "../model/model.js";
import { type SiteChange, siteChange } from "../model/site-change.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import type { ChangeOptions, SiteStore } from "../model/types.js";
import { checkingChange } from "../schema/site-checks.js";
import { changeWords } from "./change-words.js";
import { GuardedDatabase } from "./guarded-database.js";
import {
  CONFIGURATION_FORMAT,
  encodeRevision,
  encodingRevision,
  formatOf,
  newerFormatError,
  type Revision,
} from "./revision-document.js";
import { RevisionFiles } from "./revision-files.js";
import { type HistoryEntry, RevisionHistory } from "./revision-history.js";
import type { RevisionThread } from "./revision-reader.js";

/** Its name in the data directory. */
const REVISIONS_NAME = "configuration-revisions";

const DIRECTORY_MODE = 0o700;

/** Maximum number of waiting changes. Changes are made by people; more means a faulty client. */
const CHANGES_PENDING_MAX = 64;
/** After this time a change fails with an error, although a slow disk may still complete it. */
const CHANGE_TIMEOUT_MS = 30_000;
/** How long stopping waits for running changes. */
const STOP_TIMEOUT_MS = 5000;
/** Changes are refused where less than this would be left free, because LMDB handles a full disk badly. */
const FREE_BYTES_MIN = 4 * 1024 * 1024;
/** And with inodes for fewer files: a change writes a new one, and other parts of the service do too. */
const FREE_FILES_MIN = 8;

export interface LmdbSiteStoreOptions {
  /** The data directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The server's name in a new configuration; by default the host name. */
  readonly serverName?: string;
  /** What is compared with each other of a changed configuration; default: all of it. */
  readonly checkedAs?: (site: Site) => Site;
  /** What is left to the service in a directory; by default from the system. */
  readonly room?: (directory: string) => Promise<DiskRoom>;
  /** Of a test: the thread that reads large documents for the history. */
  readonly startReader?: () => RevisionThread;
}

/**
 * The configuration in LMDB, with a JSON file for each revision, from which a lost database is restored. A change is
 * acknowledged when both are synced. Order: write the complete JSON file under a temporary name, commit the LMDB transaction,
 * rename the file. So a refused change leaves nothing, and a crash leaves either the old revision or the new one.
 */
export class LmdbSiteStore implements SiteStore {
  readonly #options: LmdbSiteStoreOptions;
  readonly #database: GuardedDatabase;
  readonly #revisions: RevisionFiles;
  readonly #history: RevisionHistory;
  readonly #followers = new Followers();
  #current: Site | undefined;
  #change: SiteChange | undefined;
  #view: ((site: Site) => Site) | undefined;
  #shown: { readonly of: Site; readonly site: Site } | undefined;
  #running = false;
  #changesPending = 0;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(options: LmdbSiteStoreOptions) {
    this.#options = options;
    const { directory: dataDir, clock, log } = options;
    this.#database = new GuardedDatabase({ dataDir, clock, log });
    this.#revisions = new RevisionFiles({
      directory: path.join(options.directory, REVISIONS_NAME),
      log: options.log,
    });
    this.#history = new RevisionHistory({ files: this.#revisions, clock, startReader: options.startReader });
  }

  /** As what acts on it sees it: see `show`. */
  get current(): Site {
    return this.#shownOf(this.#whole);
  }

  /**
   * From now on the configuration is seen as `view` of it, and followers are notified; what is kept, and what edits get, stays as it is. The
   * revision stays, too.
   */
  show(view: (site: Site) => Site, change: SiteChange): void {
    const previous = this.current;
    this.#view = view;
    this.#shown = undefined;
    this.#notify(this.current, previous, change);
  }

  get #whole(): Site {
    if (this.#current === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the configuration is not read yet");
    return this.#current;
  }

  #shownOf(of: Site): Site {
    if (this.#view === undefined) return of;
    if (this.#shown?.of !== of) this.#shown = { of, site: this.#view(of) };
    return this.#shown.site;
  }

  onChange(place: FollowerPlace, listener: SiteListener): void {
    this.#followers.add(place, listener);
  }

  /**
   * Reads the configuration, or creates the first one. If a newer nvrd wrote it, the newest readable revision is used. Rejects
   * with FORMAT_NEWER if there is none, and with NOT_AVAILABLE if none can be read or written.
   */
  async start(): Promise<void> {
    const { directory, log } = this.#options;
    try {
      await this.#read();
    } catch (error) {
      if (error instanceof NvrdError) throw error;
      const text = `the configuration in ${directory} cannot be read: ${errorText(error)}`;
      throw new NvrdError("NOT_AVAILABLE", text, { cause: error });
    }
    this.#running = true;
    log.info({ revision: this.current.revision, cameras: this.current.cameras.length }, "configuration read");
  }

  async #read(): Promise<void> {
    const { directory, log } = this.#options;
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    await this.#revisions.start();
    const health = await this.#database.open();
    const fromDatabase = this.#database.read();
    const { revision: fromFiles, newer, text } = await this.#revisions.newestWhole();
    const newest = newerOf(fromDatabase, fromFiles);
    const isNewer = health.kind === "newer" || newer > (newest?.site.revision ?? 0);
    if (newest !== undefined)
      await this.#keepFormer(newest, fromDatabase === newest ? this.#database.readText() : text);
    if (isNewer && newest === undefined) throw newerFormatError(directory);
    if (isNewer && newest !== undefined) {
      await this.#goOnWith(newest, newer);
    } else if (newest === undefined) {
      if (health.kind === "unavailable") throw this.#database.unreadable(health.reason);
      if (health.kind === "damaged") log.error("no configuration could be restored: starting with a new one");
      await this.#makeFirst();
    } else {
      this.#current = deepFreeze(newest.site);
      await this.#complete(newest, fromDatabase);
    }
  }

  /**
   * Called before anything is written in the present format: keeps a revision that a former version can read if it is booted
   * again.
   */
  async #keepFormer({ site }: Revision, text: string | undefined): Promise<void> {
    const format = text === undefined ? undefined : formatOf(text);
    if (text === undefined || format === undefined || format >= CONFIGURATION_FORMAT) return;
    try {
      await this.#revisions.keepFormer(site.revision, format, text);
    } catch (error) {
      this.#options.log.error(
        { format, error: errorText(error) },
        "the configuration of the former version cannot be kept: that version may not start again",
      );
    }
  }

  /**
   * For a downgrade: the newest configuration that this version can read becomes the latest revision, so that the newer version
   * also continues with it. Changes made by the newer version are only in the files of its revisions.
   */
  async #goOnWith(readable: Revision, newer: number): Promise<void> {
    const { clock, log } = this.#options;
    const { revision } = readable.site;
    const next = Math.max(revision, newer) + 1;
    const site = deepFreeze({ ...readable.site, revision: next, appliedAtUs: clock.nowUs() });
    const text = `same as revision ${revision}, the newest that this version can read; later ones are of a newer version, which can revert to them`;
    log.error(
      { revision: next, like: revision, newer },
      "the configuration is of a newer version: an older one is used",
    );
    this.#current = site;
    this.#change = siteChange(null, text);
    try {
      await this.#save({ site, change: this.#change });
    } catch (error) {
      log.error({ error: errorText(error) }, "the configuration is used, but not saved");
    }
  }

  /** The change made by the start itself, for an event; undefined: none. */
  get changeAtStart(): SiteChange | undefined {
    return this.#change;
  }

  /** Waits for running changes and closes the database. Rejects with NOT_AVAILABLE if the disk prevents it. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#within(
      STOP_TIMEOUT_MS,
      this.#lastChange,
      "a configuration change is stuck in the system disk",
    );
    await this.#database.close();
  }

  /** See SiteStore. If `edit` returns its argument unchanged, nothing is applied and the revision stays. */
  async change(edit: (site: Site) => Site, options: ChangeOptions = {}): Promise<Site> {
    if (!this.#running) throw new NvrdError("NOT_AVAILABLE", "the configuration is not open for changes");
    if (this.#changesPending >= CHANGES_PENDING_MAX) {
      throw new NvrdError(
        "NOT_AVAILABLE",
        `${CHANGES_PENDING_MAX} configuration changes are already waiting`,
      );
    }
    this.#changesPending += 1;
    const applied = this.#lastChange.then(() => this.#apply(edit, options));
    const settled = () => {
      this.#changesPending -= 1;
    };
    this.#lastChange = applied.then(settled, settled);
    const lateText = `not saved after ${CHANGE_TIMEOUT_MS} ms, but may still be saved: read the configuration again`;
    return await this.#within(CHANGE_TIMEOUT_MS, applied, lateText);
  }

  /** Whether there is a configuration in the data directory. */
  static exists(directory: string): boolean {
    return existsSync(path.join(directory, REVISIONS_NAME));
  }

  /** The stored revisions, newest first. */
  async history(): Promise<readonly HistoryEntry[]> {
    return await this.#history.read();
  }

  /** The configuration of a stored revision. Rejects with NOT_FOUND if it is missing or unreadable. */
  async revision(number: number): Promise<Site> {
    const decoded = await this.#revisions.read(number);
    if (decoded.kind === "whole") return decoded.site;
    throw new NvrdError(
      "NOT_FOUND",
      `revision ${number} of the configuration is not stored, or cannot be read`,
      { hint: "see nvrd config history for the stored revisions" },
    );
  }

  async #apply(edit: (site: Site) => Site, options: ChangeOptions): Promise<Site> {
    const previous = this.#whole;
    const { expectedRevision, by, summary } = options;
    if (expectedRevision !== undefined && expectedRevision !== previous.revision) {
      throw new NvrdError(
        "CONFLICT",
        `revision ${expectedRevision} was expected, ${previous.revision} is current`,
      );
    }
    const edited = edit(previous);
    if (edited === previous) return previous;
    const appliedAtUs = this.#options.clock.nowUs();
    const next: Site = { ...edited, id: previous.id, revision: previous.revision + 1, appliedAtUs };
    await inTurns(checkingChange(next, previous, this.#options.checkedAs?.(next)));
    deepFreeze(next);
    const summaryText = typeof summary === "function" ? summary() : summary;
    const change = siteChange(by ?? null, summaryText ?? changeWords(next, previous));
    await this.#save({ site: next, change });
    const shownBefore = this.current;
    this.#current = next;
    this.#notify(this.current, shownBefore, change);
    return this.current;
  }

  /** Durable when it resolves; rejects with NOT_AVAILABLE if nothing was changed. */
  async #save(revision: Revision): Promise<void> {
    try {
      const document = await inTurns(encodingRevision(revision));
      // Its file, and the record in the database, which keeps the one before until it is written.
      await this.#refuseOnFullDisk(2 * document.length);
      const prepared = await this.#revisions.prepare(revision.site.revision, document);
      try {
        await this.#database.write(document);
      } catch (error) {
        await prepared.discard();
        throw error;
      }
      await this.#afterCommit(() => prepared.publish());
      await this.#afterCommit(() => this.#revisions.prune());
    } catch (error) {
      throw notSaved(this.#options.directory, error);
    }
  }

  /** A failure after the commit does not undo it: it is logged, and the next change or start repairs it. */
  async #afterCommit(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#options.log.error({ error: errorText(error) }, "the JSON copy of the configuration is behind");
    }
  }

  async #refuseOnFullDisk(bytes: number): Promise<void> {
    const { directory } = this.#options;
    const { freeBytes, freeFiles } = await (this.#options.room ?? roomOn)(directory);
    if (freeBytes < FREE_BYTES_MIN + bytes)
      throw new Error(`the system disk is full (${freeBytes} bytes free): make room on it`);
    if (freeFiles !== undefined && freeFiles < FREE_FILES_MIN)
      throw new Error(`the system disk has inodes for ${freeFiles} more files: delete files on it`);
  }

  async #makeFirst(): Promise<void> {
    const serverName = nameFrom(this.#options.serverName ?? hostname());
    const site = deepFreeze(createFirstSite({ serverName, nowUs: this.#options.clock.nowUs() }));
    await this.#save({ site, change: siteChange(null, "first configuration") });
    this.#current = site;
  }

  /** Updates the outdated copy. The service starts even if that fails. */
  async #complete(revision: Revision, fromDatabase: Revision | undefined): Promise<void> {
    const { log } = this.#options;
    const number = revision.site.revision;
    try {
      if (fromDatabase?.site.revision !== number) {
        await this.#database.write(encodeRevision(revision));
        log.warn({ revision: number }, "the configuration was restored from its JSON copy");
      }
      if (!(await this.#revisions.has(number)))
        await (await this.#revisions.prepare(number, encodeRevision(revision))).publish();
    } catch (error) {
      log.error(
        { error: errorText(error) },
        "the configuration is read, but its copies could not be completed",
      );
    }
  }

  #notify(site: Site, previous: Site, change: SiteChange): void {
    this.#followers.notify([site, previous, change], (error, place) =>
      this.#options.log.error({ place, error: errorText(error) }, "a follower of the configuration failed"),
    );
  }

  #within<T>(ms: number, work: Promise<T>, lateText: string): Promise<T> {
    const { clock } = this.#options;
    return withTimeout(work, { clock, ms, error: () => new NvrdError("NOT_AVAILABLE", lateText) });
  }
}

function newerOf(fromDatabase: Revision | undefined, fromFiles: Revision | undefined): Revision | undefined {
  if (fromDatabase === undefined || fromFiles === undefined) return fromDatabase ?? fromFiles;
  return fromFiles.site.revision > fromDatabase.site.revision ? fromFiles : fromDatabase;
}

/** What is left of a disk. */
export interface DiskRoom {
  readonly freeBytes: number;
  /** Files that there are inodes for; undefined where the file system sets no limit. */
  readonly freeFiles?: number | undefined;
}

async function roomOn(directory: string): Promise<DiskRoom> {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  return { freeBytes: bavail * bsize, freeFiles: files > 0 ? ffree : undefined };
}

/** Derives a valid server name from the host name. */
function nameFrom(host: string): string {
  return (
    host
      .replace(/[^\p{L}\p{N}._ -]/gu, "")
      .trim()
      .slice(0, SITE_LIMITS.nameLengthMax) || "nvrd"
  );
}

function notSaved(directory: string, error: unknown): NvrdError {
  if (error instanceof NvrdError) return error;
  return new NvrdError("NOT_AVAILABLE", `the change was not saved in ${directory}: ${errorText(error)}`, {
    cause: error,
  });
}

/** Deep-freezes `value` in place. Objects that are already frozen are assumed to be deeply frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
