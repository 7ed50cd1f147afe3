import { US_PER_SECOND } from "../../base/index.js";

const WINDOW_US = 10_000_000;
/** Weight of the newest window. */
const NEWEST_SHARE = 0.5;

/** Bytes written a second recently: windows of ten seconds, each counting twice the one before. */
export class WriteRate {
  #fromUs: number | undefined;
  #fromBytes = 0;
  #bytesPerSecond = 0;

  get bytesPerSecond(): number {
    return this.#bytesPerSecond;
  }

  /** Takes a counter's value. */
  note(bytes: number, nowUs: number): void {
    if (this.#fromUs === undefined || bytes < this.#fromBytes) {
      this.#fromUs = nowUs;
      this.#fromBytes = bytes;
      return;
    }
    const elapsedUs = nowUs - this.#fromUs;
    if (elapsedUs < WINDOW_US) return;
    const rate = ((bytes - this.#fromBytes) * US_PER_SECOND) / elapsedUs;
    this.#bytesPerSecond += (rate - this.#bytesPerSecond) * NEWEST_SHARE;
    this.#fromUs = nowUs;
    this.#fromBytes = bytes;
  }
}
