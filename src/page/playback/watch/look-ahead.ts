/** A pointer that rests so long over a moment is likely to click there. */
const REST_MS = 60;

/** The moment under a pointer that rests on the timeline. */
export class LookAhead {
  #hovered: { readonly at: number; readonly sinceMs: number } | undefined;
  #isAway = false;

  /** The service is at the moment that was looked at, not at that of the playback. */
  get isAway(): boolean {
    return this.#isAway;
  }

  hover(at: number | undefined, nowMs: number): void {
    this.#hovered = at === undefined ? undefined : { at, sinceMs: nowMs };
  }

  /** The moment to look at now: once, where the pointer has come to rest. */
  wanted(nowMs: number): number | undefined {
    if (this.#hovered === undefined || nowMs - this.#hovered.sinceMs < REST_MS) return undefined;
    const { at } = this.#hovered;
    this.#hovered = undefined;
    return at;
  }

  begin(): void {
    this.#isAway = true;
  }

  /** The service is ordered elsewhere. */
  end(): void {
    this.#isAway = false;
  }

  forget(): void {
    this.#isAway = false;
    this.#hovered = undefined;
  }
}
