import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type * as v from "valibot";
import {
  type Clock,
  type ClockTimer,
  errorText,
  keepBeside,
  type Log,
  NvrdError,
  readSmallFile,
  replaceSmallFile,
  syncDirectory,
  US_PER_MS,
} from "../../base/index.js";
import type { Kept, KeptKind, KeptReading } from "./kept-kind.js";

/** What could not be read lies under this name, before it is replaced. */
const DAMAGED_SUFFIX = ".damaged";
/** Beside files that nothing else knows: a note for each that was written, so that one which was deleted is told from none. */
const NOTES_FOLDER = "kept";
const NOTE_FOLDER_MODE = 0o750;
const GONE = "it was here and is gone";

interface KeptFileOptions<Schema extends v.GenericSchema> {
  /** Where the file lies. */
  readonly directory: string;
  readonly log: Log;
  /** What it is to say, at the time of writing; needed by `changed`. */
  readonly content?: () => Kept<Schema>;
  /** Needed where changes wait for others. */
  readonly clock?: Clock;
}

/** What was read of one copy; neither `value` nor `fault`: it is not there, and never was. */
export interface KeptCopy<T> extends KeptReading<T> {
  readonly path: string;
  /** It was deleted, as all others were. */
  readonly isGone?: true;
}

/**
 * A small file: after a power cut it is the old or the new one, whole. Writes come one after the other; those that wait are
 * joined. Damaged, it is handled by its kind's policy.
 */
export class KeptFile<Schema extends v.GenericSchema> {
  readonly kind: KeptKind<Schema>;
  readonly path: string;
  readonly #options: KeptFileOptions<Schema>;
  #damagedPaths: readonly string[] = [];
  #lack: string | undefined;
  #timer: ClockTimer | undefined;
  /** When the timer is due, monotonic. */
  #dueUs = 0;
  #writing: Promise<unknown> = Promise.resolve();
  /** A write that has not begun: it writes what there is then. */
  #isWaiting = false;
  #isFailing = false;

  constructor(kind: KeptKind<Schema>, options: KeptFileOptions<Schema>) {
    this.kind = kind;
    this.path = path.join(options.directory, kind.options.name);
    this.#options = options;
  }

