/** Assumed before two pictures have shown it. */
const DISTANCE_MS_ASSUMED = 4000;
/** So many distances may pass without a picture. */
const DISTANCES = 3;
/** A longer distance is a gap, or a clock that was set, and says nothing of those that follow. */
const DISTANCE_MS_MAX = 60_000;

/**
 * How long a picture of a live stream is waited for, by how far apart those before it were taken: a start brings many at once, and says
 * nothing by when they come.
 */
export class Rhythm {
  #lastMs: number | undefined;
  /** Grows at once, and shrinks slowly. */
  #distanceMs: number | undefined;

  /** A picture has come that was taken at this time, Unix milliseconds. */
  note(takenMs: number): void {
    const distanceMs = this.#lastMs === undefined ? 0 : takenMs - this.#lastMs;
    this.#lastMs = takenMs;
    if (distanceMs <= 0 || distanceMs > DISTANCE_MS_MAX) return;
    const before = this.#distanceMs ?? distanceMs;
    this.#distanceMs = Math.max(distanceMs, before + (distanceMs - before) / 4);
  }

  /** What comes next comes otherwise: pictures are left out from now on, or no more. */
  forget(): void {
    this.#lastMs = undefined;
    this.#distanceMs = undefined;
  }

  /** Milliseconds that may pass without a picture. */
  get patienceMs(): number {
    return DISTANCES * (this.#distanceMs ?? DISTANCE_MS_ASSUMED);
  }
}
