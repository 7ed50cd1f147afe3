import type { ArchivedFrame, ArchiveReader } from "../../archive/index.js";
import { type Clock, errorText, type Log, NvrdError } from "../../base/index.js";
import { isAudioCodec } from "../../live/index.js";
import { isPlainG711 } from "../../picture/index.js";
import { FIRST_BOUNDARY, type Part } from "../parts/multipart.js";
import type { PartSink } from "../parts/part-sink.js";
import { RECORDED_HINT } from "../viewing/known-recordings.js";
import { FrameGate } from "./frame-gate.js";
import { formatPart } from "./frame-parts.js";
import { PlaybackPace, Waker } from "./playback-pace.js";
import { type SoundCodec, SoundPartMaker } from "./sound-part.js";

/** A playback later than this goes on at its speed from where it is instead of catching up in a burst. */
const LATE_MS_MAX = 1000;
/** How long a request waits for its first frame before it is answered 404. */
export const FIRST_ARCHIVE_FRAME_TIMEOUT_MS = 10_000;

export interface ArchiveVideoOptions {
  readonly reader: ArchiveReader;
  /** Earlier frames are sent at once; playback is paced from this time on. Unix microseconds. */
  readonly startUs: number;
  /** 0.1 to 20. */
  readonly speed: number;
  readonly sound: boolean;
  readonly codec: SoundCodec;
  /** Opens the answer when there is a first frame; undefined if the client has disconnected. */
  readonly open: (first: ArchivedFrame | undefined) => PartSink | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One playback: reads as fast as the client takes it, drops nothing, and is paced by the frames' times. Gaps are skipped
 * without waiting; at the live edge it continues with new frames.
 */
export class ArchiveVideo {
  readonly #options: ArchiveVideoOptions;
  readonly #gate: FrameGate;
  readonly #pace: PlaybackPace;
  readonly #waker: Waker;
  #response: PartSink | undefined;
  readonly #sound: SoundPartMaker;
  #stopped = false;

  constructor(options: ArchiveVideoOptions) {
    this.#options = options;
    this.#gate = new FrameGate(options.sound);
    this.#pace = new PlaybackPace({ startUs: options.startUs, speed: options.speed, lateMsMax: LATE_MS_MAX });
    this.#waker = new Waker(options.clock);
    this.#sound = new SoundPartMaker(options.codec, options.log);
  }

  /**
   * Reads the first frames and begins the answer; playback then runs by itself. Resolves when the answer has begun or the
   * playback was stopped first. Rejects with NvrdError NOT_FOUND if nothing is recorded there, and with errors of the reader.
   */
  async start(): Promise<void> {
    const first = await this.#firstFrames();
    if (this.#stopped) return;
    this.#play(first).catch((error: unknown) => {
      this.#options.log.warn({ reason: errorText(error) }, "playback ended by an archive error");
      this.stop();
    });
  }

  /** Closes the reader and ends the answer. May be called repeatedly. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#options.reader.close();
    this.#sound.close();
    this.#response?.end();
    this.#waker.stop();
  }

  async #firstFrames(): Promise<readonly ArchivedFrame[]> {
    const { reader, clock } = this.#options;
    let timedOut = false;
    const timer = clock.setTimeout(() => {
      timedOut = true;
      this.stop();
    }, FIRST_ARCHIVE_FRAME_TIMEOUT_MS);
    try {
      const frames = await reader.next();
      if (!timedOut) return frames;
    } catch (error) {
      this.stop();
      throw error;
    } finally {
      timer.clear();
    }
    throw new NvrdError("NOT_FOUND", "nothing is recorded at or after starttime", {
      hint: RECORDED_HINT,
    });
  }

  async #play(first: readonly ArchivedFrame[]): Promise<void> {
    const response = this.#options.open(first[0]);
    if (response === undefined) {
      this.stop();
      return;
    }
    this.#response = response;
    response.onDrain = () => this.#waker.wake();
    response.onClose(() => this.stop());
    if (!response.send([FIRST_BOUNDARY])) await this.#waker.drained(response);
    let frames = first;
    while (!this.#stopped && frames.length > 0) {
      for (const frame of frames) {
        if (this.#stopped) return;
        await this.#sendFrame(response, frame);
      }
      frames = this.#stopped ? [] : await this.#options.reader.next();
    }
    this.stop();
  }

  async #sendFrame(response: PartSink, frame: ArchivedFrame): Promise<void> {
    if (!this.#gate.admit(frame)) return;
    const part = await this.#partOf(frame);
    if (part.length === 0) return;
    const waitMs = this.#pace.waitMs(frame, this.#options.clock.monotonicUs());
    if (waitMs >= 1) await this.#waker.sleep(waitMs);
    if (this.#stopped) return;
    if (!response.send(part)) await this.#waker.drained(response);
  }

  /** A frame's part; for sound that must be converted, the output so far, possibly empty. */
  #partOf(frame: ArchivedFrame): Part | Promise<Part> {
    const { codec, format, bytes, decodeTimeUs } = frame;
    if (!isAudioCodec(codec)) return formatPart(frame, [bytes]) ?? [];
    const known = format !== undefined && "sampleRate" in format ? format : undefined;
    if (known !== undefined && !isPlainG711(known))
      return this.#sound.convert({ format: known, bytes: [bytes], decodeTimeUs });
    return formatPart(frame, [bytes]) ?? [];
  }
}
