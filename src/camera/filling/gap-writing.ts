import { type Clock, type Interval, NvrdError, pauseUnlessAborted, US_PER_SECOND } from "../../base/index.js";
import { Frame } from "../../live/index.js";
import type { CardPlayback } from "../card/card-control.js";
import { digestOf, type GapEdges } from "./gap-edges.js";

/** A group of pictures is written as one, so that a playback that is cut ends between two; a longer one is written in pieces. */
const HELD_BYTES_MAX = 8 * 1024 * 1024;
/** Frames that wait for the next picture: some pictures, and seconds of sound. */
const DOUBTFUL_MAX = 256;
/** How often a busy volume is looked at again. */
const BUSY_LOOK_MS = 100;
/** Pictures before the gap that are passed over: minutes of them. */
const BEFORE_MAX = 20_000;
/** A recording whose times go back further than this is not followed. */
const BACK_US_MAX = 2 * US_PER_SECOND;
/** More pictures than this, and than so many a second of the gap's time, are none of a camera. */
const PICTURES_SPARE = 1000;
const PICTURES_A_SECOND_MAX = 240;
/** A camera that sends its recording slower than a tenth of its time, for this long, is not waited for. */
const SLOW_US = 60 * US_PER_SECOND;
const SLOW_SHARE = 0.1;
/** What the last picture lasts, where pictures are put closer together. */
const FRAME_US = 40_000;
/** A step of time within the gap: the camera does not have what lies between. */
const STEP_US_MAX = 2 * US_PER_SECOND;

/** Where the frames go. */
export interface GapSink {
  readonly isBusy: boolean;
  readonly framesLost: number;
  append(frame: Frame): void;
}

export interface GapWritingOptions {
  readonly gap: Interval;
  readonly playback: CardPlayback;
  readonly edges: GapEdges;
  readonly sink: GapSink;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How far it has come: the time up to which the gap is written. */
  readonly onProgress: (timeUs: number) => void;
}

/** What came of a playback. */
export interface GapWritten {
  readonly pictures: number;
  /** Times of the first and the last picture; equal without any. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Where steps of time leave something out within it. */
  readonly missingUs: number;
}

/** Writes one playback into a gap: whole groups of pictures, never faster than the disk takes them beside what is recorded. */
export class GapWriting {
  readonly #options: GapWritingOptions;
  #held: Frame[] = [];
  /** Frames that may belong behind the gap; the next picture says it. */
  #doubtful: Frame[] = [];
  #heldBytes = 0;
  #before = 0;
  #isInside = false;
  #isOver = false;
  #pictures = 0;
  #fromUs: number;
  #toUs: number;
  #missingUs = 0;
  #audioUs = Number.NEGATIVE_INFINITY;
  #wantsMark = true;
  #lastCameraUs = Number.NEGATIVE_INFINITY;
  #pace = { sinceUs: 0, fromUs: 0 };

  constructor(options: GapWritingOptions) {
    this.#options = options;
    this.#fromUs = options.gap.fromUs;
    this.#toUs = options.gap.fromUs;
  }

