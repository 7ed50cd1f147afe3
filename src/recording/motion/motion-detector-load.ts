import { US_PER_SECOND } from "../../base/index.js";

/** The largest share of the codec's threads for motion detection: viewers and stills have the rest. */
export const MOTION_SHARE_MAX = 0.5;
/** Pictures are at most this many times further apart than the settings ask for. */
export const MOTION_STRETCH_MAX = 50;
/** Below this part of the bound there is room for more pictures. */
const ROOM_SHARE = 0.7;
/** A step to fewer pictures, and one back to more. */
const MORE = 1.25;
const LESS = 0.95;
/** From here on far fewer pictures are looked at than wanted. */
const STRAINED_STRETCH = 2;

/**
 * What all motion detectors together take of the codec's threads, and how much fewer pictures than wanted they look at, all
 * alike, so that it stays within its bound. Times are microseconds.
 */
export class MotionDetectorLoad {
  /** Detectors at work. */
  detectors = 0;
  readonly #threads: () => number;
  #busyUs = 0;
  #noted: { readonly busyUs: number; readonly atUs: number } | undefined;
  #stretch = 1;
  #share = 0;

  /** `threads`: of the codec; 0 while it is not loaded. */
  constructor(threads: () => number) {
    this.#threads = threads;
  }

  /** A detector's pictures took so much more processor time of the codec's threads. */
  note(us: number): void {
    this.#busyUs += Math.max(0, us);
  }

  /** To be called about once a second. */
  check(nowUs: number): void {
    const before = this.#noted ?? { busyUs: this.#busyUs, atUs: nowUs };
    const passedUs = nowUs - before.atUs;
    if (this.#noted !== undefined && passedUs < US_PER_SECOND / 2) return;
    this.#noted = { busyUs: this.#busyUs, atUs: nowUs };
    if (passedUs <= 0) return;
    this.#share = (this.#busyUs - before.busyUs) / (passedUs * Math.max(1, this.#threads()));
    if (this.#share > MOTION_SHARE_MAX) this.#stretch = Math.min(MOTION_STRETCH_MAX, this.#stretch * MORE);
    else if (this.#share < MOTION_SHARE_MAX * ROOM_SHARE) this.#stretch = Math.max(1, this.#stretch * LESS);
  }

  /** How many times further apart pictures are than wanted. */
  get stretch(): number {
    return this.#stretch;
  }

  /** The share of the codec's threads in the last second, 0 to 1. */
  get share(): number {
    return this.#share;
  }

  /** Far fewer pictures are looked at than wanted: the machine is too slow for so many cameras. */
  get isStrained(): boolean {
    return this.#stretch >= STRAINED_STRETCH;
  }
}
