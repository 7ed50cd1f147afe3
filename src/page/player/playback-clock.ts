/**
 * The moment that a playback shows, for all its channels: it runs at the playback's speed, and waits while the pictures are
 * not there. Each player follows it (`PicturePlayer.follow`), and so they are in step.
 */
export class PlaybackClock {
  readonly #nowMs: () => number;
  #wallMs = 0;
  #sinceMs = 0;
  #speed = 1;
  #isRunning = false;
  #isHeld = false;

  /** `nowMs`: a clock that never jumps, such as `performance.now`. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get speed(): number {
    return this.#speed;
  }

  /** Runs, and is not held. */
  get isMoving(): boolean {
    return this.#isRunning && !this.#isHeld;
  }

  /** The moment now, Unix milliseconds. */
  at(): number {
    return this.isMoving ? this.#wallMs + (this.#nowMs() - this.#sinceMs) * this.#speed : this.#wallMs;
  }

  set(wallMs: number): void {
    this.#wallMs = wallMs;
    this.#sinceMs = this.#nowMs();
  }

  setSpeed(speed: number): void {
    this.set(this.at());
    this.#speed = speed;
  }

  run(isRunning: boolean): void {
    this.set(this.at());
    this.#isRunning = isRunning;
  }

  /** Pictures are missing: the moment stays until they are there. */
  hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.set(this.at());
    this.#isHeld = isHeld;
  }
}
