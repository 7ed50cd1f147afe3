import type { Clock, ClockTimer } from "../../base/index.js";
import type { PartSink } from "../parts/part-sink.js";

/** The data of a frame used for pacing. */
export interface PacedFrame {
  readonly decodeTimeUs: number;
  /** The first one after a gap. */
  readonly startsFragment: boolean;
}

export interface PlaybackPaceOptions {
  /** Earlier frames are due at once. Unix microseconds. */
  readonly startUs: number;
  /** 0.1 to 20. */
  readonly speed: number;
  /** A playback later than this continues from its present position. */
  readonly lateMsMax: number;
}

/** When each frame of a playback is due, on the monotonic clock: by the frames' times, without gaps. */
export class PlaybackPace {
  readonly #options: PlaybackPaceOptions;
  #anchor: { readonly mediaUs: number; readonly monotonicUs: number } | undefined;

  constructor(options: PlaybackPaceOptions) {
    this.#options = options;
  }

  /** Milliseconds to wait before `frame`; 0 or less: it is due. */
  waitMs(frame: PacedFrame, nowUs: number): number {
    const { startUs, speed, lateMsMax } = this.#options;
    if (this.#anchor === undefined) {
      this.#anchor = { mediaUs: Math.max(startUs, frame.decodeTimeUs), monotonicUs: nowUs };
    } else if (frame.startsFragment) {
      this.#anchor = { mediaUs: frame.decodeTimeUs, monotonicUs: nowUs };
    }
    const dueUs = this.#anchor.monotonicUs + (frame.decodeTimeUs - this.#anchor.mediaUs) / speed;
    const waitMs = (dueUs - nowUs) / 1000;
    const beforeStart = frame.decodeTimeUs < this.#anchor.mediaUs;
    if (waitMs < -lateMsMax && !beforeStart) {
      this.#anchor = { mediaUs: frame.decodeTimeUs, monotonicUs: nowUs };
      return 0;
    }
    return waitMs;
  }

  /** Makes the next frame due at once, after waiting at the live edge. */
  startAnew(): void {
    this.#anchor = undefined;
  }
}

/** The waits of one playback, one at a time; all of them end when it stops. */
export class Waker {
  readonly #clock: Clock;
  #wake: (() => void) | undefined;
  #timer: ClockTimer | undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the present wait. */
  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Ends the present wait; those that follow end at once. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.clear();
    this.wake();
  }

  sleep(ms: number): Promise<void> {
    return this.#wait(() => {
      this.#timer = this.#clock.setTimeout(() => this.wake(), ms);
    });
  }

  /** Until `wake`. */
  pause(): Promise<void> {
    return this.#wait(() => undefined);
  }

  /** Waits until the client keeps up again (`wake`). */
  drained(response: PartSink): Promise<void> {
    return response.busy && !response.closed ? this.#wait(() => undefined) : Promise.resolve();
  }

  #wait(arm: () => void): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      arm();
    });
  }
}
