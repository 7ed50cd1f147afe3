import { errorText, type Log } from "../base/index.js";

/** lmdb's message when a commit fails; the system's error comes in a second rejection. */
export const LMDB_COMMIT_FAILED = "Commit failed (see commitError for details)";

/**
 * When a commit fails (full or failing system disk), lmdb also rejects internal promises, and Node ends a process for
 * an unhandled rejection. This guard handles those. The caller of the commit gets its error as usual.
 */
export class LmdbGuard {
  readonly #log: Log;
  #commitErrors = 0;

  constructor(log: Log) {
    this.#log = log;
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
    if (!isLmdbCommitError(reason)) throw reason;
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
