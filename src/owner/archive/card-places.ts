import { type Guid, NvrdError } from "../../base/index.js";

/** Playbacks from cameras' cards at once; of one camera there is one, because cameras serve few. */
const PLAYED_MAX = 4;
const RETRY_AFTER_MS = 5000;

/** Bounds the playbacks from cameras' cards. */
export class CardPlaces {
  readonly #taken = new Set<Guid>();

  /** Returns what gives the place back, once however often it is called. Throws NvrdError TOO_MANY_REQUESTS. */
  take(channelId: Guid): () => void {
    const retry = { retryAfterMs: RETRY_AFTER_MS };
    if (this.#taken.has(channelId))
      throw new NvrdError("TOO_MANY_REQUESTS", "another playback of this camera is running", retry);
    if (this.#taken.size >= PLAYED_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${PLAYED_MAX} playbacks from cameras are running`, retry);
    this.#taken.add(channelId);
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken.delete(channelId);
      isTaken = false;
    };
  }
}
