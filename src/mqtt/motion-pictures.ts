import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  US_PER_MS,
  withAnyOf,
} from "../base/index.js";

/** A larger picture is not published. */
export const PICTURE_LENGTH_MAX = 512 * 1024;
/** Pictures of one channel are at least so far apart. */
export const PICTURE_INTERVAL_MS = 5_000;
/** Pictures that are made at the same time. */
const AT_ONCE_MAX = 2;
const MAKE_TIMEOUT_MS = 15_000;

export interface MotionPicturesOptions {
  /** The channel's present picture as a JPEG. Rejects where there is none. */
  readonly picture: (channelId: Guid, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly log: Log;
  onPicture(channelId: Guid, jpeg: Uint8Array): void;
}

/** Pictures of the last motion, few at a time: motion on all channels at once must not keep the decoder from others. */
export class MotionPictures {
  readonly #options: MotionPicturesOptions;
  /** Channels that wait for their picture, in order. */
  readonly #waiting = new Set<Guid>();
  readonly #madeUs = new Map<Guid, number>();
  readonly #stopping = new AbortController();
  #running = 0;

  constructor(options: MotionPicturesOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#stopping.abort();
    this.#waiting.clear();
  }

  /** Motion has begun. */
  take(channelId: Guid): void {
    const nowUs = this.#options.clock.monotonicUs();
    const madeUs = this.#madeUs.get(channelId);
    if (this.#stopping.signal.aborted) return;
    if (madeUs !== undefined && nowUs - madeUs < PICTURE_INTERVAL_MS * US_PER_MS) return;
    this.#madeUs.set(channelId, nowUs);
    this.#waiting.add(channelId);
    this.#goOn();
  }

  #goOn(): void {
    for (const channelId of this.#waiting) {
      if (this.#running >= AT_ONCE_MAX) return;
      this.#waiting.delete(channelId);
      this.#running += 1;
      void this.#make(channelId).finally(() => {
        this.#running -= 1;
        this.#goOn();
      });
    }
  }

  async #make(channelId: Guid): Promise<void> {
    const { picture, clock, log, onPicture } = this.#options;
    const late = new AbortController();
    const timer: ClockTimer = clock.setTimeout(() => late.abort(), MAKE_TIMEOUT_MS);
    try {
      const jpeg = await withAnyOf([late.signal, this.#stopping.signal], (signal) =>
        picture(channelId, signal),
      );
      if (jpeg.length <= PICTURE_LENGTH_MAX && !this.#stopping.signal.aborted) onPicture(channelId, jpeg);
    } catch (error) {
      log.debug({ channel: channelId, error: errorText(error) }, "no picture of the motion for MQTT");
    } finally {
      timer.clear();
    }
  }
}
