/** Pictures that are remembered; no stream reorders by more. */
const PICTURES_MAX = 16;
/** A time further back than this is not that of a reordered picture. */
const BACK_US_MAX = 2_000_000;

/**
 * Where reordered pictures whose own times are not used belong: between those that they are shown between. The camera's times give the
 * order alone. Nothing is allocated for a picture.
 */
export class PlacedOrder {
  /** Of the newest pictures: the camera's times and those given. */
  readonly #raw = new Float64Array(PICTURES_MAX);
  readonly #given = new Float64Array(PICTURES_MAX);
  #count = 0;
  #next = 0;
  #newestRawUs = Number.NEGATIVE_INFINITY;
  #newestGivenUs = Number.NEGATIVE_INFINITY;
  /** The camera's time of the picture that was shown last before that one came, and the one given. */
  #newestBeforeRawUs = Number.NEGATIVE_INFINITY;
  #newestBeforeGivenUs = Number.NEGATIVE_INFINITY;
  /** Pictures since the one that is shown last. */
  #since = 0;

  /** The time given to the picture that is shown last. */
  get newestGivenUs(): number {
    return this.#newestGivenUs;
  }

  /** Pictures that came since then. */
  get since(): number {
    return this.#since;
  }

  /**
   * Whether a picture is shown before others that have come. No more than `depth` of them are shown after it, as the stream says:
   * with more, its time does not say where it belongs.
   */
  isBetween(rawUs: number, depth: number): boolean {
    if (rawUs >= this.#newestRawUs || this.#newestRawUs - rawUs > BACK_US_MAX) return false;
    return this.#since < PICTURES_MAX && this.#after(rawUs) <= depth;
  }

  /** Pictures that have come and are shown after this one. */
  #after(rawUs: number): number {
    let after = 0;
    for (let at = 0; at < this.#count; at += 1) {
      const each = this.#raw[at] ?? 0;
      if (each > rawUs && each - rawUs <= BACK_US_MAX) after += 1;
    }
    return after;
  }

  /**
   * Whether a picture is shown before the one that is shown last, and after all that came before that one, as pictures are that it waited
   * for: by the camera's times and by those given, as the clock may have been set between them.
   */
  isWithinStep(rawUs: number, mappedUs: number, depth: number): boolean {
    const isWithinGiven = mappedUs > this.#newestBeforeGivenUs && mappedUs < this.#newestGivenUs;
    return isWithinGiven && rawUs > this.#newestBeforeRawUs && this.isBetween(rawUs, depth);
  }

  /**
   * How many pictures the one that is shown last must have been sent before, for this one to be shown before it, where pictures come
   * `distanceUs` apart. Only as long as nothing that came before the one shown last bounds that; else 0.
   */
  picturesAhead(rawUs: number, distanceUs: number): number {
    const isFirst = this.#newestBeforeRawUs === Number.NEGATIVE_INFINITY;
    return isFirst ? (this.#newestRawUs - rawUs) / distanceUs : 0;
  }

  /** Time of a picture that is shown before others that have come; undefined where it is shown after all, or its time says nothing. */
  between(rawUs: number, depth: number): number | undefined {
    if (!this.isBetween(rawUs, depth)) return undefined;
    let before = -1;
    let after = -1;
    for (let at = 0; at < this.#count; at += 1) {
      const each = this.#raw[at] ?? 0;
      if (each <= rawUs && (before < 0 || each > (this.#raw[before] ?? 0))) before = at;
      if (each > rawUs && (after < 0 || each < (this.#raw[after] ?? 0))) after = at;
    }
    if (before < 0 || after < 0) return undefined;
    const rawBefore = this.#raw[before] ?? 0;
    const givenBefore = this.#given[before] ?? 0;
    const part = (rawUs - rawBefore) / ((this.#raw[after] ?? 0) - rawBefore);
    return givenBefore + part * ((this.#given[after] ?? 0) - givenBefore);
  }

  /** A picture has got its time. `isShownLast`: after all that came before. */
  took(rawUs: number, givenUs: number, isShownLast: boolean): void {
    this.#raw[this.#next] = rawUs;
    this.#given[this.#next] = givenUs;
    this.#next = (this.#next + 1) % PICTURES_MAX;
    this.#count = Math.min(this.#count + 1, PICTURES_MAX);
    this.#since += 1;
    if (!isShownLast) return;
    // What a clock that was set said before has no place among what it says now.
    const isSetBack = rawUs < this.#newestRawUs;
    if (isSetBack) this.#forgetOthers(rawUs, givenUs);
    this.#newestBeforeRawUs = isSetBack ? rawUs : this.#newestRawUs;
    this.#newestBeforeGivenUs = this.#newestGivenUs;
    this.#newestRawUs = rawUs;
    this.#newestGivenUs = givenUs;
    this.#since = 0;
  }

  /** Pictures that were given `fromUs` or a later time, but for the newest, are later by `byUs`, and before the one that is shown last. */
  move(fromUs: number, byUs: number): void {
    for (let at = 0; at < this.#count; at += 1) {
      const givenUs = this.#given[at] ?? 0;
      if (givenUs >= fromUs && givenUs < this.#newestGivenUs)
        this.#given[at] = Math.min(givenUs + byUs, this.#newestGivenUs - 1);
    }
  }

  #forgetOthers(rawUs: number, givenUs: number): void {
    this.#raw[0] = rawUs;
    this.#given[0] = givenUs;
    this.#count = 1;
    this.#next = 1;
  }
}
