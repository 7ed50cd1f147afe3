/** Nothing has come from the recorder for so long: it is asked whether it is there. */
const ASKED_AFTER_MS = 1000;
/** It is asked, and so much later nothing has come: that is said. */
const SAID_AFTER_MS = 2800;
/** A page that was not run for so long, as in another tab, knows nothing of the time between. */
const STOPPED_MS = 2000;

/** Notices within three seconds that nothing comes from the recorder any more, whatever is waited for. No time of its own. */
export class Pulse {
  #heardMs: number;
  #lookedMs: number;
  #isAsked = false;

  constructor(nowMs: number) {
    this.#heardMs = nowMs;
    this.#lookedMs = nowMs;
  }

  /** Something came: an answer, a message, a picture. */
  heard(nowMs: number): void {
    this.#heardMs = nowMs;
    this.#isAsked = false;
  }

  /** Whether to ask now, and since when it has been quiet for too long. */
  look(nowMs: number): { readonly asks: boolean; readonly quietSinceMs: number | undefined } {
    if (nowMs - this.#lookedMs > STOPPED_MS) this.heard(nowMs);
    this.#lookedMs = nowMs;
    const quietMs = nowMs - this.#heardMs;
    const asks = quietMs >= ASKED_AFTER_MS && !this.#isAsked;
    if (asks) this.#isAsked = true;
    return { asks, quietSinceMs: quietMs >= SAID_AFTER_MS ? this.#heardMs : undefined };
  }

  /** What was asked has failed: it may be asked again. */
  failed(): void {
    this.#isAsked = false;
  }
}
