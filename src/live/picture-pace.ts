/** The period follows arrivals with this time constant. */
const PERIOD_FOLLOWS_US = 3_000_000;
const PERIOD_WEIGHT_MIN = 1 / 128;
const PERIOD_WEIGHT_MAX = 1 / 4;
/** A pause longer than this, and than eight periods, says nothing about the period. */
const PAUSE_US_MIN = 500_000;
const PAUSE_PERIODS = 8;
/** Paced times are drawn to the arrival with this time constant. */
const PULL_US = 2_000_000;
/** After so much more than the usual, pictures had paused: the next begins at its arrival. */
const RESUME_US_MIN = 1_000_000;
const RESUME_PERIODS = 4;
/** Paced times are never earlier than this before the arrival, which is that of a read that may have waited for a tick; */
export const PACE_BEFORE_US_MAX = 380_000;
/** nor later than this after it. */
export const PACE_AFTER_US_MAX = 100_000;

/** Even times for pictures whose own cannot be believed: as many a second as arrive, near their arrival. */
export class PicturePace {
  #periodUs: number | undefined;

  /** Mean time from one picture to the next; 0 until two have come. */
  get periodUs(): number {
    return this.#periodUs ?? 0;
  }

  /** A picture comes `elapsedUs` after the one before. */
  arrived(elapsedUs: number): void {
    const periodUs = this.#periodUs;
    if (periodUs === undefined) {
      this.#periodUs = elapsedUs;
      return;
    }
    const weight = clamp(periodUs / PERIOD_FOLLOWS_US, PERIOD_WEIGHT_MIN, PERIOD_WEIGHT_MAX);
    const counted = Math.min(elapsedUs, Math.max(PAUSE_US_MIN, PAUSE_PERIODS * periodUs));
    this.#periodUs = periodUs + (counted - periodUs) * weight;
  }

  /** The time after `lastUs` of a picture that arrives at `atUs`. */
  next(lastUs: number, atUs: number): number {
    const { periodUs } = this;
    if (atUs - lastUs > Math.max(RESUME_US_MIN, RESUME_PERIODS * periodUs)) return atUs;
    const evenUs = lastUs + periodUs;
    const drawnUs = evenUs + (atUs - evenUs) * Math.min(1, periodUs / PULL_US);
    return Math.max(nearArrival(drawnUs, atUs), lastUs + 1);
  }
}

/** `timeUs`, or the nearest to it that is not too far from the arrival. */
export function nearArrival(timeUs: number, atUs: number): number {
  return clamp(timeUs, atUs - PACE_BEFORE_US_MAX, atUs + PACE_AFTER_US_MAX);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
