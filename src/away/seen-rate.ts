import { type Clock, US_PER_SECOND } from "../base/index.js";

/** A send that took less says nothing: most of it is the way there and back. */
const LONG_US = 5 * US_PER_SECOND;
/** Above this the link is quick enough for several segments at once, each as one request: 300 kbit/s. */
const SLOW_BELOW = 37_500;

/** What a link carries where it is less than the limit says: seen by how long sends take. */
export class SeenRate {
  readonly #clock: Clock;
  /** Over all sends together. */
  #sentBytes = 0;
  #bytesPerSecond: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Bytes a second of a slow link; undefined: it is not known to be slow. */
  get bytesPerSecond(): number | undefined {
    return this.#bytesPerSecond;
  }

  note(sentBytes: number): void {
    this.#sentBytes += sentBytes;
  }

  /** A send begins; call what it answers when it has ended. */
  begin(): () => void {
    const beganUs = this.#clock.monotonicUs();
    const before = this.#sentBytes;
    return () => {
      const tookUs = this.#clock.monotonicUs() - beganUs;
      const rate = ((this.#sentBytes - before) / tookUs) * US_PER_SECOND;
      this.#bytesPerSecond = tookUs >= LONG_US && rate < SLOW_BELOW ? rate : undefined;
    };
  }
}
