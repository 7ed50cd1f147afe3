import { type Clock, US_PER_MS } from "../../base/index.js";

/** The moment of the recordings that a playback shows: the same for all of its channels. */
export class PlaybackClock {
  readonly #clock: Clock;
  #baseUs = 0;
  #speed = 1;
  /** Monotonic time since when it runs. */
  #sinceUs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Unix microseconds. */
  get timeUs(): number {
    if (this.#sinceUs === undefined) return this.#baseUs;
    return this.#baseUs + (this.#clock.monotonicUs() - this.#sinceUs) * this.#speed;
  }

  /** Time of the recordings that passes in a second; negative: backwards. */
  get speed(): number {
    return this.#speed;
  }

  get isRunning(): boolean {
    return this.#sinceUs !== undefined;
  }

  run(): void {
    this.#sinceUs ??= this.#clock.monotonicUs();
  }

  hold(): void {
    this.#baseUs = this.timeUs;
    this.#sinceUs = undefined;
  }

  /** Goes on from another moment, running or not. */
  set(timeUs: number, speed = this.#speed): void {
    this.#baseUs = timeUs;
    this.#speed = speed;
    if (this.#sinceUs !== undefined) this.#sinceUs = this.#clock.monotonicUs();
  }

  /** How long it takes to come to a moment, while it runs; 0 or less: it is there. */
  msTo(timeUs: number): number {
    return (timeUs - this.timeUs) / this.#speed / US_PER_MS;
  }
}
