/** One picture in the browser's buffer. */
export interface PlacedPicture {
  /** When the element shows it, seconds of its own time. */
  readonly mediaS: number;
  readonly durationS: number;
  /** When it was taken, Unix milliseconds. */
  readonly wallMs: number;
  readonly handOverMs: number;
  /** Pictures that follow one another have the same; a jump begins another one. */
  readonly stretch: number;
  /** It stands for its whole group of pictures. */
  readonly isCoarse?: boolean;
}

/** Recordings so close together have no gap between them: the last picture is shown up to the next one. */
const TOGETHER_MS = 1000;

/** Pictures are forgotten from the oldest on beyond this many: six minutes at 30 a second. */
const PICTURES_MAX = 10_000;

/**
 * Which picture lies where in the element's time: gives the moment a shown picture was taken, and back. Exact to a picture,
 * also over gaps and jumps, as it asks no clock.
 */
export class PictureTimes {
  #pictures: PlacedPicture[] = [];
  #stretch = 0;
  #isCoarse = false;

  get first(): PlacedPicture | undefined {
    return this.#pictures[0];
  }

  get last(): PlacedPicture | undefined {
    return this.#pictures.at(-1);
  }

  /** In the order of their media times; one that is placed anew takes the place of those from there on. */
  add(placed: Omit<PlacedPicture, "stretch">): void {
    const picture = { ...placed, stretch: this.#stretch, isCoarse: this.#isCoarse };
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

  /** What is added next follows a jump: what was there before is no longer the playback's way. */
  beginStretch(isCoarse = false): void {
    this.#stretch += 1;
    this.#isCoarse = isCoarse;
  }

  /** The newest picture of the playback's way; undefined while none has come since a jump. */
  get newest(): PlacedPicture | undefined {
    const last = this.last;
    return last?.stretch === this.#stretch ? last : undefined;
  }

  /**
   * The picture of a moment: on the playback's way the last one taken by then, the first where all are later. While that has not
   * come since a jump, one of an earlier stretch that is of just this moment. Undefined without any.
   */
  pictureOf(wallMs: number): PlacedPicture | undefined {
    const found = this.#onTheWay(wallMs);
    if (found !== undefined && isOf(found, wallMs) && found.isCoarse !== true) return found;
    let earlier: PlacedPicture | undefined;
    for (let index = this.#pictures.length - 1; index >= 0; index--) {
      const picture = this.#pictures[index];
      if (picture === undefined || picture.stretch === this.#stretch || !isOf(picture, wallMs)) continue;
      if (picture.isCoarse !== true) return picture;
      earlier ??= picture;
    }
    return found !== undefined && isOf(found, wallMs) ? found : (earlier ?? found);
  }

  /** Pictures that stand for their groups, of the newest stretch that has some. */
  keyPictures(): readonly PlacedPicture[] {
    const last = this.#pictures.findLastIndex(({ isCoarse }) => isCoarse === true);
    if (last < 0) return [];
    const stretch = this.#pictures[last]?.stretch;
    const before = this.#pictures.findLastIndex((picture, at) => at < last && picture.stretch !== stretch);
    return this.#pictures.slice(before + 1, last + 1);
  }

  /** Backwards through what has come, forwards or backwards, since the last jump. */
  #onTheWay(wallMs: number): PlacedPicture | undefined {
    let taken: PlacedPicture | undefined;
    let later: PlacedPicture | undefined;
    for (let index = this.#pictures.length - 1; index >= 0; index--) {
      const picture = this.#pictures[index];
      if (picture === undefined || picture.stretch !== this.#stretch) break;
      if (picture.wallMs <= wallMs + 0.5) {
        // Older and earlier: the recording is played forwards.
        if (taken !== undefined && picture.wallMs <= taken.wallMs) break;
        taken = picture;
      } else if (taken !== undefined) break;
      else if (later === undefined || picture.wallMs < later.wallMs) later = picture;
    }
    return taken ?? later;
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

/** Whether a picture is shown at a moment. */
export function isOf(picture: PlacedPicture, wallMs: number): boolean {
  return picture.wallMs <= wallMs + 0.5 && wallMs < endMs(picture);
}

/** Whether it is the picture of a moment, or so near that nothing is missing between. */
export function isNear(picture: PlacedPicture, wallMs: number): boolean {
  return picture.wallMs - TOGETHER_MS < wallMs && wallMs < endMs(picture) + TOGETHER_MS;
}

/** When a picture is shown no more, Unix milliseconds. */
export function endMs({ wallMs, durationS }: PlacedPicture): number {
  return wallMs + durationS * 1000;
}

/** A picture that stands for its group, or for long, is said to be of its own time. */
const WITHIN_MS_MAX = 500;

/** The moment that a picture shows while a playback is at `wallMs`: within the picture it goes on. */
export function momentIn(picture: PlacedPicture, wallMs: number): number {
  if (picture.isCoarse === true) return picture.wallMs;
  const end = Math.min(endMs(picture), picture.wallMs + WITHIN_MS_MAX);
  return Math.min(Math.max(wallMs, picture.wallMs), end);
}
