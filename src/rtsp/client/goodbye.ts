import { US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { TrackReceiver } from "../depacketize/track-receiver.js";

/** A camera that said BYE has ended the stream if it sends nothing for so long. */
export const GOODBYE_MS = 1000;
/** Or for the time of so many pictures, where they come more rarely. */
const SILENT_PICTURES = 2;
const GAP_US_MAX = 30 * US_PER_SECOND;

/**
 * The BYE of a track's source. It is the end of the stream only if nothing follows: a camera that changes its SSRC says BYE for the
 * old one, and goes on. Times are those in which the main thread was there to read.
 */
export class Goodbye {
  #receiver: TrackReceiver | undefined;
  #packets = 0;
  #saidUs = 0;

  /** The source of `receiver` said BYE. */
  said(receiver: TrackReceiver, nowUs: number): void {
    if (receiver === this.#receiver && receiver.packets === this.#packets) return;
    this.#receiver = receiver;
    this.#packets = receiver.packets;
    this.#saidUs = nowUs;
  }

  /** The track that has said BYE, and has sent nothing since; undefined if there is none. */
  get receiver(): TrackReceiver | undefined {
    if (this.#receiver?.packets !== this.#packets) this.#receiver = undefined;
    return this.#receiver;
  }

  /** Whether it has sent nothing for long enough, of pictures that come `gapUs` apart. */
  isEnd(nowUs: number, gapUs: number): boolean {
    const waitUs = Math.max(GOODBYE_MS * US_PER_MS, SILENT_PICTURES * Math.min(gapUs, GAP_US_MAX));
    return this.receiver !== undefined && nowUs - this.#saidUs >= waitUs;
  }
}
