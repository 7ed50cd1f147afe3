import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { errorText, type Log } from "../base/index.js";
import {
  type DamagedRevision,
  type DecodedRevision,
  decodeRevision,
  encodeRevision,
  newerFormatError,
  type OpenedRevision,
  openRevision,
  REVISION_BYTES_MAX,
  type Revision,
} from "./revision-document.js";

/** How many revisions are kept as files, newest first. */
export const REVISION_FILES_MAX = 100;

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const NAME_DIGITS = 8;
const NAME_PATTERN = /^(\d{8,16})\.json$/;
const UNFINISHED_SUFFIX = ".unfinished";

/** A revision that is on disk whole, but not under its name yet. */
export interface PreparedRevision {
  /** Gives it its name, durably. */
  publish(): Promise<void>;
  /** Takes it away again: the change was refused. */
  discard(): Promise<void>;
}

/**
 * Each revision as a JSON file of its own (`00000012.json`), so that the configuration outlives a damaged LMDB.
 * The directory is synced after each rename: without that a power cut may take the name back (rename(2), fsync(2)).
 */
export class RevisionFiles {
  readonly #directory: string;
  readonly #log: Log;

  constructor(options: { readonly directory: string; readonly log: Log }) {
    this.#directory = options.directory;
    this.#log = options.log;
  }

  /** Makes the directory and removes what a crash left unfinished. */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: DIRECTORY_MODE });
    for (const name of await readdir(this.#directory)) {
      if (name.endsWith(UNFINISHED_SUFFIX)) await rm(this.#pathOf(name), { force: true });
    }
  }

  /** Writes a revision and syncs it under an unfinished name. Rejects with the system's error, e.g. ENOSPC. */
  async prepare(revision: Revision): Promise<PreparedRevision> {
    const finished = this.#pathOf(nameOf(revision.site.revision));
    const unfinished = finished + UNFINISHED_SUFFIX;
    const discard = () => rm(unfinished, { force: true });
    try {
      await writeSynced(unfinished, `${encodeRevision(revision, 2)}\n`);
    } catch (error) {
      await discard();
      throw error;
    }
    const publish = async () => {
      await rename(unfinished, finished);
      await syncDirectory(this.#directory);
    };
    return { publish, discard };
  }

  /** One revision, or what is wrong with its file. */
  async read(revision: number): Promise<DecodedRevision> {
    return await this.#read(revision, decodeRevision);
  }

  /** One revision without a check of its site: for the history. */
  async open(revision: number): Promise<OpenedRevision> {
    return await this.#read(revision, openRevision);
  }

  /** Whether a file of this revision exists. */
  async has(revision: number): Promise<boolean> {
    return (await this.numbers()).includes(revision);
  }

  /**
   * The newest revision that is whole; damaged ones are logged and passed over. Rejects with FORMAT_NEWER when a
   * newer nvrd wrote the newest.
   */
  async newestWhole(): Promise<Revision | undefined> {
    const newestFirst = (await this.numbers()).reverse();
    for (const revision of newestFirst) {
      const file = this.#pathOf(nameOf(revision));
      const decoded = await this.read(revision);
      if (decoded.kind === "newer") throw newerFormatError(file);
      if (decoded.kind === "whole") return decoded;
      this.#log.warn(
        { file, reason: decoded.reason },
        "configuration revision is damaged, trying the one before",
      );
    }
    return undefined;
  }

  /** Removes all but the newest. */
  async prune(): Promise<void> {
    const surplus = (await this.numbers()).slice(0, -REVISION_FILES_MAX);
    for (const revision of surplus) await rm(this.#pathOf(nameOf(revision)), { force: true });
  }

  /** Numbers of the revisions that have a file, oldest first. */
  async numbers(): Promise<number[]> {
    const names = await readdir(this.#directory);
    return names
      .map((name) => Number(NAME_PATTERN.exec(name)?.[1] ?? Number.NaN))
      .filter((revision) => Number.isSafeInteger(revision))
      .sort((a, b) => a - b);
  }

  async #read<T>(revision: number, decode: (text: string) => T): Promise<T | DamagedRevision> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.#pathOf(nameOf(revision)), "r");
      const { size } = await handle.stat();
      if (size > REVISION_BYTES_MAX) return { kind: "damaged", reason: `${size} bytes long` };
      return decode(await handle.readFile("utf8"));
    } catch (error) {
      return { kind: "damaged", reason: errorText(error) };
    } finally {
      await handle?.close();
    }
  }

  #pathOf(name: string): string {
    return path.join(this.#directory, name);
  }
}

function nameOf(revision: number): string {
  return `${String(revision).padStart(NAME_DIGITS, "0")}.json`;
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, "w", FILE_MODE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes names made or changed in `directory` durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
