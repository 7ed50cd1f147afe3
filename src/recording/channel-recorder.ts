import type { ArchiveAccess, StreamWriter } from "../archive/index.js";
import { type Clock, type ClockTimer, errorText, type Log } from "../base/index.js";
import type { Frame, FrameSink, LiveStream, StreamState, Subscription } from "../live/index.js";
import { type FrameRateLimit, FrameRateLimiter } from "./frame-rate-limit.js";

/** How long a recorder that failed waits before it records again: a lasting fault must not fill the log. */
export const RECORD_AGAIN_MS = 5000;

export interface ChannelRecorderOptions {
  readonly stream: LiveStream;
  readonly archive: ArchiveAccess;
  readonly withSound: boolean;
  /** Undefined: every frame is recorded. */
  readonly limit: FrameRateLimit | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Records one stream from the moment it is made until `stop`: every frame the camera sends from then on goes to the
 * archive. It does not begin with the current GOP: a recording that ended in it has those frames already.
 */
export class ChannelRecorder implements FrameSink {
  readonly stream: LiveStream;
  /** Whether sound is recorded too; may change while recording. */
  withSound: boolean;
  readonly #limiter = new FrameRateLimiter();
  readonly #writer: StreamWriter;
  readonly #log: Log;
  readonly #clock: Clock;
  #frames: Subscription;
  #again: ClockTimer | undefined;
  #stopped = false;
  readonly #states: Subscription;

  constructor(options: ChannelRecorderOptions) {
    this.stream = options.stream;
    this.withSound = options.withSound;
    this.#limiter.set(options.limit);
    this.#log = options.log;
    this.#clock = options.clock;
    this.#writer = options.archive.writer(options.stream.key);
    this.#states = this.stream.onState((state) => this.#onState(state));
    this.#frames = this.#subscribe();
  }

  onFrame(frame: Frame): void {
    if (frame.isAudio ? this.withSound : this.#limiter.takes(frame)) this.#writer.append(frame);
    // What is left out takes the gap before it along.
    else if (frame.discontinuity && !frame.isAudio) this.#end();
  }

  /** Takes another limit of the frame rate, or none; the recording goes on. */
  setLimit(limit: FrameRateLimit | undefined): void {
    this.#limiter.set(limit);
  }

  /** A fault in taking a frame ends the segment, and the recording goes on after a while. */
  onDropped(): void {
    if (this.#stopped) return;
    this.#end();
    this.#again = this.#clock.setTimeout(() => {
      this.#frames = this.#subscribe();
    }, RECORD_AGAIN_MS);
  }

  /** Ends the recording; resolves when what was recorded is durable. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again?.clear();
    this.#frames.close();
    this.#states.close();
    await this.#end();
  }

  #subscribe(): Subscription {
    return this.stream.subscribe(this, { fromGop: false, atOnce: false });
  }

  /** A camera that is gone leaves a closed segment, not one that waits for it. */
  #onState(state: StreamState): void {
    if (state.state === "lost" || state.state === "idle") this.#end();
  }

  async #end(): Promise<void> {
    try {
      await this.#writer.end();
    } catch (error) {
      this.#log.error(
        { stream: this.stream.toString(), reason: errorText(error) },
        "segment not closed; it is recovered at the next start",
      );
    }
  }
}
