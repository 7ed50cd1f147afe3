import { type Clock, errorText, type Log } from "../../base/index.js";
import type { Frame, FrameSink, LiveStream, Subscription, VideoFormat } from "../../live/index.js";
import type {
  Codec,
  DecodeSkip,
  Picture,
  PicturePart,
  PictureTarget,
  VideoDecoder,
} from "../codec/codec-types.js";
import { isSameVideoFormat } from "../codec/same-format.js";

/** Most bytes of frames queued for the decoder, not counting the GOP it began with, which the stream holds too. */
export const DECODER_QUEUE_BYTES_MAX = 8 * 1024 * 1024;
/** A decoder that is further behind the stream continues at the next key frame. */
export const DECODER_BEHIND_MS_MAX = 1500;
/** With more frames queued than this, non-reference frames are skipped, wanted or not. */
const LAGGING_FRAMES = 3;
/** After this long without a ready viewer, decoding pauses; it continues from the stream's current GOP. */
export const DECODER_IDLE_MS_MAX = 2000;
/** Only key frames are decoded if they come about as often as pictures are wanted. */
const KEY_PERIOD_SHARE = 0.9;
/** If a key frame is later than this many intervals, the camera's GOP has grown. */
const KEY_OVERDUE_INTERVALS = 1.5;

/** A consumer of a stream's pictures. Called on the main thread; must not throw. */
export interface PictureTaker {
  /** Least time between pictures, microseconds. */
  readonly periodUs: number;
  /** Whether a picture could be used now. */
  readonly ready: boolean;
  /** It has had no picture since it was added, so even an old one is useful. */
  readonly isNew: boolean;
  /** The target for the frame shown at `timeUs`; undefined if it is not wanted. */
  target(format: VideoFormat, timeUs: number): PictureTarget | undefined;
  /** `catchingUp`: newer frames of the stream wait to be decoded. */
  take(picture: Picture, catchingUp: boolean): void;
  /** Frames could not be decoded; it continues at the next key frame. */
  fail(error: unknown): void;
}

export interface LivePicturesOptions {
  readonly stream: LiveStream;
  readonly codec: Codec;
  readonly clock: Clock;
  /** Where undecodable frames are reported once. If absent, its takers report them. */
  readonly log?: Log;
  /** Whether frames are read at once (default), or on the archive's read tick. */
  readonly atOnce?: boolean;
}

interface Waiting {
  readonly frame: Frame;
  /** It belongs to the GOP delivered at the start. */
  readonly fromGop: boolean;
  readonly sinceUs: number;
}

/**
 * The one decoder of a live stream, shared by all consumers of its pictures. It drops frames that nobody needs before
 * they are decoded: all but key frames if these are enough, else non-reference frames; everything while no viewer is
 * ready. If it cannot keep up, it skips to the next key frame.
 */
export class LivePictures implements FrameSink {
  readonly #options: LivePicturesOptions;
  readonly #takers = new Set<PictureTaker>();
  #queue: Waiting[] = [];
  /** Of frames that came after the GOP. */
  #queueBytes = 0;
  #fromGopLeft = 0;
  #subscription: Subscription | undefined;
  #decoder: { readonly decoder: VideoDecoder; readonly format: VideoFormat } | undefined;
  /** Of decoders that are closed. */
  #earlierBusyUs = 0;
  #decoding = false;
  #needsKey = true;
  /** Frames of the present group of pictures were left out: what follows in it cannot be decoded. */
  #isThinned = false;
  #paused = false;
  #faulty = false;
  /** Incremented when the decoder restarts: errors of an earlier one are ignored. */
  #generation = 0;
  #readyUs = 0;
  #lastKeyUs: number | undefined;
  #keyIntervalUs = Number.POSITIVE_INFINITY;

  constructor(options: LivePicturesOptions) {
    this.#options = options;
  }

  /** Processor time of the codec's threads that its pictures took so far, microseconds. */
  get busyUs(): number {
    return this.#earlierBusyUs + (this.#decoder?.decoder.busyUs ?? 0);
  }

  /** Whether it has no takers. */
  get isEmpty(): boolean {
    return this.#takers.size === 0;
  }

  /** From now on `taker` is asked for each frame, beginning with the current GOP. */
  add(taker: PictureTaker): void {
    const followed = this.#subscription !== undefined && !this.#paused && !this.#keysOnly;
    this.#takers.add(taker);
    this.#readyUs = this.#options.clock.monotonicUs();
    if (!followed) this.#restart();
  }

