import type { Log } from "../../base/index.js";
import type { BuildFailure } from "./frame-builder.js";

/** Losses that go on are told again after this long. */
export const LOSSES_TOLD_US = 60_000_000;

const WORDS: Readonly<Record<BuildFailure, string>> = {
  "no-memory":
    "pictures of the camera were dropped: no memory was free for them; it is held by disks or viewers that are slow",
  "too-large":
    "pictures of the camera were dropped: they are larger than the recorder takes; lower the camera's bit rate",
  "too-dense":
    "pictures of the camera were dropped: their packets grow beyond the memory they came in; report the camera's model",
};

/**
 * Counts the access units of one stream that could not be built, and tells of them: the first at the next tick, further
 * ones once a minute. Outlives the stream's sessions.
 */
export class UnitLosses {
  readonly #log: Log;
  readonly #counts: Record<BuildFailure, number> = { "no-memory": 0, "too-large": 0, "too-dense": 0 };
  #newest: BuildFailure = "no-memory";
  #total = 0;
  #toldTotal = 0;
  #toldUs = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Units lost so far, of all sessions. */
  get total(): number {
    return this.#total;
  }

  /** A unit was dropped. Allocates and tells nothing: it is called amid a packet. */
  count(failure: BuildFailure): void {
    this.#counts[failure] += 1;
    this.#newest = failure;
    this.#total += 1;
  }

  /** Tells what was lost since it last did, when that is due; `nowUs`: monotonic time. */
  onTick(nowUs: number): void {
    if (this.#total === this.#toldTotal || nowUs - this.#toldUs < LOSSES_TOLD_US) return;
    const dropped = this.#total - this.#toldTotal;
    this.#toldTotal = this.#total;
    this.#toldUs = nowUs;
    this.#log.warn({ dropped, sinceStart: { ...this.#counts } }, WORDS[this.#newest]);
  }
}
