import { errorText, type Guid, type Log } from "../../base/index.js";
import { VOLUME_GONE } from "../disk/volume-mount.js";
import { type ThreadRequests, VolumeError } from "../disk/volume-thread.js";
import { PROTECTED_KIND, type ProtectedList } from "./protected-list.js";

/** Name of the file on each volume. */
export const PROTECTED_NOTE = "protected.json";
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
    if (state.text === text) return true;
    try {
      await reads.read({ op: "replace-note", name: PROTECTED_NOTE, text }, DISK_TIMEOUT_MS);
      state.text = text;
      this.#failing.delete(reads);
    } catch (error) {
      if (!this.#failing.has(reads))
        this.#log.error({ directory, file: PROTECTED_NOTE }, `cannot be written: ${errorText(error)}`);
      this.#failing.add(reads);
    }
    return state.text === text;
  }

  async #read(reads: NotedVolume["reads"], directory: string): Promise<NoteState> {
    const text = await this.#textOf(reads, directory);
    const note = typeof text === "string" ? this.#parse(text, directory) : text;
    const isWhole = note.kind === "list" && typeof text === "string";
    return { note, text: isWhole ? text : undefined, isJoined: false, lack: undefined };
  }

  async #textOf(reads: NotedVolume["reads"], directory: string): Promise<string | ProtectedNote> {
    try {
      const text = await reads.read({ op: "read-note", name: PROTECTED_NOTE }, DISK_TIMEOUT_MS);
      return text ?? { kind: "none" };
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
