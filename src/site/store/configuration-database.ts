import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { RootDatabase } from "lmdb";
import { openLmdb } from "../../kept/lmdb/index.js";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const DATA_FILE = "data.mdb";
/** The one record: the current revision as text (see revision-document.ts). */
const CURRENT_KEY = "current";

/**
 * The LMDB environment of the configuration. It holds one record, so each change is one transaction. Opening a damaged file
 * crashes the process, so it must be read in a child process first (`walkConfiguration`).
 */
export class ConfigurationDatabase {
  readonly #root: RootDatabase<Buffer, string>;

  private constructor(root: RootDatabase<Buffer, string>) {
    this.#root = root;
  }

  /** Whether there is a database in `directory`. */
  static async exists(directory: string): Promise<boolean> {
    const file = await stat(path.join(directory, DATA_FILE)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      throw error;
    });
    return file !== undefined && file.size > 0;
  }

  /** Opens or creates the environment, accessible only to its owner. Throws the system's or LMDB's error. */
  static async open(directory: string): Promise<ConfigurationDatabase> {
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    await chmod(directory, DIRECTORY_MODE);
    // Without overlapping sync, a put resolves when it is on the disk, and rejects if the sync fails.
    const root = openLmdb<Buffer, string>({
      path: directory,
      noSubdir: false,
      encoding: "binary",
      cache: false,
      compression: false,
      overlappingSync: false,
      maxDbs: 1,
    });
    for (const name of await readdir(directory)) await chmod(path.join(directory, name), FILE_MODE);
    return new ConfigurationDatabase(root);
  }

  /** The current revision's text; undefined in a new environment. */
  read(): string | undefined {
    return this.#root.get(CURRENT_KEY)?.toString("utf8");
  }

  /** Replaces the current revision. Durable when it resolves; rejects with the cause if nothing was written. */
  async write(document: Buffer): Promise<void> {
    try {
      await this.#root.put(CURRENT_KEY, document);
    } catch (error) {
      throw await causeOf(error);
    }
    await this.#root.flushed;
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

/** lmdb rejects with "Commit failed" and hides the cause in a second, rejecting promise: taking it also handles it. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
