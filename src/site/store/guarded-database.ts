import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { type Clock, errorText, type Log, NvrdError, syncDirectory } from "../../base/index.js";
import { noteClosed } from "../../kept/lmdb/index.js";
import { ConfigurationDatabase } from "./configuration-database.js";
import { type ConfigurationHealth, examineConfiguration } from "./configuration-health.js";
import { decodeRevision, type Revision } from "./revision-document.js";

/** Names in the data directory. Without dots: lmdb treats a path with a dot as a file. */
const DATABASE_NAME = "configuration";
const DAMAGED_NAME = "configuration-damaged-";

export interface GuardedDatabaseOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The configuration database, opened only after a child process has read it without crashing, and reopened after a failed
 * write.
 */
export class GuardedDatabase {
  readonly #options: GuardedDatabaseOptions;
  readonly #directory: string;
  #database: ConfigurationDatabase | undefined;

  constructor(options: GuardedDatabaseOptions) {
    this.#options = options;
    this.#directory = path.join(options.dataDir, DATABASE_NAME);
  }

  /** Opens the database after a check in a child process; moves a damaged one aside. */
  async open(): Promise<ConfigurationHealth> {
    const { clock, log } = this.#options;
    const health = await examineConfiguration(this.#directory, clock);
    if (health.kind === "unavailable") {
      log.error(
        { reason: health.reason },
        "the configuration database cannot be opened: its JSON copy is used",
      );
      return health;
    }
    try {
      if (health.kind === "damaged") await this.#moveAside(health.reason);
      this.#database = await ConfigurationDatabase.open(this.#directory);
    } catch (error) {
      log.error({ error: errorText(error) }, "the configuration database cannot be written");
    }
    return health;
  }

  /** The current revision's document; undefined if the database is not open, or new. */
  readText(): string | undefined {
    return this.#database?.read();
  }

  /**
   * The current revision; undefined if the database is not open, new, or written by a newer nvrd. Throws NvrdError
   * NOT_AVAILABLE.
   */
  read(): Revision | undefined {
    const text = this.readText();
    if (text === undefined) return undefined;
    const decoded = decodeRevision(text);
    if (decoded.kind === "whole") return decoded;
    if (decoded.kind === "newer") return undefined;
    // Unexpected, because the child process has just read it.
    throw this.unreadable(decoded.reason);
  }

  /** Replaces the current revision durably; opens the database first if necessary. Rejects if nothing was written. */
  async write(document: Buffer): Promise<void> {
    if (this.#database === undefined) await this.open();
    const database = this.#database;
    if (database === undefined) throw new Error(`${this.#directory} cannot be opened`);
    try {
      await database.write(document);
    } catch (error) {
      // After a failed commit lmdb's state is uncertain (lmdb-js issues 283, 294), so it is reopened for the next change.
      this.#database = undefined;
      await database.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const database = this.#database;
    if (database === undefined) return;
    this.#database = undefined;
    const text = database.read();
    await database.close();
    if (text !== undefined && decodeRevision(text).kind === "whole")
      await noteClosed(this.#directory, this.#options.log);
  }

  /** The error for an unreadable database. */
  unreadable(reason: string): NvrdError {
    return new NvrdError(
      "NOT_AVAILABLE",
      `the configuration in ${this.#directory} cannot be read: ${reason}`,
    );
  }

  async #moveAside(reason: string): Promise<void> {
    const { dataDir, clock, log } = this.#options;
    const aside = path.join(dataDir, `${DAMAGED_NAME}${Math.floor(clock.nowUs() / 1_000_000)}`);
    log.error(
      { reason, aside },
      "the configuration database is damaged: moved aside, restoring from its JSON copy",
    );
    for (const name of await readdir(dataDir)) {
      // Only the newest is kept, because it is only for diagnosis and contains passwords.
      if (name.startsWith(DAMAGED_NAME)) await rm(path.join(dataDir, name), { recursive: true });
    }
    await rename(this.#directory, aside);
    await syncDirectory(dataDir);
  }
}
