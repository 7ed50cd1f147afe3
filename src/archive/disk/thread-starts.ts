import { type Clock, type ClockTimer, NvrdError, setTimeLimit } from "../../base/index.js";

/**
 * How long a volume's threads may take to load their program, before the time limit for the disk starts: loading takes CPU and
 * the system disk, and a small box that does everything at once after power-on may need many seconds for it.
 */
export const THREAD_START_MS_MAX = 60_000;

/** Waits until the threads of a volume have loaded: none of them has been on the disk before. */
export class ThreadStarts<T> {
  readonly #loading: Set<T>;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #waiting = new Set<{ resolve: () => void; reject: (error: Error) => void; timer: ClockTimer }>();

  constructor(options: { readonly threads: readonly T[]; readonly clock: Clock; readonly name: string }) {
    this.#loading = new Set(options.threads);
    this.#clock = options.clock;
    this.#name = options.name;
  }

  /** Resolves when all have loaded. Rejects with NvrdError NOT_AVAILABLE after THREAD_START_MS_MAX, or when it is given up. */
  all(): Promise<void> {
    if (this.#loading.size === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeLimit(
        this.#clock,
        () => this.fail(`its threads did not start within ${THREAD_START_MS_MAX} ms`),
        THREAD_START_MS_MAX,
      );
      this.#waiting.add({ resolve, reject, timer });
    });
  }

  note(thread: T): void {
    this.#loading.delete(thread);
    if (this.#loading.size > 0) return;
    for (const { resolve } of this.#taken()) resolve();
  }

  /** Rejects all waiting calls. */
  fail(reason: string): void {
    const error = new NvrdError("NOT_AVAILABLE", `${this.#name}: ${reason}`);
    for (const { reject } of this.#taken()) reject(error);
  }

  #taken() {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { timer } of waiting) timer.clear();
    return waiting;
  }
}
