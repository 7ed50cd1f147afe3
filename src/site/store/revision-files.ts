import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { errorText, type Log, readPlain, syncDirectory, takePlace, writeAfresh } from "../../base/index.js";
import {
  type DamagedRevision,
  type DecodedRevision,
  decodeRevision,
  REVISION_BYTES_MAX,
  type Revision,
} from "./revision-document.js";

/** Number of newest revisions kept as files. */
export const REVISION_FILES_MAX = 100;

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const NAME_DIGITS = 8;
const NAME_PATTERN = /^(\d{8,16})\.json$/;
/** File name of a revision in a former format. */
const FORMER_PATTERN = /^(\d{8,16})\.format-(\d{1,6})\.json$/;
const UNFINISHED_SUFFIX = ".unfinished";

/** The newest revision that can be read. */
export interface NewestRevision {
  readonly revision: Revision | undefined;
  /** Number of the newest revision written by a newer nvrd; 0: none. */
  readonly newer: number;
  /** The revision's document as stored. */
  readonly text: string | undefined;
}

/** A revision that is completely on disk, but under a temporary name. */
export interface PreparedRevision {
  /** Renames it to its final name, durably. */
  publish(): Promise<void>;
  /** Deletes it, because the change was refused. */
  discard(): Promise<void>;
}

/**
 * Stores each revision as a JSON file (`00000012.json`), so that the configuration survives a damaged LMDB. The directory is
 * synced after each rename, because a power cut could otherwise undo it (rename(2), fsync(2)).
 */
export class RevisionFiles {
  readonly #directory: string;
  readonly #log: Log;

  constructor(options: { readonly directory: string; readonly log: Log }) {
    this.#directory = options.directory;
    this.#log = options.log;
  }

  /** Creates the directory and removes unfinished files of a crash. */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: DIRECTORY_MODE });
    for (const name of await readdir(this.#directory)) {
      if (name.endsWith(UNFINISHED_SUFFIX)) await rm(this.#pathOf(name), { recursive: true, force: true });
    }
  }

  /** Writes and syncs a revision under a temporary name. Rejects with the system's error, e.g. ENOSPC. */
  async prepare(revision: number, document: Uint8Array): Promise<PreparedRevision> {
    const finished = this.#pathOf(nameOf(revision));
    const unfinished = finished + UNFINISHED_SUFFIX;
    const discard = () => rm(unfinished, { force: true });
    try {
      await writeAfresh(unfinished, document, FILE_MODE);
    } catch (error) {
      await discard();
      throw error;
    }
    const publish = async () => {
      await takePlace(unfinished, finished);
      await syncDirectory(this.#directory);
    };
    return { publish, discard };
  }

  /** One revision, or the fault of its file. */
  async read(revision: number): Promise<DecodedRevision> {
    return await this.#read(revision, decodeRevision);
  }

  /** The document of a revision; undefined if it cannot be read, or is longer than one can be. */
  async bytesOf(revision: number): Promise<Uint8Array | undefined> {
    const read = await this.#readFile(nameOf(revision));
    return Buffer.isBuffer(read) ? read : undefined;
  }

  /** Another text whenever the file of a revision may have been changed. */
  async stateOf(revision: number): Promise<string> {
    try {
      const { ino, size, mtimeNs } = await stat(this.#pathOf(nameOf(revision)), { bigint: true });
      return `${ino} ${size} ${mtimeNs}`;
    } catch (error) {
      return errorText(error);
    }
  }

  /** Whether a file of this revision exists. */
  async has(revision: number): Promise<boolean> {
    return (await this.numbers()).includes(revision);
  }

  /**
   * The newest intact revision, including those in former formats. Damaged ones are logged and skipped; those of a newer nvrd
   * are skipped and reported.
   */
  async newestWhole(): Promise<NewestRevision> {
    let newer = 0;
    for (const { revision, name } of await this.#newestFirst()) {
      const text = await this.#readText(name, (found) => found);
      const decoded = typeof text === "string" ? decodeRevision(text) : text;
      if (decoded.kind === "whole") return { revision: decoded, newer, text: String(text) };
      if (decoded.kind === "newer") newer = Math.max(newer, revision);
      else
        this.#log.warn(
          { file: this.#pathOf(name), reason: decoded.reason },
          "configuration revision is damaged, trying the one before",
        );
    }
    return { revision: undefined, newer, text: undefined };
  }

  /**
   * Keeps a revision in its former format until the next upgrade from that format. Otherwise newer revisions would replace it,
   * and a former version that is booted again could read none of them.
   */
  async keepFormer(revision: number, format: number, text: string): Promise<void> {
    const name = `${nameOf(revision).slice(0, -".json".length)}.format-${format}.json`;
    if ((await readdir(this.#directory)).includes(name)) return;
    await writeAfresh(this.#pathOf(name + UNFINISHED_SUFFIX), text, FILE_MODE);
    await takePlace(this.#pathOf(name + UNFINISHED_SUFFIX), this.#pathOf(name));
    await syncDirectory(this.#directory);
    for (const former of await readdir(this.#directory))
      if (former !== name && FORMER_PATTERN.exec(former)?.[2] === `${format}`)
        await rm(this.#pathOf(former), { recursive: true, force: true });
  }

  /** Files of revisions, newest first; for one revision the present format first. */
  async #newestFirst(): Promise<readonly { readonly revision: number; readonly name: string }[]> {
    return (await readdir(this.#directory))
      .flatMap((name) => {
        const revision = Number((NAME_PATTERN.exec(name) ?? FORMER_PATTERN.exec(name))?.[1]);
        return Number.isSafeInteger(revision) ? [{ revision, name }] : [];
      })
      .sort((a, b) => b.revision - a.revision || a.name.length - b.name.length);
  }

  /** Removes all except the newest. */
  async prune(): Promise<void> {
    const surplus = (await this.numbers()).slice(0, -REVISION_FILES_MAX);
    for (const revision of surplus)
      await rm(this.#pathOf(nameOf(revision)), { recursive: true, force: true });
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
    return await this.#readText(nameOf(revision), decode);
  }

  async #readText<T>(name: string, decode: (text: string) => T): Promise<T | DamagedRevision> {
    const read = await this.#readFile(name);
    return Buffer.isBuffer(read) ? decode(read.toString("utf8")) : read;
  }

  async #readFile(name: string): Promise<Buffer | DamagedRevision> {
    try {
      return await readPlain(this.#pathOf(name), REVISION_BYTES_MAX);
    } catch (error) {
      return { kind: "damaged", reason: errorText(error) };
    }
  }

  #pathOf(name: string): string {
    return path.join(this.#directory, name);
  }
}

function nameOf(revision: number): string {
  return `${String(revision).padStart(NAME_DIGITS, "0")}.json`;
}
