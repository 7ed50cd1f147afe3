import type { ArchivedFrame, ArchiveReader } from "../../archive/index.js";
import { type Clock, errorText, type Log, NvrdError, type StreamType } from "../../base/index.js";
import { isAudioCodec } from "../../live/index.js";
import type { PlaybackPictures, Rotation, SoundForm, TranscodedPicture } from "../../picture/index.js";
import { FIRST_BOUNDARY, type Part } from "../parts/multipart.js";
import type { PartSink } from "../parts/part-sink.js";
import { FIRST_ARCHIVE_FRAME_TIMEOUT_MS } from "../video/archive-video.js";
import { FrameGate } from "../video/frame-gate.js";
import { PlaybackFormats } from "../video/playback-formats.js";
import { PlaybackPace, Waker } from "../video/playback-pace.js";
import { RECORDED_HINT } from "../viewing/known-recordings.js";
import { partOfPicture, partOfSound } from "./mobile-parts.js";

/** A playback later than this drops frames up to the next key frame to catch up. */
const DROP_LATE_MS = 500;
/** A playback later than this continues from its present position without catching up. */
const LATE_MS_MAX = 10_000;
/** A read that took longer than this waited at the live edge; its frames are due at once. */
const LIVE_EDGE_WAIT_MS = 300;
/** Playback begins with the last frame at or before the start. It waits this long to find out whether another one follows. */
const START_WAIT_MS = 500;

export interface MobilePlaybackOptions {
  readonly reader: ArchiveReader;
  readonly pictures: PlaybackPictures;
  /** The first picture shown is that of the last frame at or before this time, otherwise the first one. Unix microseconds. */
  readonly startUs: number;
  /** 0.1 to 20. */
  readonly speed: number;
  readonly sound: SoundForm | undefined;
  /** How the pictures of a stream are to be turned. */
  readonly rotationOf: (streamType: StreamType) => Rotation;
  /** Opens the answer when the first picture is there; undefined when the client has left. */
  readonly open: () => PartSink | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** A single frame is searched among the pictures of this time span, because with B-frames they are not in order. */
const ONE_FRAME_WINDOW_US = 500_000;

/** One viewer's transcoded playback: reads as fast as the client takes it and `speed` allows; late pictures are dropped. */
export class MobilePlayback {
  readonly #options: MobilePlaybackOptions;
  readonly #gate: FrameGate;
  readonly #pace: PlaybackPace;
  readonly #waker: Waker;
  readonly #formats = new PlaybackFormats();
  /** Before the start: the newest frame at or before it. */
  #held: ArchivedFrame | undefined;
  #started = false;
  #followsGap = true;
  #firstUs = Number.NEGATIVE_INFINITY;
  #one: ((picture: TranscodedPicture | undefined) => void) | undefined;
  #best: TranscodedPicture | undefined;
  #response: PartSink | undefined;
  #faulty = false;
  #stopped = false;
  #begun: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  constructor(options: MobilePlaybackOptions) {
    this.#options = options;
    this.#gate = new FrameGate(options.sound !== undefined);
    this.#pace = new PlaybackPace({ startUs: options.startUs, speed: options.speed, lateMsMax: LATE_MS_MAX });
    this.#waker = new Waker(options.clock);
  }

