/** The largest share of one processor for motion detection, whatever the settings: recording runs beside it. */
export const MOTION_SHARE_MAX = 0.25;
/** How fast the mean follows the cost of a picture. */
const COST_SHARE = 0.05;

/** The cost of all motion detectors together, and the share of each. Times are microseconds. */
export class MotionDetectorLoad {
  /** Detectors at work. */
  detectors = 0;
  #costUs = 0;

  /** Analysing a picture took `us`. */
  note(us: number): void {
    this.#costUs += (us - this.#costUs) * COST_SHARE;
  }

  /** Time from one picture of a detector to its next that keeps all of them within the bound. */
  get periodUsMin(): number {
    return (this.#costUs * this.detectors) / MOTION_SHARE_MAX;
  }
}
