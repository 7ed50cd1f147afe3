/** Most of one processor that looking at pictures may take, whatever the settings say: recording runs beside it. */
export const MOTION_SHARE_MAX = 0.25;
/** How fast the mean follows what a picture costs. */
const COST_SHARE = 0.05;

/** What all motion detectors together cost, and what that leaves to each. Times are microseconds. */
export class MotionDetectorLoad {
  /** Detectors at work. */
  detectors = 0;
  #costUs = 0;

  /** A picture was looked at for `us`. */
  note(us: number): void {
    this.#costUs += (us - this.#costUs) * COST_SHARE;
  }

  /** Time from one picture of a detector to its next that keeps all of them within the bound. */
  get periodUsMin(): number {
    return (this.#costUs * this.detectors) / MOTION_SHARE_MAX;
  }
}
