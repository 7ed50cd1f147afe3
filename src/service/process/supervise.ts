import { constants } from "node:os";
import { type Clock, EXIT, errorText, type Log, NvrdError } from "../../base/index.js";
import { STOP_TOO_LONG } from "./stop-guard.js";

/** Something that runs until it is stopped. */
export interface Stoppable {
  stop(): Promise<void>;
  /** Resolves with the reason if it cannot continue; then it is stopped, and the reason is thrown. */
  readonly failure?: Promise<Error>;
  /** Resolves if it is to be stopped and started again. */
  readonly restart?: Promise<void>;
}

/** Why it was stopped. */
export type StopReason = "signal" | "restart";

export interface SuperviseOptions {
  /** Starts the service. */
  readonly start: () => Promise<Stoppable>;
  /** The source of signals: the process. */
  readonly signals: NodeJS.EventEmitter;
  /** Ends the process at once. */
  readonly exit: (status: number) => void;
  /**
   * Called when the stop begins, unless the process goes on: ends it should the main thread not come to it, and says so. What it
   * returns is called before another line says that the stop was not in order.
   */
  readonly guard?: () => () => void;
  /** A restart is one within the process; otherwise whoever started the process starts it again. */
  readonly restartsHere?: boolean;
  /** A line for a person. */
  readonly say?: (text: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;
/** If the service does not stop in this time, the process exits; synced data is safe. */
const STOP_TIMEOUT_MS = 30_000;
/** Base of the exit status that a shell reports for a process ended by a signal. */
const SIGNAL_STATUS_BASE = 128;
/** The texts of all parts that failed, as far as a line has room. */
const STOP_ERROR_LENGTH_MAX = 500;

/** What failed is in the log, part by part; on standard error it is a line for a person, without where in the program it was. */
function stopError(error: unknown): Error {
  const what = errorText(error).replaceAll(/\s+/g, " ").slice(0, STOP_ERROR_LENGTH_MAX);
  return new NvrdError("NOT_AVAILABLE", `stopped, but not in order: ${what}`, { cause: error });
}

/**
 * Runs until SIGTERM or SIGINT, or until the service fails, then stops it. A second signal ends the process at once. Rejects
 * with the error of start or stop. A signal during the start takes effect when the start is complete.
 */
export async function supervise(options: SuperviseOptions): Promise<StopReason> {
  const { signals, exit, clock, log } = options;
  let signalled = false;
  let announce: () => void;
  const asked = new Promise<undefined>((resolve) => {
    announce = () => resolve(undefined);
  });
  const onSignal = (signal: (typeof STOP_SIGNALS)[number]) => {
    if (signalled) return exit(SIGNAL_STATUS_BASE + constants.signals[signal]);
    signalled = true;
    log.info({ signal }, "stopping; a second signal ends the process at once");
    announce();
  };
  for (const signal of STOP_SIGNALS) signals.on(signal, onSignal);
  let silenceGuard: (() => void) | undefined;
  try {
    const running = await options.start();
    let reason: StopReason = "signal";
    const restart = running.restart?.then(() => {
      reason = "restart";
      log.info("stopping, to start again");
      return undefined;
    });
    const failure = await Promise.race([asked, running.failure ?? asked, restart ?? asked]);
    if (failure !== undefined || !isStaying(reason, options)) silenceGuard = options.guard?.();
    const timer = clock.setTimeout(() => {
      log.error({ timeoutMs: STOP_TIMEOUT_MS }, "the service does not stop: ending the process");
      silenceGuard?.();
      options.say?.(STOP_TOO_LONG);
      exit(EXIT.failed);
    }, STOP_TIMEOUT_MS);
    try {
      await running.stop();
    } catch (error) {
      if (failure === undefined) throw stopError(error);
      log.error({ error: errorText(error) }, "the stop failed, too");
    } finally {
      timer.clear();
    }
    if (failure !== undefined) throw failure;
    log.info("stopped");
    return signalled ? "signal" : reason;
  } catch (error) {
    silenceGuard?.();
    log.debug({ error: errorText(error) }, "start or stop failed");
    throw error;
  } finally {
    for (const signal of STOP_SIGNALS) signals.removeListener(signal, onSignal);
  }
}

function isStaying(reason: StopReason, { restartsHere }: SuperviseOptions): boolean {
  return reason === "restart" && restartsHere === true;
}
