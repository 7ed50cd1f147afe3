import type { Log } from "../../base/index.js";
import type { BuildFailure } from "./frame-builder.js";

/** Continuing losses are reported again after this long. */
export const LOSSES_REPORT_INTERVAL_US = 60_000_000;

const WORDS: Readonly<Record<BuildFailure, string>> = {
  "no-memory":
    "video frames of the camera were dropped: no memory was free for them, because disks or viewers are slow",
  "too-large":
    "video frames of the camera were dropped: they are larger than the recorder accepts; lower the camera's bit rate",
  "too-dense":
    "video frames of the camera were dropped: their packets do not fit the receive memory once converted; report the camera's model",
};

/**
 * Counts the access units of one stream that could not be built, and logs them: the first at the next tick, further
 * ones once a minute. Lives longer than the stream's sessions.
 */
export class UnitLosses {
  readonly #log: Log;
  readonly #counts: Record<BuildFailure, number> = { "no-memory": 0, "too-large": 0, "too-dense": 0 };
  #newest: BuildFailure = "no-memory";
  #total = 0;
  #reportedTotal = 0;
  #reportedUs = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Units lost so far, of all sessions. */
  get total(): number {
    return this.#total;
  }

  /** Counts a dropped unit. Neither allocates nor logs, because it is called while a packet is handled. */
  count(failure: BuildFailure): void {
    this.#counts[failure] += 1;
    this.#newest = failure;
    this.#total += 1;
  }

  /** Logs losses since the last report, when due; `nowUs`: monotonic time. */
  onTick(nowUs: number): void {
    if (this.#total === this.#reportedTotal || nowUs - this.#reportedUs < LOSSES_REPORT_INTERVAL_US) return;
    const dropped = this.#total - this.#reportedTotal;
    this.#reportedTotal = this.#total;
    this.#reportedUs = nowUs;
    this.#log.warn({ dropped, sinceStart: { ...this.#counts } }, WORDS[this.#newest]);
  }
}