  /** After the last one, leaves the stream and closes the decoder. */
  remove(taker: PictureTaker): void {
    this.#takers.delete(taker);
    if (this.isEmpty) this.#leave();
  }

  /** A taker wants pictures more often and cannot wait: what was left out of the present GOP is decoded. */
  catchUp(): void {
    if (this.#isThinned && !this.#keysOnly) this.#restart();
  }

  /** A viewer can take pictures again. */
  wake(): void {
    if (!this.#paused) return;
    this.#readyUs = this.#options.clock.monotonicUs();
    this.#restart();
  }

  onDropped(): void {
    this.#leave();
  }

  onFrame(frame: Frame, isKept: boolean): void {
    if (frame.isAudio || this.#isPaused()) return;
    if (frame.undecodable) this.#needsKey = true;
    else if (frame.key) this.#onKeyFrame(frame);
    if (this.#needsKey) return;
    if (!frame.key && (this.#isThinned || this.#keysOnly)) {
      this.#isThinned = true;
      if (!isKept) this.#checkOverdueKey(frame);
      return;
    }
    if (!isKept && this.#isTooFarBehind(frame)) {
      this.#dropQueue();
      this.#needsKey = !frame.key;
      if (this.#needsKey) return;
    }
    frame.retain();
    this.#queue.push({ frame, fromGop: isKept, sinceUs: this.#options.clock.monotonicUs() });
    if (isKept) this.#fromGopLeft += 1;
    else this.#queueBytes += frame.byteLength;
    // How many pictures there are to catch up with is known when all of the GOP are there: they come in one go.
    if (isKept) queueMicrotask(() => this.#decodeAll());
    else this.#decodeAll();
  }

  get #keysOnly(): boolean {
    for (const taker of this.#takers) {
      if (taker.periodUs < this.#keyIntervalUs * KEY_PERIOD_SHARE) return false;
    }
    return true;
  }

  #isPaused(): boolean {
    if (this.#paused) return true;
    const nowUs = this.#options.clock.monotonicUs();
    for (const taker of this.#takers) if (taker.ready) this.#readyUs = nowUs;
    if (nowUs - this.#readyUs <= DECODER_IDLE_MS_MAX * 1000) return false;
    this.#paused = true;
    this.#dropQueue();
    return true;
  }

  #onKeyFrame(frame: Frame): void {
    const intervalUs = frame.decodeTimeUs - (this.#lastKeyUs ?? frame.decodeTimeUs);
    if (intervalUs > 0 && !frame.discontinuity) this.#keyIntervalUs = intervalUs;
    this.#lastKeyUs = frame.decodeTimeUs;
    this.#needsKey = false;
    this.#isThinned = false;
  }

  #checkOverdueKey(frame: Frame): void {
    const sinceUs = frame.decodeTimeUs - (this.#lastKeyUs ?? frame.decodeTimeUs);
    if (sinceUs <= this.#keyIntervalUs * KEY_OVERDUE_INTERVALS) return;
    this.#keyIntervalUs = Number.POSITIVE_INFINITY;
    queueMicrotask(() => {
      if (this.#subscription !== undefined) this.#restart();
    });
  }

  #isTooFarBehind(frame: Frame): boolean {
    if (this.#queueBytes + frame.byteLength > DECODER_QUEUE_BYTES_MAX) return true;
    if (frame.isMemoryShort && this.#queue.length > 0) return true;
    const oldest = this.#queue.find((waiting) => !waiting.fromGop);
    if (oldest === undefined) return false;
    return this.#options.clock.monotonicUs() - oldest.sinceUs > DECODER_BEHIND_MS_MAX * 1000;
  }

  /** Restarts with the stream's current GOP. */
  #restart(): void {
    this.#leave();
    this.#paused = false;
    this.#subscription = this.#options.stream.subscribe(this, {
      fromGop: true,
      atOnce: this.#options.atOnce ?? true,
    });
  }

  #leave(): void {
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#generation += 1;
    this.#dropQueue();
    this.#closeDecoder();
    this.#needsKey = true;
    this.#isThinned = false;
    this.#lastKeyUs = undefined;
  }

  #dropQueue(): void {
    for (const { frame } of this.#queue) frame.release();
    this.#queue = [];
    this.#queueBytes = 0;
    this.#fromGopLeft = 0;
  }

  #closeDecoder(): void {
    this.#decoder?.decoder.close();
    this.#earlierBusyUs += this.#decoder?.decoder.busyUs ?? 0;
    this.#decoder = undefined;
  }

  /** Processes the queue in order, including frames that arrive meanwhile. */
  async #decodeAll(): Promise<void> {
    if (this.#decoding) return;
    this.#decoding = true;
    const preparing = this.#options.codec.prepare?.();
    if (preparing !== undefined) await preparing;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.fromGop) this.#fromGopLeft -= 1;
      else this.#queueBytes -= next.frame.byteLength;
      const generation = this.#generation;
      try {
        await this.#decode(next.frame);
      } catch (error) {
        if (generation === this.#generation) this.#fail(error);
      } finally {
        next.frame.release();
      }
    }
    this.#decoding = false;
  }

  async #decode(frame: Frame): Promise<void> {
    const format = frame.format as VideoFormat;
    const timeUs = frame.decodeTimeUs + frame.presentationOffsetUs;
    const catchingUp = this.#fromGopLeft > 0;
    const wanted = new Wanted();
    for (const taker of this.#takers) {
      if (!catchingUp || taker.isNew) wanted.add(taker, taker.target(format, timeUs));
    }
    const keysOnly = this.#keysOnly;
    if (keysOnly && frame.decodeTimeUs >= (this.#lastKeyUs ?? 0)) this.#isThinned = true;
    if (keysOnly && wanted.targets.length === 0) return;
    const decoder = this.#decoderFor(format);
    const bytes = frame.ranges.map((range) => range.bytes);
    const { key, decodeTimeUs, presentationOffsetUs } = frame;
    const unit = { bytes, key, decodeTimeUs, presentationOffsetUs };
    let pictures = await decoder.decode(unit, wanted.targets, this.#skip(wanted));
    if (keysOnly && pictures.length === 0) {
      // No other frames follow that would release the picture: flush the decoder, and use a new one for the next key
      // frame.
      pictures = await decoder.flush(wanted.targets);
      if (this.#decoder?.decoder === decoder) this.#closeDecoder();
    }
    this.#faulty = false;
    const newest = pictures.at(-1);
    if (newest !== undefined) wanted.deliver(newest, catchingUp);
  }

  #skip(wanted: Wanted): DecodeSkip {
    const lagging = this.#queue.length - this.#fromGopLeft > LAGGING_FRAMES;
    return wanted.targets.length === 0 || lagging ? "non-reference" : "none";
  }

  /** A change of codec, resolution or parameter sets makes a new format, and gets a new decoder. */
  #decoderFor(format: VideoFormat): VideoDecoder {
    const current = this.#decoder;
    if (current !== undefined && isSameVideoFormat(current.format, format)) return current.decoder;
    this.#closeDecoder();
    const decoder = this.#options.codec.openVideoDecoder(format);
    this.#decoder = { decoder, format };
    return decoder;
  }

  /** Later frames refer to one that was not decoded: restart at the next key frame. */
  #fail(error: unknown): void {
    this.#dropQueue();
    this.#closeDecoder();
    this.#needsKey = true;
    if (!this.#faulty) {
      const { log, stream } = this.#options;
      log?.warn(
        { stream: stream.toString(), reason: errorText(error) },
        "a frame cannot be decoded for transcoding",
      );
    }
    this.#faulty = true;
    for (const taker of this.#takers) taker.fail(error);
  }
}

/** The takers of one frame's picture and their targets; equal targets are made once. */
class Wanted {
  readonly targets: PictureTarget[] = [];
  readonly #takers: { readonly taker: PictureTaker; readonly index: number }[] = [];

  add(taker: PictureTaker, target: PictureTarget | undefined): void {
    if (target === undefined) return;
    const known = this.targets.findIndex((other) => isSameTarget(other, target));
    const index = known < 0 ? this.targets.push(target) - 1 : known;
    this.#takers.push({ taker, index });
  }

  deliver(pictures: readonly Picture[], catchingUp: boolean): void {
    for (const { taker, index } of this.#takers) {
      const picture = pictures[index];
      if (picture !== undefined) taker.take(picture, catchingUp);
    }
  }
}

function isSameTarget(one: PictureTarget, other: PictureTarget): boolean {
  return (
    one.form === other.form &&
    one.width === other.width &&
    one.height === other.height &&
    one.fit === other.fit &&
    one.rotation === other.rotation &&
    one.quality === other.quality &&
    one.bytesMax === other.bytesMax &&
    one.watch === other.watch &&
    isSamePart(one.part, other.part)
  );
}

function isSamePart(one: PicturePart | undefined, other: PicturePart | undefined): boolean {
  return (
    one?.left === other?.left &&
    one?.top === other?.top &&
    one?.width === other?.width &&
    one?.height === other?.height
  );
}
