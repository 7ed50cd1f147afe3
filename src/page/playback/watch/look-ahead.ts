/** A pointer that rests so long over a moment is likely to click there. */
const REST_MS = 60;
/** The service counts microseconds. */
const SAME_MS = 1;

/** The moment under a pointer that rests on the timeline. */
export class LookAhead {
  #hovered: { readonly at: number; readonly sinceMs: number } | undefined;
  #isAway = false;
  /** What the service was asked for, and has not answered. */
  #asked: number | undefined;

  /** The service is at another moment than the playback. */
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

  /** `asked`: the service is asked for that moment; otherwise nothing is asked of it. */
  begin(asked?: number): void {
    this.#isAway = true;
    this.#asked = asked;
  }

  /** Whether the service answers to a look, by the time in its answer. */
  takesAnswer(time: number): boolean {
    const isAnswer = this.#asked !== undefined && Math.abs(time - this.#asked) < SAME_MS;
    if (isAnswer) this.#asked = undefined;
    return isAnswer;
  }

  /** The service is ordered elsewhere. */
  end(): void {
    this.#isAway = false;
  }

  forget(): void {
    this.#isAway = false;
    this.#asked = undefined;
    this.#hovered = undefined;
  }
}