  /**
   * What the first whole copy says; undefined where there is none: no file, or it is damaged, which the log says. Throws NvrdError
   * FORMAT_NEWER where the kind stops then.
   */
  read(): v.InferOutput<Schema> | undefined {
    const copies = this.copies();
    const faults = copies.filter(({ fault }) => fault !== undefined);
    for (const { path, fault } of faults) this.#log(this.kind.options.damaged, { path, error: fault });
    this.#damagedPaths = faults.filter(({ isGone }) => isGone !== true).map(({ path }) => path);
    if (this.#isRefused && copies.some((copy) => copy.value !== undefined))
      void this.#inOrder(() => this.#note());
    const whole = copies.find(({ value, fault }) => value !== undefined && fault === undefined);
    const isUnknown = whole === undefined && faults.length > 0;
    this.#lack = isUnknown ? faults.map((copy) => `${copy.path}: ${copy.fault}`).join("; ") : undefined;
    return whole?.value;
  }

  /** Why it is not known what the file said; undefined: it is, or there was none. */
  get lack(): string | undefined {
    return this.#lack;
  }

  /** Each copy as it is on the disk. Throws as `read` does. */
  copies(): KeptCopy<v.InferOutput<Schema>>[] {
    const copies = this.#paths.map((path) => this.#readCopy(path));
    const isNone = copies.every(({ value, fault }) => value === undefined && fault === undefined);
    if (!isNone || !this.#isRefused || !existsSync(this.#noteFile)) return copies;
    return copies.map(({ path }) => ({ path, fault: GONE, isGone: true }));
  }

  /** Resolves when the file says this. Rejects with the disk's error: then it may say the one or the other. */
  replace(value: Kept<Schema>): Promise<void> {
    return this.#inOrder(() => this.#write(value));
  }

  /** `content` has changed: it is written, together with what changes until then. The log says when it cannot be. */
  changed(withinMs = this.kind.options.delayMs ?? 0): void {
    const { clock } = this.#options;
    if (withinMs === 0 || clock === undefined) {
      this.#writeContent();
      return;
    }
    const dueUs = clock.monotonicUs() + withinMs * US_PER_MS;
    if (this.#timer !== undefined && this.#dueUs <= dueUs) return;
    this.#timer?.clear();
    this.#dueUs = dueUs;
    this.#timer = clock.setTimeout(() => this.#writeContent(), withinMs);
  }

  /** Whether the last change could not be saved. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Whether a change waits for others. */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Resolves when all changes are in the file, or have failed; whether they are in it. */
  async flush(): Promise<boolean> {
    if (this.#timer !== undefined) this.#writeContent();
    await this.#writing;
    return !this.#isFailing;
  }

  get #isRefused(): boolean {
    return this.kind.options.policy === "refuse";
  }

  /** Named so that who deletes the file by a pattern of its name does not take the note with it. */
  get #noteFile(): string {
    const { dir, name } = path.parse(this.path);
    return path.join(dir, NOTES_FOLDER, name);
  }

  get #paths(): string[] {
    return this.kind.names.map((name) => path.join(this.#options.directory, name));
  }

  #readCopy(path: string): KeptCopy<v.InferOutput<Schema>> {
    try {
      const text = readSmallFile(path);
      return text === undefined ? { path } : { path, ...this.kind.look(text, path) };
    } catch (error) {
      if (error instanceof NvrdError) throw error;
      return { path, fault: errorText(error) };
    }
  }

  #writeContent(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#inOrder(async () => {
      this.#isWaiting = false;
      await this.#writeNoted();
    });
  }

  /** Never rejects. A failure is said once, until a write succeeds. */
  async #writeNoted(): Promise<void> {
    const { content } = this.#options;
    try {
      if (content === undefined) throw new TypeError("what the file is to say is not known");
      await this.#write(content());
      this.#isFailing = false;
    } catch (error) {
      const { unsaved = "cannot be saved" } = this.kind.options;
      if (!this.#isFailing) this.#log(unsaved, { path: this.path, error: errorText(error) });
      this.#isFailing = true;
    }
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => undefined); // the caller of `done` gets the error
    return done;
  }

  async #write(value: Kept<Schema>): Promise<void> {
    const { mode, folderMode } = this.kind.options;
    const text = this.kind.text(value);
    if (folderMode !== undefined) await mkdir(path.dirname(this.path), { recursive: true, mode: folderMode });
    if (this.#isRefused)
      for (const damaged of this.#damagedPaths) await keepBeside(damaged, `${damaged}${DAMAGED_SUFFIX}`);
    this.#damagedPaths = [];
    for (const path of this.#paths) await replaceSmallFile(path, text, mode);
    this.#lack = undefined;
    if (this.#isRefused) await this.#note();
  }

  /** Notes that the file is here. Never rejects: what the file says counts without it. */
  async #note(): Promise<void> {
    const file = this.#noteFile;
    if (existsSync(file)) return;
    try {
      const folder = path.dirname(file);
      await mkdir(folder, { recursive: true, mode: NOTE_FOLDER_MODE });
      await syncDirectory(path.dirname(folder));
      await replaceSmallFile(file, `${this.kind.options.says}\n`);
    } catch (error) {
      const message = "that it is here cannot be noted: if it is deleted, nobody will know";
      this.#options.log.warn({ path: this.path, error: errorText(error) }, message);
    }
  }

  #log(message: string, fields: Readonly<Record<string, unknown>>): void {
    const { severity = "error" } = this.kind.options;
    this.#options.log[severity](fields, message);
  }
}
