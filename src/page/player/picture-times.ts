/** One picture in the browser's buffer. */
export interface PlacedPicture {
  /** When the element shows it, seconds of its own time. */
  readonly mediaS: number;
  readonly durationS: number;
  /** When it was taken, Unix milliseconds. */
  readonly wallMs: number;
  readonly handOverMs: number;
}

/** Pictures are forgotten from the oldest on beyond this many: six minutes at 30 a second. */
const PICTURES_MAX = 10_000;

/**
 * Which picture lies where in the element's time: gives the moment a shown picture was taken, and back. Exact to a picture,
 * also over gaps and jumps, as it asks no clock.
 */
export class PictureTimes {
  #pictures: PlacedPicture[] = [];

  get first(): PlacedPicture | undefined {
    return this.#pictures[0];
  }

  get last(): PlacedPicture | undefined {
    return this.#pictures.at(-1);
  }

  /** In the order of their media times; one that is placed anew takes the place of those from there on. */
  add(picture: PlacedPicture): void {
    while ((this.last?.mediaS ?? -1) > picture.mediaS + 0.000_5) this.#pictures.pop();
    this.#pictures.push(picture);
    // A half at once: moving the rest is not worth the work for each picture.
    if (this.#pictures.length > PICTURES_MAX) this.#pictures = this.#pictures.slice(PICTURES_MAX / 2);
  }

  /** Forgets what is no longer in the buffer. */
  trimBefore(mediaS: number): void {
    const kept = this.#pictures.findIndex((picture) => picture.mediaS + picture.durationS >= mediaS);
    this.#pictures = kept < 0 ? [] : this.#pictures.slice(kept);
  }

  clear(): void {
    this.#pictures = [];
  }

  /** The picture shown at a media time: the last that begins by then. */
  at(mediaS: number): PlacedPicture | undefined {
    // The element's time has microseconds, the fragment's a clock of its own: half a millisecond apart is the same.
    const after = this.#firstAfter((picture) => picture.mediaS > mediaS + 0.000_5);
    return this.#pictures[after - 1];
  }

  /** The moment that is shown at a media time, Unix milliseconds; within a picture it goes on. */
  wallAt(mediaS: number): number | undefined {
    const picture = this.at(mediaS);
    if (picture === undefined) return undefined;
    const within = Math.min(Math.max(0, mediaS - picture.mediaS), picture.durationS);
    return picture.wallMs + within * 1000;
  }

  /**
   * Where the picture of a moment is: the last one taken by then, the first where all are later; undefined without any. Of the
   * newest stretch whose times rise: what lies before a jump backwards counts no more.
   */
  pictureOf(wallMs: number): PlacedPicture | undefined {
    let found: PlacedPicture | undefined;
    let later = Number.POSITIVE_INFINITY;
    for (let index = this.#pictures.length - 1; index >= 0; index--) {
      const picture = this.#pictures[index];
      if (picture === undefined || picture.wallMs > later) break;
      later = picture.wallMs;
      found = picture;
      if (picture.wallMs <= wallMs + 0.5) break;
    }
    return found;
  }

  #firstAfter(isAfter: (picture: PlacedPicture) => boolean): number {
    let [low, high] = [0, this.#pictures.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const picture = this.#pictures[middle];
      if (picture !== undefined && isAfter(picture)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
