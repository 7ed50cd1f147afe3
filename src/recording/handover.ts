import type { Clock, ClockTimer } from "../base/index.js";
import type { ChannelRecorder } from "./channel-recorder.js";

/** How long the earlier stream is recorded while the later one has no picture yet: cameras need seconds to begin. */
const HANDOVER_MS_MAX = 30_000;
/** How much later pictures of one moment may come in the earlier stream. */
const HANDOVER_LAG_MS = 2000;

export interface HandoverOptions {
  /** Records the stream that was archived so far. */
  readonly from: ChannelRecorder;
  /** Records the one that is archived from now on. */
  readonly to: ChannelRecorder;
  readonly clock: Clock;
  /** Takes what ends when the earlier stream is no longer recorded. */
  readonly onStop: (stopping: Promise<void>) => void;
}

/**
 * A channel's archived stream is changed. The earlier one is recorded up to the first picture that is recorded of the
 * later one, so that no moment is missing between them.
 */
export class Handover {
  readonly from: ChannelRecorder;
  readonly #onStop: (stopping: Promise<void>) => void;
  #timer: ClockTimer;
  #isOver = false;

  constructor({ from, to, clock, onStop }: HandoverOptions) {
    this.from = from;
    this.#onStop = onStop;
    this.#timer = clock.setTimeout(() => this.end(), HANDOVER_MS_MAX);
    to.onFirstPicture = (decodeTimeUs) => {
      if (this.#isOver) return;
      from.endAt(decodeTimeUs);
      this.#timer.clear();
      this.#timer = clock.setTimeout(() => this.end(), HANDOVER_LAG_MS);
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Records the earlier stream no more. Calling it twice is harmless. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.clear();
    this.#onStop(this.from.stop());
  }
}