  /**
   * Plays; resolves when the answer has begun or the playback was stopped first. Rejects with NvrdError NOT_FOUND if there is
   * no picture, and with errors of the reader or the codec before the first one.
   */
  start(): Promise<void> {
    const begun = new Promise<void>((resolve, reject) => {
      this.#begun = { resolve, reject };
    });
    const timer = this.#options.clock.setTimeout(
      () => this.#end(nothingRecorded()),
      FIRST_ARCHIVE_FRAME_TIMEOUT_MS,
    );
    this.#play().then(
      () => this.#end(nothingRecorded()),
      (error: unknown) => this.#end(error),
    );
    return begun.finally(() => timer.clear());
  }

  /** Only the first picture; undefined if the playback was stopped first. Rejects like `start`. */
  async startOne(): Promise<TranscodedPicture | undefined> {
    const picture = new Promise<TranscodedPicture | undefined>((resolve) => {
      this.#one = resolve;
    });
    await this.start();
    this.stop();
    return picture;
  }

  /** Closes the reader and ends the answer. Calling it twice is harmless. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#options.reader.close();
    this.#options.pictures.close();
    this.#response?.end();
    this.#waker.stop();
    this.#one?.(undefined);
    this.#begun?.resolve();
  }

  #end(error: unknown): void {
    if (this.#stopped) return;
    if (this.#response === undefined) this.#begun?.reject(error);
    else
      this.#options.log.warn({ reason: errorText(error) }, "transcoded playback ended by an archive error");
    this.stop();
  }

  async #play(): Promise<void> {
    while (!this.#stopped) {
      const frames = await this.#nextFrames();
      if (frames.length === 0) return;
      for (const frame of frames) {
        if (this.#stopped) return;
        await this.#meet(frame);
      }
    }
  }

  async #nextFrames(): Promise<readonly ArchivedFrame[]> {
    const { reader, clock } = this.#options;
    const sinceUs = clock.monotonicUs();
    const reading = reader.next();
    if (this.#held !== undefined) {
      let isOver = false;
      const timer = clock.setTimeout(() => {
        isOver = true;
        this.#waker.wake();
      }, START_WAIT_MS);
      const read = reading.then(() => this.#waker.wake());
      await Promise.race([this.#waker.pause(), read]);
      timer.clear();
      // Nothing followed it, so playback begins with it. A failing read reports its own error.
      if (isOver) await this.#begin();
    }
    const frames = await reading;
    if (clock.monotonicUs() - sinceUs > LIVE_EDGE_WAIT_MS * 1000) this.#pace.startAnew();
    return frames;
  }

  async #meet(frame: ArchivedFrame): Promise<void> {
    if (frame.startsFragment) this.#followsGap = true;
    if (isAudioCodec(frame.codec)) {
      if (this.#started && this.#gate.admit(frame)) await this.#sound(frame);
      return;
    }
    if (!this.#started && !(await this.#seek(frame))) return;
    if (!this.#gate.admit(frame)) return;
    const waitMs = this.#pace.waitMs(frame, this.#options.clock.monotonicUs());
    if (waitMs < -DROP_LATE_MS && !frame.key) {
      this.#gate.shut();
      return;
    }
    if (this.#options.pictures.skips(frame)) return;
    await this.#show(frame);
  }

  /** Whether `frame` is played; until the start is reached the newest frame is held back. */
  async #seek(frame: ArchivedFrame): Promise<boolean> {
    const { startUs } = this.#options;
    const isAfter = frame.decodeTimeUs > startUs || frame.startsFragment;
    if (this.#held !== undefined && isAfter) await this.#begin();
    if (this.#started) return true;
    if (frame.decodeTimeUs >= startUs) {
      this.#started = true;
      return true;
    }
    if (!this.#gate.admit(frame)) return false;
    if (this.#held !== undefined) await this.#passBy(this.#held);
    this.#held = { ...frame, bytes: Uint8Array.from(frame.bytes) };
    return false;
  }

  /** A frame before the start is only decoded, and its picture is kept if a single picture is requested. */
  async #passBy(frame: ArchivedFrame): Promise<void> {
    const { pictures, startUs } = this.#options;
    const unit = this.#unit(frame);
    const isNear = frame.decodeTimeUs + frame.presentationOffsetUs >= startUs - ONE_FRAME_WINDOW_US;
    if (this.#one === undefined || !isNear) await this.#decode(() => pictures.pass(unit));
    else this.#remember(await this.#decode(() => pictures.look(unit, false)));
  }

  /** Keeps the last picture at or before the start, otherwise the first one after it. */
  #remember(found: readonly TranscodedPicture[] = []): void {
    const { startUs } = this.#options;
    for (const picture of found) {
      const best = this.#best;
      const isBetter = picture.timeUs <= startUs ? picture.timeUs > (best?.timeUs ?? 0) : best === undefined;
      if (isBetter || (best !== undefined && best.timeUs > startUs && picture.timeUs < best.timeUs))
        this.#best = picture;
    }
  }

  /** The frame that was held is the first to be shown. */
  async #begin(): Promise<void> {
    const frame = this.#held;
    this.#held = undefined;
    this.#started = true;
    if (frame === undefined || this.#stopped) return;
    this.#pace.waitMs(frame, this.#options.clock.monotonicUs());
    await this.#show(frame);
  }

  /** Decodes a frame and sends its pictures when they are due. */
  async #show(frame: ArchivedFrame): Promise<void> {
    const { pictures, clock } = this.#options;
    const unit = this.#unit(frame);
    if (this.#firstUs === Number.NEGATIVE_INFINITY) this.#firstUs = unit.decodeTimeUs;
    if (this.#one !== undefined) {
      this.#remember(await this.#decode(() => pictures.look(unit, true)));
      if (this.#best !== undefined) await this.#send(partOfPicture(this.#best), this.#best);
      return;
    }
    const shown = await this.#decode(() => pictures.push(unit));
    for (const picture of shown ?? []) {
      // With B-frames, pictures before the start may come out after it.
      if (picture.timeUs < this.#firstUs || this.#stopped) continue;
      const waitMs = this.#pace.waitMs({ ...frame, startsFragment: false }, clock.monotonicUs());
      if (waitMs >= 1) await this.#waker.sleep(waitMs);
      await this.#send(partOfPicture(picture), picture);
    }
  }

  async #sound(frame: ArchivedFrame): Promise<void> {
    const { sound, pictures, clock } = this.#options;
    const format = this.#formats.audio(frame);
    if (sound === undefined || format === undefined) return;
    const at = { format, decodeTimeUs: frame.decodeTimeUs, form: sound };
    const pieces = await this.#decode(() => pictures.pushSound(Uint8Array.from(frame.bytes), at));
    for (const piece of pieces ?? []) {
      const waitMs = this.#pace.waitMs({ ...frame, startsFragment: false }, clock.monotonicUs());
      if (waitMs >= 1) await this.#waker.sleep(waitMs);
      if (this.#response !== undefined) await this.#send(partOfSound(piece, sound));
    }
  }

  async #send(part: Part, picture?: TranscodedPicture): Promise<void> {
    if (this.#stopped) return;
    if (this.#one !== undefined) {
      this.#one(picture);
      this.#begun?.resolve();
      this.stop();
      return;
    }
    const response = this.#response ?? (await this.#open());
    if (response === undefined || this.#stopped) return;
    if (!response.send(part)) await this.#waker.drained(response);
  }

  async #open(): Promise<PartSink | undefined> {
    const response = this.#options.open();
    if (response === undefined) {
      this.stop();
      return undefined;
    }
    this.#response = response;
    response.onDrain = () => this.#waker.wake();
    response.onClose(() => this.stop());
    this.#begun?.resolve();
    if (!response.send([FIRST_BOUNDARY])) await this.#waker.drained(response);
    return response;
  }

  #unit(frame: ArchivedFrame) {
    const { key, decodeTimeUs, presentationOffsetUs } = frame;
    const followsGap = this.#followsGap;
    this.#followsGap = false;
    const bytes = [Uint8Array.from(frame.bytes)];
    const format = this.#formats.video(frame);
    const rotation = this.#options.rotationOf(frame.streamType);
    return { bytes, key, decodeTimeUs, presentationOffsetUs, followsGap, format, rotation };
  }

  /**
   * After a decoding error, frames are dropped up to the next key frame, and the error is logged once; before the first picture
   * it fails the request.
   */
  async #decode<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#faulty = false;
      return result;
    } catch (error) {
      if (this.#stopped) return undefined;
      if (error instanceof NvrdError && this.#response === undefined) throw error;
      if (!this.#faulty)
        this.#options.log.warn({ reason: errorText(error) }, "a recording cannot be decoded");
      this.#faulty = true;
      this.#options.pictures.restart();
      this.#gate.shut();
      return undefined;
    }
  }
}

function nothingRecorded(): NvrdError {
  return new NvrdError("NOT_FOUND", "no picture is recorded at or after starttime", { hint: RECORDED_HINT });
}
