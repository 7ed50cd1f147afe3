/** What should move and has not for so long is said to stand, and begins anew. */
export const STANDING_MS = 2000;
/** Beginning anew is tried again after twice the time of the try before, at most after this. */
const TRY_MS_MAX = 30_000;
/** Pictures for so long without a halt: the next one is the first again. */
const FORGOTTEN_MS = 10_000;

/** Notices that pictures which should come do not, and says when to begin anew. Asked often; no time of its own. */
export class Standing {
  #awaitedSinceMs: number | undefined;
  #goesSinceMs: number | undefined;
  #tries = 0;
  #nextTryMs = 0;

  /** Whether it stands, and whether to begin anew now; who does calls `tried`. */
  look(isAwaited: boolean, nowMs: number): { readonly isStanding: boolean; readonly beginsAnew: boolean } {
    if (!isAwaited) {
      this.#awaitedSinceMs = undefined;
      this.#goesSinceMs ??= nowMs;
      if (nowMs - this.#goesSinceMs >= FORGOTTEN_MS) this.#tries = 0;
      return { isStanding: false, beginsAnew: false };
    }
    this.#goesSinceMs = undefined;
    if (this.#awaitedSinceMs === undefined) {
      this.#awaitedSinceMs = nowMs;
      this.#nextTryMs = nowMs + this.#waitMs;
    }
    const isStanding = nowMs - this.#awaitedSinceMs >= STANDING_MS;
    return { isStanding, beginsAnew: isStanding && nowMs >= this.#nextTryMs };
  }

  /** It begins anew, for this or for another reason. */
  tried(nowMs: number): void {
    this.#tries += 1;
    this.#nextTryMs = nowMs + this.#waitMs;
  }

  /** Something else is waited for now. */
  reset(): void {
    this.#awaitedSinceMs = undefined;
  }

  get #waitMs(): number {
    return Math.min(TRY_MS_MAX, STANDING_MS * 2 ** this.#tries);
  }
}
