/** A frame early by this much, or by this share of the period, is on time: cameras' clocks are not exact. */
const EARLY_US_MAX = 10_000;
const EARLY_SHARE_MAX = 0.1;

/** Selects frames by their times, for a given average number of pictures a second. */
export class PictureRate {
  /** Time between pictures, in microseconds of stream time. */
  readonly periodUs: number;
  #dueUs = Number.NEGATIVE_INFINITY;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(periodUs: number) {
    this.periodUs = periodUs;
  }

  /** Whether a picture is due at `timeUs`; always true if times went back. */
  isDue(timeUs: number): boolean {
    const earlyUs = Math.min(EARLY_US_MAX, this.periodUs * EARLY_SHARE_MAX);
    return timeUs < this.#lastUs || timeUs >= this.#dueUs - earlyUs;
  }

  /** Records a picture of `timeUs`: the next one is due one period after this one was due. */
  taken(timeUs: number): void {
    const nextUs = this.#dueUs + this.periodUs;
    const behind = timeUs < this.#lastUs || nextUs <= timeUs;
    this.#dueUs = behind ? timeUs + this.periodUs : nextUs;
    this.#lastUs = timeUs;
  }
}
