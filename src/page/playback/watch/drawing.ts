/** A hand that rests so long wants the very picture. */
const REST_MS = 120;
/** And for so many pictures of the screen: where those are slow, so are the moves. */
const REST_FRAMES = 3;
/** Key frames of a scan, of all cameras together: one for each step of a hand over the timeline. */
const SCANNED = 320;
const SCANNED_MIN = 60;

/** A hand that is drawn along the timeline, with the playhead. */
export class Drawing {
  /** Whether it plays when the hand lets go. */
  readonly plays: boolean;
  #movedMs: number;
  #frames = 0;
  #isExact = true;
  /** The answer to the scan has not come. */
  isScanning = true;

  constructor(plays: boolean, nowMs: number) {
    this.plays = plays;
    this.#movedMs = nowMs;
  }

  move(nowMs: number): void {
    this.#movedMs = nowMs;
    this.#frames = 0;
    this.#isExact = false;
  }

  /** Each picture of the screen: whether to ask for the very picture now, which is once, where the hand has come to rest. */
  rests(nowMs: number): boolean {
    this.#frames += 1;
    if (this.#frames < REST_FRAMES) return false;
    if (this.#isExact || this.isScanning || nowMs - this.#movedMs < REST_MS) return false;
    this.#isExact = true;
    return true;
  }
}

/** The distance of key frames that a hand can distinguish on a timeline. Milliseconds. */
export function scanStep(lengthMs: number, cameras: number): number {
  return Math.max(1, lengthMs / Math.max(SCANNED_MIN, SCANNED / Math.max(cameras, 1)));
}
