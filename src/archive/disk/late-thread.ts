import type { VolumeThread } from "./volume-thread.js";

/**
 * A thread that is started when it is first needed: a Node thread takes 7 MB and 45 ms of CPU, whether it has anything to do or
 * not.
 */
export class LateThread implements VolumeThread {
  readonly #create: () => VolumeThread;
  #thread: VolumeThread | undefined;
  #kept: unknown[] = [];
  #onMessage: ((message: unknown) => void) | undefined;
  #onFailure: ((reason: string) => void) | undefined;
  #ended = false;

  constructor(create: () => VolumeThread) {
    this.#create = create;
  }

  /** Starts the thread, unless it runs or was ended. */
  start(): void {
    this.#started();
  }

  /** A message that is no reason to start the thread: it gets it first when it starts. */
  keep(message: unknown): void {
    if (this.#thread !== undefined) this.#thread.postMessage(message);
    else this.#kept.push(message);
  }

  postMessage(message: unknown): void {
    this.#started()?.postMessage(message);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#onMessage = listener;
    this.#thread?.onMessage(listener);
  }

  onFailure(listener: (reason: string) => void): void {
    this.#onFailure = listener;
    this.#thread?.onFailure(listener);
  }

  async terminate(): Promise<void> {
    this.#ended = true;
    await this.#thread?.terminate();
  }

  #started(): VolumeThread | undefined {
    if (this.#thread !== undefined || this.#ended) return this.#thread;
    const thread = this.#create();
    this.#thread = thread;
    if (this.#onMessage !== undefined) thread.onMessage(this.#onMessage);
    if (this.#onFailure !== undefined) thread.onFailure(this.#onFailure);
    for (const message of this.#kept) thread.postMessage(message);
    this.#kept = [];
    return thread;
  }
}
