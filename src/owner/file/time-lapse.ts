import { US_PER_SECOND } from "../../base/index.js";
import type { PlannedUnit } from "../../compat/index.js";
import type { Picture } from "../../picture/index.js";

/** Pictures a second of a file that is faster than what was recorded. */
export const LAPSE_RATE = 25;
/** Key frames that are so much rarer than the pictures of the file are still enough: it then has fewer. */
const RARER_MAX = 1.5;

/** Which of the recorded pictures a file shows that is so many times as fast; `speed` 1: all. */
export interface TimeLapse {
  readonly speed: number;
  /** From one picture of the file to the next, in recorded time; 0: all are shown. */
  readonly stepUs: number;
  /** The key frames are enough: nothing else is read or decoded. */
  readonly keysOnly: boolean;
}

/** @param units What the file is made of. */
export function timeLapse(units: readonly PlannedUnit[], speed: number): TimeLapse {
  if (speed === 1) return { speed, stepUs: 0, keysOnly: false };
  const stepUs = (speed * US_PER_SECOND) / LAPSE_RATE;
  return { speed, stepUs, keysOnly: pieceUs(units) <= stepUs * RARER_MAX };
}

/** Pictures a second of the file, 1 to 60. `recordedRate`: of what is recorded. */
export function lapseRate(units: readonly PlannedUnit[], lapse: TimeLapse, recordedRate: number): number {
  const { speed, stepUs, keysOnly } = lapse;
  if (stepUs === 0) return recordedRate;
  const apartUs = keysOnly ? Math.max(stepUs, pieceUs(units)) : stepUs;
  const shown = Math.min(recordedRate * speed, (speed * US_PER_SECOND) / apartUs);
  return Math.min(60, Math.max(1, Math.round(shown)));
}

/** Median length of the pieces, each of which begins with a key frame. */
function pieceUs(units: readonly PlannedUnit[]): number {
  const lengths = units.map(({ options: { fromUs, toUs } }) => toUs - fromUs).sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? 0;
}

/** Chooses pictures that are a step apart; those of step 0 are all chosen. */
export class DuePictures {
  readonly #stepUs: number;
  #nextUs = Number.NEGATIVE_INFINITY;

  constructor(stepUs: number) {
    this.#stepUs = stepUs;
  }

  isDue(timeUs: number): boolean {
    return timeUs >= this.#nextUs;
  }

  /** Those of some pictures that are due, which are taken. */
  *among(pictures: readonly Picture[]): Generator<Picture> {
    for (const picture of pictures) {
      if (!this.isDue(picture.timeUs)) continue;
      this.take(picture.timeUs);
      yield picture;
    }
  }

  /** A picture of this time is taken. */
  take(timeUs: number): void {
    if (this.#stepUs > 0) this.#nextUs = (Math.floor(timeUs / this.#stepUs) + 1) * this.#stepUs;
  }
}
