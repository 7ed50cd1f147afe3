import { errorText, type Log } from "../../base/index.js";

/** lmdb's message when a commit fails; the system's error comes in a second rejection. */
export const LMDB_COMMIT_FAILED = "Commit failed (see commitError for details)";

/**
 * When a commit fails (full or failing system disk), lmdb also rejects internal promises, and Node ends a process for
 * an unhandled rejection. This guard handles those. The caller of the commit gets its error as usual. Other rejections that nobody
 * handles are for `others`; without it they end the process.
 */
export class LmdbGuard {
  readonly #log: Log;
  readonly #others: ((reason: unknown) => void) | undefined;
  #commitErrors = 0;

  constructor(log: Log, others?: (reason: unknown) => void) {
    this.#log = log;
    this.#others = others;
  }

  start(): void {
    process.on("unhandledRejection", this.#onRejection);
  }

  stop(): void {
    process.off("unhandledRejection", this.#onRejection);
  }

  /** Stray rejections so far. */
  get commitErrors(): number {
    return this.#commitErrors;
  }

  readonly #onRejection = (reason: unknown): void => {
    if (!isLmdbCommitError(reason)) {
      if (this.#others === undefined) throw reason;
      this.#others(reason);
      return;
    }
    this.#commitErrors += 1;
    this.#log.debug({ error: errorText(reason), commitErrors: this.#commitErrors }, "stray lmdb rejection");
  };
}

/** Whether `reason` is what lmdb 3 rejects with when a commit fails: its wrapper, or the system's error with its number. */
export function isLmdbCommitError(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  if (reason.message === LMDB_COMMIT_FAILED) return true;
  const isSystemError = "code" in reason && typeof reason.code === "number";
  return isSystemError && /[\\/]lmdb[\\/](?:write\.js|dist[\\/])/.test(reason.stack ?? "");
}
