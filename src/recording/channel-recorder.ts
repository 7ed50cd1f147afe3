import type { ArchiveAccess, StreamWriter } from "../archive/index.js";
import { type ByteBudget, type Clock, type ClockTimer, errorText, type Log } from "../base/index.js";
import type { Frame, FrameSink, LiveStream, StreamState, Subscription } from "../live/index.js";
import { type FrameRateLimit, FrameRateLimiter } from "./frame-rate-limit.js";
import { PreRoll } from "./pre-roll.js";

/** How long a recorder that failed waits before it records again: a lasting fault must not fill the log. */
const RECORD_AGAIN_MS = 5000;
/**
 * How long an ended recording may be continued, so that one that reaches back into its last GOP neither repeats nor omits a
 * frame. Shorter than the archive keeps a segment open without frames (IDLE_MAX_US).
 */
const CONTINUE_MS_MAX = 45_000;

/** How a channel is recorded; may change at any time. */
export interface ChannelRecording {
  readonly withSound: boolean;
  /** Undefined: every frame is recorded. */
  readonly limit: FrameRateLimit | undefined;
  /** How far back a recording may begin, microseconds; 0: with the GOP in which it begins. */
  readonly reachBackUs: number;
}

export interface ChannelRecorderOptions {
  readonly stream: LiveStream;
  readonly archive: ArchiveAccess;
  readonly recording: ChannelRecording;
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Follows one stream from the moment it is made until `stop`, which keeps the camera connected. Its frames go to the
 * archive while it records, and while it waits into the pre-roll, from which the next recording begins: the same
 * subscription feeds both, so that none is lost or doubled between them.
 */
export class ChannelRecorder implements FrameSink {
  readonly stream: LiveStream;
  /** Called once, with the decode time of the first picture that goes to the archive. Must not throw. */
  onFirstPicture: ((decodeTimeUs: number) => void) | undefined;
  readonly #limiter = new FrameRateLimiter();
  readonly #preRoll: PreRoll;
  readonly #writer: StreamWriter;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #states: Subscription;
  #frames: Subscription;
  #withSound: boolean;
  #isOn = false;
  /** Video frames from this decode time on are not recorded. */
  #untilUs = Number.POSITIVE_INFINITY;
  /** Decode time of the newest key frame recorded; undefined when the recording is closed. */
  #keyUs: number | undefined;
  /** Decode time of the first video frame after the recording. */
  #leftOutUs: number | undefined;
  #continueTimer: ClockTimer | undefined;
  #again: ClockTimer | undefined;
  #overflowReported = false;
  #stopped = false;

  constructor(options: ChannelRecorderOptions) {
    this.stream = options.stream;
    this.#withSound = options.recording.withSound;
    this.#preRoll = new PreRoll(options.budget);
    this.#log = options.log;
    this.#clock = options.clock;
    this.#writer = options.archive.writer(options.stream.key);
    this.configure(options.recording);
    this.#states = this.stream.onState((state) => this.#onState(state));
    this.#frames = this.#subscribe();
  }

  /** True while the stream's frames go to the disk. */
  get isRecording(): boolean {
    return this.#isOn && this.stream.state.state === "active" && this.#writer.isWriting;
  }

  /** True while it is to record, whether or not frames come. */
  get isOn(): boolean {
    return this.#isOn;
  }

