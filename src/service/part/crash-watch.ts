import type { RunHistory } from "../../health/index.js";

/** Stores an unexpected error, so that the next start can report it; the process still crashes. */
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
