/** Lets at most `atOnce` works run at once; the others wait in order. */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Runs `work` in its turn; undefined when `signal` ended the wait before. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    if (this.#running >= this.#atOnce) await this.#wait(signal);
    if (signal.aborted) return undefined;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const begin = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        resolve();
      };
      this.#waiting.push(begin);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
