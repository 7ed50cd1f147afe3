import type { Clock } from "../../base/index.js";
import type { RevisionFiles } from "./revision-files.js";
import { DAMAGED_NOTE, type RevisionNote } from "./revision-note.js";
import { RevisionReader, type RevisionThread } from "./revision-reader.js";

/** One line of the configuration's history. */
export interface HistoryEntry extends RevisionNote {
  readonly revision: number;
}

export interface RevisionHistoryOptions {
  readonly files: RevisionFiles;
  readonly clock: Clock;
  /** Of a test: the thread that reads large documents. */
  readonly startReader?: (() => RevisionThread) | undefined;
}

interface KnownEntry {
  /** The file as it was when it was read. */
  readonly state: string;
  readonly entry: HistoryEntry;
}

/**
 * The stored revisions in words. A hundred documents are read for it, of up to 16 MiB each: each once, large ones on a thread of
 * their own, and never twice at a time, however many ask.
 */
export class RevisionHistory {
  readonly #files: RevisionFiles;
  readonly #reader: RevisionReader;
  #known: ReadonlyMap<number, KnownEntry> = new Map();
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly HistoryEntry[]> | undefined;

  constructor({ files, clock, startReader }: RevisionHistoryOptions) {
    this.#files = files;
    this.#reader = new RevisionReader(clock, startReader);
  }

  /** Newest first. A revision without a stored summary is compared with its predecessor. */
  async read(): Promise<readonly HistoryEntry[]> {
    // Who asks while it is being read may ask for a later revision: all of them get the next reading.
    this.#next ??= this.#afterLast();
    return await this.#next;
  }

  #afterLast(): Promise<readonly HistoryEntry[]> {
    const reading = this.#last.then(() => {
      this.#next = undefined;
      return this.#readAll();
    });
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  async #readAll(): Promise<readonly HistoryEntry[]> {
    const known = new Map<number, KnownEntry>();
    let previous: number | undefined;
    for (const revision of await this.#files.numbers()) {
      known.set(revision, await this.#entryOf(revision, previous));
      previous = revision;
    }
    this.#known = known;
    return [...known.values()].map(({ entry }) => entry).reverse();
  }

  async #entryOf(revision: number, previous: number | undefined): Promise<KnownEntry> {
    const state = await this.#files.stateOf(revision);
    const before = this.#known.get(revision);
    if (before?.state === state) return before;
    const bytes = await this.#files.bytesOf(revision);
    const note = bytes === undefined ? DAMAGED_NOTE : await this.#noteOf(bytes, previous);
    return { state, entry: { revision, ...note } };
  }

  async #noteOf(bytes: Uint8Array, previous: number | undefined): Promise<RevisionNote> {
    const none = new Uint8Array(0);
    return await this.#reader.read(bytes, async () =>
      previous === undefined ? none : ((await this.#files.bytesOf(previous)) ?? none),
    );
  }
}
