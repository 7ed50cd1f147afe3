import { type Log, onTimerFault } from "../../base/index.js";
import type { RunHistory } from "../../health/index.js";

/**
 * Stores an unexpected error, so that the next start can report it; the process still crashes. One in a timer is only logged:
 * the next turn of the timer may do better, and recording goes on.
 */
export class CrashWatch {
  readonly #note: (error: unknown) => void;

  readonly #log: Log;
  #timers: { clear(): void } | undefined;

  constructor(runs: Pick<RunHistory, "noteCrash">, log: Log) {
    this.#log = log;
    this.#note = (error) => runs.noteCrash(error);
  }

  start(): void {
    this.#timers = onTimerFault((error) =>
      this.#log.error({ err: error }, "a timer failed: what it was to do is left out this time"),
    );
    process.on("uncaughtExceptionMonitor", this.#note);
  }

  stop(): void {
    this.#timers?.clear();
    process.removeListener("uncaughtExceptionMonitor", this.#note);
  }
}
