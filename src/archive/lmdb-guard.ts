import { errorText, type Log } from "../base/index.js";

/**
 * lmdb rejects promises of its own when a commit fails (full or failing system disk), besides those it hands out, and
 * Node ends a process for a rejection nobody awaits. The failed commit itself reaches whoever asked for it.
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

  /** Stray rejections met so far. */
  get commitErrors(): number {
    return this.#commitErrors;
  }

  readonly #onRejection = (reason: unknown): void => {
    if (!isLmdbCommitError(reason)) throw reason;
    this.#commitErrors += 1;
    this.#log.debug({ error: errorText(reason), commitErrors: this.#commitErrors }, "stray lmdb rejection");
  };
}

/** Whether `reason` is what lmdb 3 rejects with when a commit fails: its wrapper, or the system's or LMDB's error inside. */
export function isLmdbCommitError(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  if (reason.message.startsWith("Commit failed (see commitError for details)")) return true;
  if (reason.message.startsWith("MDB_")) return true;
  return /[\\/]lmdb[\\/](?:dist|write|open|native|index)/.test(reason.stack ?? "");
}
