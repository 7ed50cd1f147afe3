import { type Clock, MS_PER_SECOND, pauseUnlessAborted, US_PER_MS } from "../../base/index.js";
import { SendError, type Sender } from "./sender.js";

/** Pauses between the tries of one question: the first, which doubles up to the longest. */
const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = MS_PER_SECOND;
/** No try begins later than this after the first: less than whoever waits for an answer waits. */
const TRIED_MS_MAX = 5 * MS_PER_SECOND;
const NEVER = new AbortController().signal;

/**
 * Asks a store again that is busy or disturbed (429, 500 to 599) for a moment: one answer in some is so on large stores, and whoever
 * reads need not learn of it. A connection that was kept may be closed by now: that is asked once more at once.
 */
export class PatientSender implements Pick<Sender, "run"> {
  readonly #sender: Pick<Sender, "run">;
  readonly #clock: Clock;

  constructor(sender: Pick<Sender, "run">, clock: Clock) {
    this.#sender = sender;
    this.#clock = clock;
  }

  /** For questions alone: what changes something in the bucket is not said twice. */
  run: Sender["run"] = async (work, onUpload, signal = NEVER) => {
    const endUs = this.#clock.monotonicUs() + TRIED_MS_MAX * US_PER_MS;
    let pauseMs = 0;
    for (;;) {
      try {
        return await this.#sender.run(work, onUpload, signal);
      } catch (error) {
        const waitMs = waitAfter(error, pauseMs);
        if (waitMs === undefined || this.#clock.monotonicUs() + waitMs * US_PER_MS > endUs) throw error;
        if (waitMs > 0) await pauseUnlessAborted(this.#clock, waitMs, signal);
        if (signal.aborted) throw error;
        pauseMs = Math.max(pauseMs + 1, Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_FIRST, 2 * waitMs)));
      }
    }
  };
}

/** How long to wait before the next try; undefined: another one does not help. `pauseMs`: 0 before the second try. */
function waitAfter(error: unknown, pauseMs: number): number | undefined {
  if (!(error instanceof SendError)) return undefined;
  if (error.fault === "unreachable") return pauseMs === 0 ? 0 : undefined;
  if (error.fault !== "busy") return undefined;
  return Math.max(error.retryAfterMs ?? 0, pauseMs, PAUSE_MS_FIRST);
}
