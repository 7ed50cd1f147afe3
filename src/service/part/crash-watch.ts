import { type Clock, type ClockTimer, type Log, MS_PER_SECOND, onTimerFault } from "../../base/index.js";
import type { RunHistory } from "../../health/index.js";

/** Faults of a minute that are logged one by one; the number of further ones is logged when it is over. */
const LOGGED_PER_MINUTE_MAX = 20;
const MINUTE_MS = 60 * MS_PER_SECOND;

export interface CrashWatchOptions {
  readonly runs: Pick<RunHistory, "noteCrash">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What happens to an error that nobody caught.
 *
 * In a timer, in a promise that nobody waits for, and one of the system (no descriptors, no memory, a reset connection) that a
 * socket, a program or a thread reports: one piece of work has failed. It is logged, and recording goes on. Any other exception may
 * have left a part in a state that nobody thought of: it is stored, so that the next start can report it, and ends the process.
 */
export class CrashWatch {
  readonly #options: CrashWatchOptions;
  readonly #end: (error: unknown) => void;
  #timers: { clear(): void } | undefined;
  /** In this minute. */
  #faults = 0;
  #minute: ClockTimer | undefined;

  /** `end`: ends the process as Node does. */
  constructor(options: CrashWatchOptions, end: (error: unknown) => void = throwLater) {
    this.#options = options;
    this.#end = end;
  }

  start(): void {
    this.#timers = onTimerFault((error) =>
      this.#logFault(error, "a timer failed: what it was to do is left out this time"),
    );
    process.on("uncaughtException", this.#uncaught);
  }

  stop(): void {
    this.#timers?.clear();
    process.removeListener("uncaughtException", this.#uncaught);
    this.#endMinute();
  }

  /** A promise was rejected that nobody waits for. */
  readonly rejected = (reason: unknown): void =>
    this.#logFault(reason, "work that nobody waits for failed: it is left out this time");

  readonly #uncaught = (error: unknown): void => {
    if (isOfSystem(error)) {
      this.#logFault(error, "the system refused what nobody waits for: it is left out this time");
      return;
    }
    this.stop();
    this.#options.runs.noteCrash(error);
    this.#end(error);
  };

  /** A fault that comes again and again must not fill the log. */
  #logFault(error: unknown, text: string): void {
    this.#faults += 1;
    const { clock, log } = this.#options;
    this.#minute ??= clock.setTimeout(() => this.#endMinute(), MINUTE_MS);
    if (this.#faults <= LOGGED_PER_MINUTE_MAX) log.error({ err: error }, text);
  }

  #endMinute(): void {
    const unlogged = this.#faults - LOGGED_PER_MINUTE_MAX;
    this.#minute?.clear();
    this.#minute = undefined;
    this.#faults = 0;
    if (unlogged > 0) this.#options.log.error(`${unlogged} more faults that nobody caught were not logged`);
  }
}

/** An error of a system call, as Node makes it (`errno`, `syscall`), or of the start of a thread. */
function isOfSystem(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return ("syscall" in error && "errno" in error) || error.code === "ERR_WORKER_INIT_FAILED";
}

/** Nobody listens any more: Node prints it and ends. */
function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