  onFrame(frame: Frame): void {
    if (!(frame.isAudio ? this.#withSound : this.#limiter.takes(frame))) {
      // A frame that is left out passes its discontinuity on to the next one.
      if (frame.discontinuity && !frame.isAudio) this.#interrupt();
      return;
    }
    if (this.#isOn && !frame.isAudio && frame.decodeTimeUs >= this.#untilUs) this.pause();
    if (this.#isOn) this.#write(frame);
    else this.#keep(frame);
  }

  /** Takes other settings; a recording continues with them. */
  configure({ withSound, limit, reachBackUs }: ChannelRecording): void {
    this.#withSound = withSound;
    this.#limiter.set(limit);
    this.#preRoll.keepUs = reachBackUs;
  }

  /**
   * Records from the last key frame kept at or before `fromUs` on, up to the first picture at or after `untilUs`; an active
   * recording continues up to `untilUs`.
   */
  record(fromUs: number, untilUs = Number.POSITIVE_INFINITY): void {
    const isOver = !this.#isOn && (this.#leftOutUs ?? Number.NEGATIVE_INFINITY) >= untilUs;
    if (isOver) return;
    this.#untilUs = untilUs;
    if (this.#isOn) return;
    this.#isOn = true;
    if (this.#preRoll.continuesRecording && this.#preRoll.startUs(fromUs) !== this.#leftOutUs)
      this.#end(this.#leftOutUs);
    this.#clearContinueTimer();
    this.#leftOutUs = undefined;
    this.#preRoll.drain(fromUs, (frame) => this.#write(frame));
  }

  /** An active recording ends with the first picture at or after `untilUs`. */
  endAt(untilUs: number): void {
    if (this.#isOn) this.#untilUs = untilUs;
  }

  /** Ends the recording here. Its segment stays open while a next recording may still reach back into it. */
  pause(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#leftOutUs = undefined;
    if (this.#keyUs === undefined) {
      this.#end();
      return;
    }
    this.#preRoll.continueFrom(this.#keyUs);
    this.#continueTimer = this.#clock.setTimeout(() => {
      this.#preRoll.forgetRest();
      this.#end(this.#leftOutUs);
    }, CONTINUE_MS_MAX);
  }

  /** A fault in taking a frame ends the segment, and the recording continues after a while. */
  onDropped(): void {
    if (this.#stopped) return;
    this.#interrupt();
    this.#again = this.#clock.setTimeout(() => {
      this.#frames = this.#subscribe();
    }, RECORD_AGAIN_MS);
  }

  /** Ends the recording; resolves when what was recorded is durable. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#isOn = false;
    this.#again?.clear();
    this.#frames.close();
    this.#states.close();
    this.#preRoll.clear();
    await this.#end(this.#leftOutUs);
  }

  /** Not from the current GOP: a recording that ended in it has those frames already. */
  #subscribe(): Subscription {
    return this.stream.subscribe(this, { fromGop: false, atOnce: false, isPatient: true });
  }

  #write(frame: Frame): void {
    if (frame.key && !frame.isAudio) {
      this.#keyUs = frame.decodeTimeUs;
      this.#notifyFirst(frame.decodeTimeUs);
    }
    this.#writer.append(frame);
  }

  #notifyFirst(decodeTimeUs: number): void {
    const notify = this.onFirstPicture;
    this.onFirstPicture = undefined;
    notify?.(decodeTimeUs);
  }

  #keep(frame: Frame): void {
    if (!frame.isAudio) {
      if (frame.discontinuity) this.#interrupt();
      this.#leftOutUs ??= frame.decodeTimeUs;
    }
    if (!this.#preRoll.push(frame)) this.#reportOverflow();
    if (this.#keyUs !== undefined && !this.#preRoll.continuesRecording) this.#end(this.#leftOutUs);
  }

  /** A lost camera leaves a closed segment, not one that waits for it, unless it keeps coming and going. */
  #onState(state: StreamState): void {
    if (state.state === "lost" && this.#isOn) {
      this.#preRoll.clear();
      this.#close(() => this.#writer.interrupt());
    } else if (state.state === "lost" || state.state === "idle") this.#interrupt();
  }

  /** The next frames do not continue the previous ones. */
  #interrupt(): void {
    this.#preRoll.clear();
    this.#end(this.#leftOutUs);
  }

  #clearContinueTimer(): void {
    this.#continueTimer?.clear();
    this.#continueTimer = undefined;
  }

  #reportOverflow(): void {
    if (this.#overflowReported) return;
    this.#overflowReported = true;
    this.#log.warn(
      { stream: this.stream.toString() },
      "the pre-roll exceeds its memory limit: recordings on motion begin later than configured",
    );
  }

  /** Closes the segment; `beforeUs`: where the stream continues without being recorded. */
  #end(beforeUs?: number): Promise<void> {
    return this.#close(() => this.#writer.end(beforeUs));
  }

  async #close(closing: () => Promise<void>): Promise<void> {
    this.#clearContinueTimer();
    this.#keyUs = undefined;
    this.#leftOutUs = undefined;
    try {
      await closing();
    } catch (error) {
      this.#log.error(
        { stream: this.stream.toString(), reason: errorText(error) },
        "segment not closed; it is recovered at the next start",
      );
    }
  }
}
