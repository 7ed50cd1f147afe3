import { US_PER_MS } from "../../base/index.js";
import type { TrackReceiver } from "../depacketize/track-receiver.js";

/** A camera that said BYE has ended the stream if it sends nothing for so long. */
export const GOODBYE_MS = 1000;

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

  /** Whether it has sent nothing for long enough. */
  isEnd(nowUs: number): boolean {
    return this.receiver !== undefined && nowUs - this.#saidUs >= GOODBYE_MS * US_PER_MS;
  }
}
