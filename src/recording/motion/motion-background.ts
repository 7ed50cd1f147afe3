/**
 * The camera's empty scene: a running mean and mean deviation of each pixel, in 1/256 grey levels. Memory is allocated
 * once, for one picture size.
 */
export class MotionBackground {
  /** 1 where the newest picture differs from the background. */
  readonly changed: Uint8Array;
  readonly #mean: Uint16Array;
  readonly #deviation: Uint16Array;
  /** Maps a grey level of the background to its level in the current light. */
  readonly #lit = new Int16Array(256);
  readonly #light: LightFit;
  #learned = 0;

  constructor(pixels: number) {
    this.changed = new Uint8Array(pixels);
    this.#mean = new Uint16Array(pixels);
    this.#deviation = new Uint16Array(pixels);
    this.#light = new LightFit();
  }

  /** Pictures learned since the last `reset`. */
  get learned(): number {
    return this.#learned;
  }

  /** Takes the picture as the empty scene. */
  reset(picture: Uint8Array): void {
    for (let at = 0; at < picture.length; at++) this.#mean[at] = (picture[at] ?? 0) << SCALE_BITS;
    this.#deviation.fill(DEVIATION_AT_FIRST);
    this.#learned = 1;
  }

  /**
   * Marks the pixels that differ after compensation of the light. Returns the largest change of the light in grey levels, and the
   * share of the watched pixels that differ.
   */
  compare(picture: Uint8Array, thresholds: Uint8Array): { lightStep: number; share: number } {
    const lightStep = this.#light.fit(picture, this.#mean, this.#lit);
    if (lightStep >= LIGHT_STEP_MIN) this.#follow();
    let watched = 0;
    let differing = 0;
    for (let at = 0; at < picture.length; at++) {
      const threshold = thresholds[at] ?? OUTSIDE;
      this.changed[at] = 0;
      if (threshold === OUTSIDE) continue;
      watched += 1;
      const difference = Math.abs((picture[at] ?? 0) - this.grayAt(at));
      const noise = ((this.#deviation[at] ?? 0) * DEVIATIONS) >> SCALE_BITS;
      if (difference <= threshold + noise) continue;
      this.changed[at] = 1;
      differing += 1;
    }
    return { lightStep, share: watched === 0 ? 0 : differing / watched };
  }

  /** The light is not part of the scene: the background follows its changes at once. */
  #follow(): void {
    for (let at = 0; at < this.#mean.length; at++) {
      const level = this.grayAt(at);
      const shifted = (this.#mean[at] ?? 0) + (((this.#lit[level] ?? level) - level) << SCALE_BITS);
      this.#mean[at] = Math.max(0, Math.min(shifted, GRAY_MAX));
    }
  }

  /**
   * Learns the picture. `marks`: 0 the scene, 1 a moving object, 2 an object that stands still; each becomes background
   * at its own rate.
   */
  learn(picture: Uint8Array, marks: Uint8Array, shares: LearningShares): void {
    this.#learned += 1;
    const stillShare = Math.max(shares.still, SHARE_ONE / Math.min(this.#learned, SHARE_ONE));
    for (let at = 0; at < picture.length; at++) {
      const mean = this.#mean[at] ?? 0;
      const step = ((picture[at] ?? 0) << SCALE_BITS) - mean;
      const mark = marks[at];
      const share = mark === 0 ? stillShare : mark === 1 ? shares.moving : shares.standing;
      this.#mean[at] = mean + Math.round((step * share) / SHARE_ONE);
      if (mark !== 0) continue;
      const deviation = this.#deviation[at] ?? 0;
      const towards = Math.min(Math.abs(step), DEVIATION_MAX) - deviation;
      this.#deviation[at] =
        deviation + Math.round((towards * Math.max(stillShare, DEVIATION_SHARE_MIN)) / SHARE_ONE);
    }
  }

  /** The background's grey level at a pixel. */
  grayAt(at: number): number {
    return (this.#mean[at] ?? 0) >> SCALE_BITS;
  }
}

/** Weight of a new picture, in parts of `SHARE_ONE`. */
export interface LearningShares {
  readonly still: number;
  readonly moving: number;
  readonly standing: number;
}

export const SHARE_ONE = 4096;
const SCALE_BITS = 8;
const GRAY_MAX = 255 << SCALE_BITS;
/** Less is noise of the median. */
const LIGHT_STEP_MIN = 2;
const OUTSIDE = 255;
/** A change must exceed the threshold by this many mean deviations of its pixel. */
const DEVIATIONS = 3;
const DEVIATION_AT_FIRST = 3 << SCALE_BITS;
const DEVIATION_MAX = 40 << SCALE_BITS;
const DEVIATION_SHARE_MIN = 40;

/** Number of brightness bands in which the light's change is measured. */
const BANDS = 8;
const BAND_SHIFT = 5;
/** A band with fewer than one in this many pixels is too small to measure. */
const BAND_PART_MIN = 24;
/** Differences run from -255 to 255. */
const DIFFERENCES = 511;
const DIFFERENCE_ZERO = 255;
/** Every third pixel is sampled; coprime to the usual widths. */
const SAMPLE_STEP = 3;

/**
 * How the light changed between two pictures of one scene: the median difference in each band of brightness. What moves
 * is a minority of each band's pixels and does not move the median.
 */
class LightFit {
  readonly #counts = new Uint16Array(BANDS * DIFFERENCES);
  readonly #totals = new Uint32Array(BANDS);
  readonly #medians = new Int16Array(BANDS);

  /** Fills `lit` and returns the largest change in grey levels. */
  fit(picture: Uint8Array, mean: Uint16Array, lit: Int16Array): number {
    this.#counts.fill(0);
    this.#totals.fill(0);
    let samples = 0;
    for (let at = 0; at < picture.length; at += SAMPLE_STEP) {
      const before = (mean[at] ?? 0) >> SCALE_BITS;
      const slot = (before >> BAND_SHIFT) * DIFFERENCES + DIFFERENCE_ZERO + (picture[at] ?? 0) - before;
      this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
      this.#totals[before >> BAND_SHIFT] = (this.#totals[before >> BAND_SHIFT] ?? 0) + 1;
      samples += 1;
    }
    let largest = 0;
    let known = -1;
    for (let band = 0; band < BANDS; band++) {
      const enough = (this.#totals[band] ?? 0) * BAND_PART_MIN >= samples;
      this.#medians[band] = enough ? this.#median(band) : UNKNOWN;
      if (!enough) continue;
      if (known < 0) this.#medians.fill(this.#medians[band] ?? 0, 0, band);
      known = band;
      largest = Math.max(largest, Math.abs(this.#medians[band] ?? 0));
    }
    this.#fillGaps();
    for (let level = 0; level < lit.length; level++) lit[level] = level + this.#between(level);
    return largest;
  }

  #median(band: number): number {
    const half = (this.#totals[band] ?? 0) / 2;
    let sum = 0;
    for (let slot = 0; slot < DIFFERENCES; slot++) {
      sum += this.#counts[band * DIFFERENCES + slot] ?? 0;
      if (sum > half) return slot - DIFFERENCE_ZERO;
    }
    return 0;
  }

  /** A band without enough pixels uses the value of the one below it. */
  #fillGaps(): void {
    let last = 0;
    for (let band = 0; band < BANDS; band++) {
      if (this.#medians[band] === UNKNOWN) this.#medians[band] = last;
      last = this.#medians[band] ?? 0;
    }
  }

  /** Between the middles of two bands the change is interpolated linearly. */
  #between(level: number): number {
    const place = (level - BAND_MIDDLE) / (1 << BAND_SHIFT);
    const lower = Math.max(0, Math.min(BANDS - 1, Math.floor(place)));
    const upper = Math.min(BANDS - 1, lower + 1);
    const part = Math.max(0, Math.min(1, place - lower));
    const below = this.#medians[lower] ?? 0;
    return Math.round(below + ((this.#medians[upper] ?? 0) - below) * part);
  }
}

const BAND_MIDDLE = (1 << BAND_SHIFT) / 2;
const UNKNOWN = -32_768;