  /** Rejects with RtspFailure, with NvrdError where the camera's times or the disk do not allow to go on. */
  async run(): Promise<GapWritten> {
    const { playback, clock, signal } = this.#options;
    this.#pace = { sinceUs: clock.monotonicUs(), fromUs: this.#toUs };
    try {
      while (!this.#isOver && !signal.aborted) {
        const frames = await playback.next();
        if (frames.length === 0) break;
        this.#takeAll(frames);
        await this.#writeWhole();
      }
      // What a camera sent to the end of its stretch is whole; what was cut by us is fetched again. What is still in doubt is known
      // from behind the gap: it is left out rather than recorded twice.
      if (!signal.aborted) await this.#writeLast();
    } finally {
      for (const frame of [...this.#held.splice(0), ...this.#doubtful.splice(0)]) frame.release();
    }
    return this.written;
  }

  get written(): GapWritten {
    const toUs = Math.min(this.#toUs, this.#options.gap.toUs);
    return { pictures: this.#pictures, fromUs: this.#fromUs, toUs, missingUs: this.#missingUs };
  }

  #takeAll(frames: readonly Frame[]): void {
    for (const [at, frame] of frames.entries()) {
      try {
        if (!this.#isOver) this.#take(frame);
      } catch (error) {
        for (const left of frames.slice(at + 1)) left.release();
        throw error;
      } finally {
        frame.release();
      }
    }
  }

  #take(frame: Frame): void {
    if (frame.isAudio) {
      this.#takeSound(frame);
      return;
    }
    const { edges } = this.#options;
    const { decodeTimeUs: cameraUs } = frame;
    if (cameraUs < this.#lastCameraUs - BACK_US_MAX)
      throw failed("the times of the camera's recording go back", "set its clock by a time server");
    this.#lastCameraUs = Math.max(this.#lastCameraUs, cameraUs);
    const key = frame.key && !frame.undecodable;
    const place = edges.place({ cameraUs, key, digest: digestOf(bytesOf(frame)) });
    if (place === "over") this.#isOver = true;
    else if (place === "doubtful") this.#keepDoubtful(frame);
    else if (place === "inside") {
      this.#takeDoubtful();
      this.#takePicture(frame);
    } else if (++this.#before > BEFORE_MAX)
      throw failed(
        "the camera plays another time than it was asked for",
        "set its clock by a time server; look for newer firmware",
      );
  }

  /** Behind a picture in doubt it waits with that, in its order. */
  #takeSound(frame: Frame): void {
    if (this.#doubtful.length > 0 && this.#doubtful.length < DOUBTFUL_MAX) this.#keepDoubtful(frame);
    else {
      this.#takeDoubtful();
      this.#takeAudio(frame);
    }
  }

  #takeAudio(frame: Frame): void {
    const { edges, gap } = this.#options;
    const timeUs = edges.recordedUs(frame.decodeTimeUs);
    if (!this.#isInside || timeUs >= gap.toUs || timeUs < this.#audioUs) return;
    this.#audioUs = timeUs;
    this.#hold(frame, timeUs, false);
  }

  #keepDoubtful(frame: Frame): void {
    frame.retain();
    this.#doubtful.push(frame);
  }

  /** They belong to the gap after all. */
  #takeDoubtful(): void {
    const frames = this.#isOver ? [] : this.#doubtful.splice(0);
    for (const frame of frames) {
      if (frame.isAudio) this.#takeAudio(frame);
      else this.#takePicture(frame);
      frame.release();
    }
  }

  #takePicture(frame: Frame): void {
    const timeUs = this.#options.edges.nextPictureUs(frame.decodeTimeUs);
    const stepUs = timeUs - this.#toUs;
    if (this.#isInside && stepUs > STEP_US_MAX) this.#missingUs += stepUs;
    if (!this.#isInside) this.#fromUs = timeUs;
    this.#isInside = true;
    this.#toUs = timeUs;
    this.#pictures += 1;
    const passedS = (timeUs - this.#fromUs) / US_PER_SECOND;
    if (this.#pictures > PICTURES_SPARE + passedS * PICTURES_A_SECOND_MAX)
      throw failed(
        "the camera sends more pictures than their times have room for",
        "set its clock by a time server; look for newer firmware",
      );
    this.#hold(frame, timeUs, this.#wantsMark || frame.discontinuity);
    this.#wantsMark = false;
  }

  #hold(frame: Frame, timeUs: number, discontinuity: boolean): void {
    this.#held.push(retimed(frame, timeUs, discontinuity));
    this.#heldBytes += frame.byteLength;
  }

  /** Writes what lies before the newest key frame: those groups of pictures are whole. */
  async #writeWhole(): Promise<void> {
    this.#requirePace();
    const isLong = this.#heldBytes > HELD_BYTES_MAX;
    // The times of what reaches beyond the gap are known when its end is.
    if (this.#toUs >= this.#options.gap.toUs) this.#isOver ||= isLong;
    else if (isLong) await this.#write(this.#held.splice(0));
    else {
      const last = this.#held.findLastIndex((frame) => frame.key && !frame.isAudio);
      await this.#write(this.#held.splice(0, Math.max(0, last)));
    }
  }

  /** Writes what is held. What would reach beyond the gap is put closer together; what begins behind it is left out. */
  async #writeLast(): Promise<void> {
    const { gap } = this.#options;
    const fromUs = this.#held[0]?.decodeTimeUs ?? gap.toUs;
    if (fromUs >= gap.toUs) return;
    if (this.#toUs >= gap.toUs) {
      const share = (gap.toUs - fromUs) / (this.#toUs + FRAME_US - fromUs);
      this.#held = this.#held.map((frame) => {
        const closer = retimed(frame, fromUs + Math.floor((frame.decodeTimeUs - fromUs) * share));
        frame.release();
        return closer;
      });
    }
    await this.#write(this.#held.splice(0));
  }

  async #write(frames: Frame[]): Promise<void> {
    const { sink, clock, signal, onProgress } = this.#options;
    while (frames.length > 0 && sink.isBusy && !signal.aborted) {
      await pauseUnlessAborted(clock, BUSY_LOOK_MS, signal);
      this.#pace = { sinceUs: clock.monotonicUs(), fromUs: this.#toUs };
    }
    for (const frame of frames) {
      this.#heldBytes -= frame.byteLength;
      sink.append(frame);
      frame.release();
    }
    if (sink.framesLost > 0)
      throw failed(
        "the disk does not take it beside what is recorded",
        "lower deviceArchiveMbits, or set deviceArchiveHours",
      );
    if (frames.length > 0) onProgress(this.#toUs);
  }

  #requirePace(): void {
    const nowUs = this.#options.clock.monotonicUs();
    const passedUs = nowUs - this.#pace.sinceUs;
    if (passedUs < SLOW_US) return;
    if (this.#toUs - this.#pace.fromUs < passedUs * SLOW_SHARE)
      throw failed(
        "the camera sends its recording far too slowly",
        "raise deviceArchiveMbits; look at the camera's network and card",
      );
    this.#pace = { sinceUs: nowUs, fromUs: this.#toUs };
  }
}

function failed(message: string, hint: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", message, { hint });
}

/** The frame at another time, with a lease of its own. */
function retimed(frame: Frame, decodeTimeUs: number, discontinuity = frame.discontinuity): Frame {
  const { format, presentationOffsetUs, key, damaged, undecodable, ranges } = frame;
  const times = { decodeTimeUs, presentationOffsetUs };
  return new Frame({ format, ...times, key, damaged, undecodable, discontinuity, ranges });
}

function* bytesOf(frame: Frame): Generator<Uint8Array> {
  for (const { bytes } of frame.ranges) yield bytes;
}
