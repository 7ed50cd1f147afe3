/** Assumed before the second picture. */
const DISTANCE_US_ASSUMED = 40_000;
/** A longer distance is a gap, and says nothing of those that follow. */
const DISTANCE_US_MAX = 1_000_000;
/** The longest distance is that of so many pictures. */
const PICTURES = 32;

/**
 * How long a picture will be shown, while the next one has not come: as long as the longest of the newest ones. Players drop
 * pictures up to the next key frame where the next one comes later than twice the duration they were given.
 */
export class PictureDistance {
  readonly #distances: number[] = [];
  #lastUs: number | undefined;
  #at = 0;

  /** Takes the next picture; returns its estimated duration in microseconds. */
  next(decodeTimeUs: number): number {
    const distanceUs = this.#lastUs === undefined ? 0 : decodeTimeUs - this.#lastUs;
    this.#lastUs = decodeTimeUs;
    if (distanceUs > 0 && distanceUs <= DISTANCE_US_MAX) {
      this.#distances[this.#at % PICTURES] = distanceUs;
      this.#at += 1;
    }
    return this.#distances.length === 0 ? DISTANCE_US_ASSUMED : Math.max(...this.#distances);
  }
}
