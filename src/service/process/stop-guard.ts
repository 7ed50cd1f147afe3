import { Worker } from "node:worker_threads";
import { builtScript, EXIT, loadNativeAddon } from "../../base/index.js";

/** Behind the bound of a stop in order, which then has said what was left. */
const LOG_AFTER_MS = 31_000;
const END_AFTER_MS = 32_000;

/** What a person reads of a stop that took too long. */
export const STOP_TOO_LONG =
  "nvrd: stopped, but not in order: a part did not stop in time, as when a disk does not answer\n";

/**
 * Ends the process in time although the main thread stands still: a page of a mapped file, or a file that is closed, waits for
 * its disk as long as that does not answer. Called when the stop begins; there is no way back. What it returns is to be called
 * where the main thread says itself how the stop went: then the process ends in time without another line.
 */
export function guardStop(): () => void {
  const { exitWithin } = loadNativeAddon().functions;
  if (typeof exitWithin !== "function") return () => undefined;
  exitWithin(EXIT.failed, END_AFTER_MS);
  const isEnded = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData = { afterMs: LOG_AFTER_MS, line: STOP_TOO_LONG, isEnded };
  const worker = new Worker(builtScript(import.meta.url, "stop-guard-worker"), { workerData });
  // Without a guard thread, the process still ends.
  worker.on("error", () => undefined);
  worker.unref();
  return () => {
    Atomics.store(isEnded, 0, 1);
    Atomics.notify(isEnded, 0);
  };
}
