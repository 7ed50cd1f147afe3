import { signal } from "@preact/signals";
import { sayError } from "../../control/notice.js";
import {
  addressOfFile,
  type FileDigest,
  type FilePlan,
  type FileSink,
  fetchFile,
  readDigest,
} from "./file-request.js";

/** Larger files are saved by the browser itself: the page would have to hold them. */
const HELD_BYTES_MAX = 500 * 1024 * 1024;
/** Pieces are joined so that the browser can put them on its disk. */
const JOINED_BYTES = 8 * 1024 * 1024;
/** The browser begins to read what it was given to save. */
const SAVING_MS = 60_000;

export type JobState = "waiting" | "running" | "saved" | "by-browser" | "cancelled" | "failed";

let lastId = 0;

/** One file on its way to the user's device. */
export class FileJob {
  readonly id: number;
  readonly plan: FilePlan;
  readonly state = signal<JobState>("waiting");
  readonly done = signal(0);
  readonly digest = signal<FileDigest | "busy" | undefined>(undefined);
  #abort = new AbortController();
  #digestAbort = new AbortController();

  constructor(plan: FilePlan) {
    lastId += 1;
    this.id = lastId;
    this.plan = plan;
  }

  async save(): Promise<void> {
    this.#abort = new AbortController();
    this.done.value = 0;
    this.state.value = "running";
    try {
      if (this.plan.bytes <= HELD_BYTES_MAX) await this.#saveHeld();
      else {
        give(addressOfFile(this.plan.order), this.plan.name);
        this.state.value = "by-browser";
        return;
      }
      this.state.value = "saved";
    } catch (error) {
      const isCancelled = this.#abort.signal.aborted;
      this.state.value = isCancelled ? "cancelled" : "failed";
      if (!isCancelled) sayError(error);
    }
  }

  /** Also of a file that waits for the ones before it. */
  cancel(): void {
    if (this.state.peek() === "waiting") this.state.value = "cancelled";
    else this.#abort.abort();
  }

  cancelDigest(): void {
    this.#digestAbort.abort();
  }

  async readDigest(): Promise<void> {
    this.digest.value = "busy";
    this.#digestAbort = new AbortController();
    const { signal: abort } = this.#digestAbort;
    try {
      this.digest.value = await readDigest(this.plan.order, abort);
    } catch (error) {
      this.digest.value = undefined;
      if (!abort.aborted) sayError(error);
    }
  }

  async #saveHeld(): Promise<void> {
    const held = new HeldFile();
    await this.#fetch(held);
    const address = URL.createObjectURL(held.blob());
    give(address, this.plan.name);
    setTimeout(() => URL.revokeObjectURL(address), SAVING_MS);
  }

  async #fetch(sink: FileSink): Promise<void> {
    const onBytes = (done: number): void => {
      this.done.value = done;
    };
    await fetchFile(this.plan, sink, onBytes, this.#abort.signal);
  }
}

/** Holds a file, in pieces that the browser may move out of its memory. */
class HeldFile implements FileSink {
  readonly #joined: Blob[] = [];
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= JOINED_BYTES) this.#join();
  }

  blob(): Blob {
    this.#join();
    return new Blob(this.#joined, { type: "video/mp4" });
  }

  #join(): void {
    this.#joined.push(new Blob(this.#pieces));
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/** Gives the browser something to save. */
export function give(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
