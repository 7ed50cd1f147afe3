/** A frame that comes early by so much, or by this share of the period, is on time: cameras' clocks are not exact. */
const EARLY_US_MAX = 10_000;
const EARLY_SHARE_MAX = 0.1;

/** Chooses which frames become pictures, by their times: so many a second on average, never more. */
export class PictureRate {
  /** Time from one picture to the next, microseconds of the stream. */
  readonly periodUs: number;
  #dueUs = Number.NEGATIVE_INFINITY;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(periodUs: number) {
    this.periodUs = periodUs;
  }

  /** Whether a picture is due at `timeUs`; always when times went back. */
  isDue(timeUs: number): boolean {
    const earlyUs = Math.min(EARLY_US_MAX, this.periodUs * EARLY_SHARE_MAX);
    return timeUs < this.#lastUs || timeUs >= this.#dueUs - earlyUs;
  }

  /** A picture of `timeUs` was made: the next one is due a period after the moment this one was due at. */
  taken(timeUs: number): void {
    const nextUs = this.#dueUs + this.periodUs;
    const behind = timeUs < this.#lastUs || nextUs <= timeUs;
    this.#dueUs = behind ? timeUs + this.periodUs : nextUs;
    this.#lastUs = timeUs;
  }
}
