import { US_PER_SECOND } from "../../base/index.js";
import type { Frame } from "../../live/index.js";

/** A key frame that has not come this long after it is wanted is asked for: most cameras send one at PLAY by themselves. */
export const KEY_REQUEST_AFTER_US = US_PER_SECOND;
/** Least time between two requests; it doubles while none is heard, so that a camera that ignores them is left alone. */
export const KEY_REQUEST_INTERVAL_US = 4 * US_PER_SECOND;
export const KEY_REQUEST_INTERVAL_US_MAX = 64 * US_PER_SECOND;

/** Decides when a camera is asked for a key frame: where a session has none yet, and where the newest one was lost. */
export class KeyRequests {
  readonly #ask: () => void;
  #isWanted = true;
  #wantedUs: number | undefined;
  #notBeforeUs = Number.NEGATIVE_INFINITY;
  #intervalUs = KEY_REQUEST_INTERVAL_US;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  onPicture({ key, damaged, undecodable }: Pick<Frame, "key" | "damaged" | "undecodable">): void {
    if (key && !damaged) {
      this.#isWanted = false;
      this.#intervalUs = KEY_REQUEST_INTERVAL_US;
    } else if (undecodable) this.#isWanted = true;
  }

  /** `nowUs`: monotonic time. `hasPackets`: packets of pictures have come in this session. */
  onTick(nowUs: number, hasPackets: boolean): void {
    if (!this.#isWanted || !hasPackets) {
      this.#wantedUs = undefined;
      return;
    }
    this.#wantedUs ??= nowUs;
    if (nowUs - this.#wantedUs < KEY_REQUEST_AFTER_US || nowUs < this.#notBeforeUs) return;
    this.#notBeforeUs = nowUs + this.#intervalUs;
    this.#intervalUs = Math.min(2 * this.#intervalUs, KEY_REQUEST_INTERVAL_US_MAX);
    this.#ask();
  }
}
