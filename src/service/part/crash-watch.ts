import type { RunHistory } from "../../health/index.js";

/** Has an error that nobody foresaw kept, for the next start to tell of; the process goes down by it as ever. */
export class CrashWatch {
  readonly #note: (error: unknown) => void;

  constructor(runs: Pick<RunHistory, "noteCrash">) {
    this.#note = (error) => runs.noteCrash(error);
  }

  start(): void {
    process.on("uncaughtExceptionMonitor", this.#note);
  }

  stop(): void {
    process.removeListener("uncaughtExceptionMonitor", this.#note);
  }
}
