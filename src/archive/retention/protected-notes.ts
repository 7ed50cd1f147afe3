import { errorText, type Guid, type Log } from "../../base/index.js";
import { VOLUME_GONE } from "../disk/volume-mount.js";
import { type ThreadRequests, VolumeError } from "../disk/volume-thread.js";
import { PROTECTED_KIND, type ProtectedList } from "./protected-list.js";

/** Name of the file on each volume. */
export const PROTECTED_NOTE = "protected.json";
/** Says that the volume has had a list: in a folder, so that who deletes the list by its name does not take this with it. */
export const PROTECTED_MARK = "kept/protected";
const MARK_TEXT =
  "protected.json is kept on this volume. Where it is gone, nothing is deleted until that is accepted.\n";
const GONE = "protected.json was here and is gone";
const DISK_TIMEOUT_MS = 10_000;

/** What this asks of a volume. Its `reads` are others each time it is taken. */
export interface NotedVolume {
  readonly id: Guid;
  readonly directory: string;
  readonly reads: Pick<ThreadRequests, "read">;
}

/** What a volume says of what is protected on it. */
export type ProtectedNote =
  | { readonly kind: "none" }
  | { readonly kind: "list"; readonly list: ProtectedList }
  /** `list`: what can be read of it. */
  | { readonly kind: "damaged"; readonly list: ProtectedList | undefined; readonly fault: string };

/** A volume's note while the volume is taken. */
export interface NoteState {
  readonly note: ProtectedNote;
  /** What the file says now; undefined where that is to be written. */
  text: string | undefined;
  /** The volume says that it has had a list. */
  isMarked: boolean;
  /** The recorder's list has what it says. */
  isJoined: boolean;
  /** Why it is not known what is protected on the volume; undefined: it is. */
  lack: string | undefined;
}

/** The lists of protected times that volumes carry: what is protected stays so where the volume goes, and where the list is lost. */
export class ProtectedNotes {
  readonly #log: Log;
  readonly #states = new WeakMap<object, Promise<NoteState>>();
  readonly #failing = new WeakSet<object>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** What the volume carries, read once each time it is taken. Rejects where the disk does not answer. */
  of({ reads, directory }: NotedVolume): Promise<NoteState> {
    const known = this.#states.get(reads);
    if (known !== undefined) return known;
    const state = this.#read(reads, directory);
    this.#states.set(reads, state);
    state.catch(() => this.#states.delete(reads)); // the caller gets the error; the next one tries again
    return state;
  }

  /** Writes the list onto a volume that has another one; whether it has it then. */
  async write({ reads, directory }: NotedVolume, state: NoteState, text: string): Promise<boolean> {
    if (state.text === text && state.isMarked) return true;
    try {
      if (state.text !== text)
        await reads.read({ op: "replace-note", name: PROTECTED_NOTE, text }, DISK_TIMEOUT_MS);
      state.text = text;
      if (!state.isMarked)
        await reads.read({ op: "replace-note", name: PROTECTED_MARK, text: MARK_TEXT }, DISK_TIMEOUT_MS);
      state.isMarked = true;
      this.#failing.delete(reads);
    } catch (error) {
      if (!this.#failing.has(reads))
        this.#log.error({ directory, file: PROTECTED_NOTE }, `cannot be written: ${errorText(error)}`);
      this.#failing.add(reads);
    }
    return state.text === text;
  }

  async #read(reads: NotedVolume["reads"], directory: string): Promise<NoteState> {
    const isMarked = await this.#isMarked(reads);
    const text = await this.#textOf(reads, directory, isMarked);
    const note = typeof text === "string" ? this.#parse(text, directory) : text;
    const isWhole = note.kind === "list" && typeof text === "string";
    return { note, text: isWhole ? text : undefined, isMarked, isJoined: false, lack: undefined };
  }

  /** Whatever lies in the mark's place, or keeps it from being read, counts as the mark. */
  async #isMarked(reads: NotedVolume["reads"]): Promise<boolean> {
    try {
      return (await reads.read({ op: "read-note", name: PROTECTED_MARK }, DISK_TIMEOUT_MS)) !== undefined;
    } catch (error) {
      if (error instanceof VolumeError && error.code !== VOLUME_GONE) return true;
      throw error;
    }
  }

  async #textOf(
    reads: NotedVolume["reads"],
    directory: string,
    isMarked: boolean,
  ): Promise<string | ProtectedNote> {
    try {
      const text = await reads.read({ op: "read-note", name: PROTECTED_NOTE }, DISK_TIMEOUT_MS);
      return text ?? (isMarked ? this.#damaged(directory, GONE) : { kind: "none" });
    } catch (error) {
      if (error instanceof VolumeError && error.code !== VOLUME_GONE)
        return this.#damaged(directory, error.message);
      throw error;
    }
  }

  #parse(text: string, directory: string): ProtectedNote {
    try {
      const list = PROTECTED_KIND.read(text);
      return list.lack === undefined ? { kind: "list", list } : this.#damaged(directory, list.lack, list);
    } catch (error) {
      return this.#damaged(directory, errorText(error));
    }
  }

  #damaged(directory: string, fault: string, list?: ProtectedList): ProtectedNote {
    this.#log.error({ directory, file: PROTECTED_NOTE }, `protected times cannot be read: ${fault}`);
    return { kind: "damaged", list, fault };
  }
}
