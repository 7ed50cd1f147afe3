import { US_PER_SECOND } from "../../base/index.js";

const TIMESTAMPS = 0x1_0000_0000;

/** Unwraps a track's 32-bit RTP timestamps to media time in microseconds; its zero is the first timestamp. */
export class RtpTimeline {
  readonly #clockRate: number;
  #newest: number | undefined;
  #ticks = 0;

  /** `clockRate` in Hz, above 0. */
  constructor(clockRate: number) {
    if (!(clockRate > 0)) throw new RangeError(`RTP clock rate ${clockRate}`);
    this.#clockRate = clockRate;
  }

  /** Whether a timestamp has been seen. */
  get isRunning(): boolean {
    return this.#newest !== undefined;
  }

  /** Media time of the next frame. Timestamps may step back (B-frames) and wrap; a step counts as the shorter way round. */
  mediaUs(timestamp: number): number {
    this.#ticks += this.#step(timestamp);
    this.#newest = timestamp;
    return this.#toUs(this.#ticks);
  }

  /** Media time of a timestamp near the newest frame's; changes nothing. */
  mediaUsNear(timestamp: number): number {
    return this.#toUs(this.#ticks + this.#step(timestamp));
  }

  restart(): void {
    this.#newest = undefined;
    this.#ticks = 0;
  }

  #step(timestamp: number): number {
    if (this.#newest === undefined) return 0;
    const ahead = (timestamp - this.#newest + TIMESTAMPS) % TIMESTAMPS;
    return ahead < TIMESTAMPS / 2 ? ahead : ahead - TIMESTAMPS;
  }

  #toUs(ticks: number): number {
    return (ticks * US_PER_SECOND) / this.#clockRate;
  }
}
