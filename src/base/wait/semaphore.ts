import { NvrdError } from "../value/errors.js";

export interface SemaphoreOptions {
  /** Most tasks that run at once. */
  readonly atOnce: number;
  /** Most tasks that wait for their turn. */
  readonly waitingMax: number;
}

/** Runs a limited number of tasks at once; the others wait in order of arrival. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  /** Each is called once, when its task gets a place. */
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /** Tasks that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `work` in its turn, and settles as it does. Resolves with undefined, without running it, if `signal` is
   * aborted first. Rejects with TOO_MANY_REQUESTS if too many tasks wait already.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>;
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    const isAborted = (): boolean => signal?.aborted === true;
    if (isAborted()) return undefined;
    if (this.#running < this.#options.atOnce) this.#running += 1;
    else if (!(await this.#wait(signal))) return undefined;
    try {
      return isAborted() ? undefined : await work();
    } finally {
      // The place passes to the next task in line, and becomes free only when none waits: a later call cannot take it
      // in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Resolves with whether it was given a place; false when `signal` was aborted first. */
  #wait(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#waiting.length >= this.#options.waitingMax)
      throw new NvrdError("TOO_MANY_REQUESTS", "too much work of this kind is waiting");
    return new Promise((resolve) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(true);
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        resolve(false);
      };
      this.#waiting.push(begin);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
