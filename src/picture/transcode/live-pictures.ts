import { type Clock, errorText, type Log } from "../../base/index.js";
import type { Frame, FrameSink, LiveStream, Subscription, VideoFormat } from "../../live/index.js";
import type { Codec, DecodeSkip, Picture, PictureTarget, VideoDecoder } from "../codec/codec-types.js";
import { isSameVideoFormat } from "../codec/same-format.js";

/** Most bytes of frames that wait for the decoder, those of the GOP it began with aside: the stream holds these too. */
export const DECODER_QUEUE_BYTES_MAX = 8 * 1024 * 1024;
/** A decoder further behind the stream than this goes on at the next key frame. */
export const DECODER_BEHIND_MS_MAX = 1500;
/** With more frames waiting than this, those that nothing refers to are skipped, wanted or not. */
const LAGGING_FRAMES = 3;
/** With no viewer ready for so long, decoding pauses; it continues from the stream's current GOP. */
export const DECODER_IDLE_MS_MAX = 2000;
/** Key frames alone do where they come at least about as often as pictures are wanted. */
const KEY_PERIOD_SHARE = 0.9;
/** A key frame later than so many of its intervals: the camera's GOP has grown. */
const KEY_OVERDUE_INTERVALS = 1.5;

/** Who wants pictures of a stream. Called on the main thread; must not throw. */
export interface PictureTaker {
  /** Pictures are wanted no closer together, microseconds. */
  readonly periodUs: number;
  /** Whether anybody could take a picture now. */
  readonly ready: boolean;
  /** It had no picture since it was added: the oldest one that can be had is welcome. */
  readonly isNew: boolean;
  /** In which form a picture of the frame shown at `timeUs` is wanted; undefined: none is. */
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
  /** Hears once of frames that cannot be decoded; absent: its takers say so themselves. */
  readonly log?: Log;
  /** Whether its pictures are wanted as the camera sends them (default), or as they are read for the archive. */
  readonly atOnce?: boolean;
}

interface Waiting {
  readonly frame: Frame;
  /** It came with the GOP at the start. */
  readonly fromGop: boolean;
  readonly sinceUs: number;
}

/**
 * The one decoder of a live stream, shared by all who want pictures of it. Follows the stream and drops what nobody
 * needs before it is decoded: all but key frames where these are enough, else what nothing refers to; everything
 * while no viewer takes pictures. What it cannot keep up with is left out up to the next key frame.
 */
export class LivePictures implements FrameSink {
  readonly #options: LivePicturesOptions;
  readonly #takers = new Set<PictureTaker>();
  #queue: Waiting[] = [];
  /** Of frames that came after the GOP. */
  #queueBytes = 0;
  #fromGopLeft = 0;
  #subscription: Subscription | undefined;
  #subscribing = false;
  #decoder: { readonly decoder: VideoDecoder; readonly format: VideoFormat } | undefined;
  #decoding = false;
  #needsKey = true;
  #paused = false;
  #faulty = false;
  /** Rises when the decoder begins again: what an earlier one still answers is not the present one's fault. */
  #generation = 0;
  #readyUs = 0;
  #lastKeyUs: number | undefined;
  #keyIntervalUs = Number.POSITIVE_INFINITY;

  constructor(options: LivePicturesOptions) {
    this.#options = options;
  }

  /** Nobody takes its pictures. */
  get isEmpty(): boolean {
    return this.#takers.size === 0;
  }

  /** From now on `taker` is asked about each frame, first about those of the current GOP. */
  add(taker: PictureTaker): void {
    const followed = this.#subscription !== undefined && !this.#paused && !this.#keysOnly;
    this.#takers.add(taker);
    this.#readyUs = this.#options.clock.monotonicUs();
    if (!followed) this.#restart();
  }

  /** With the last one the stream is left and the decoder closed. */
  remove(taker: PictureTaker): void {
    this.#takers.delete(taker);
    if (this.isEmpty) this.#leave();
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

  onFrame(frame: Frame): void {
    if (frame.isAudio || this.#isPaused()) return;
    if (frame.undecodable) this.#needsKey = true;
    else if (frame.key) this.#meetKey(frame);
    if (this.#needsKey) return;
    if (!frame.key && this.#keysOnly) {
      this.#checkOverdueKey(frame);
      return;
    }
    const fromGop = this.#subscribing;
    if (!fromGop && this.#isTooFarBehind(frame)) {
      this.#dropQueue();
      this.#needsKey = !frame.key;
      if (this.#needsKey) return;
    }
    frame.retain();
    this.#queue.push({ frame, fromGop, sinceUs: this.#options.clock.monotonicUs() });
    if (fromGop) this.#fromGopLeft += 1;
    else this.#queueBytes += frame.byteLength;
    if (!this.#subscribing) this.#decodeAll();
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

  #meetKey(frame: Frame): void {
    const intervalUs = frame.decodeTimeUs - (this.#lastKeyUs ?? frame.decodeTimeUs);
    if (intervalUs > 0 && !frame.discontinuity) this.#keyIntervalUs = intervalUs;
    this.#lastKeyUs = frame.decodeTimeUs;
    this.#needsKey = false;
  }

  #checkOverdueKey(frame: Frame): void {
    const sinceUs = frame.decodeTimeUs - (this.#lastKeyUs ?? frame.decodeTimeUs);
    if (this.#subscribing || sinceUs <= this.#keyIntervalUs * KEY_OVERDUE_INTERVALS) return;
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

  /** Begins again with the stream's current GOP. */
  #restart(): void {
    this.#leave();
    this.#paused = false;
    this.#subscribing = true;
    this.#subscription = this.#options.stream.subscribe(this, {
      fromGop: true,
      atOnce: this.#options.atOnce ?? true,
    });
    this.#subscribing = false;
    this.#decodeAll();
  }

  #leave(): void {
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#generation += 1;
    this.#dropQueue();
    this.#closeDecoder();
    this.#needsKey = true;
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
    this.#decoder = undefined;
  }

  /** Works the queue off, one frame after another; what comes meanwhile is met by the same run. */
  async #decodeAll(): Promise<void> {
    if (this.#decoding) return;
    this.#decoding = true;
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
    if (keysOnly && wanted.targets.length === 0) return;
    const decoder = this.#decoderFor(format);
    const bytes = frame.ranges.map((range) => range.bytes);
    const { key, decodeTimeUs, presentationOffsetUs } = frame;
    const unit = { bytes, key, decodeTimeUs, presentationOffsetUs };
    let pictures = await decoder.decode(unit, wanted.targets, this.#skip(wanted));
    if (keysOnly && pictures.length === 0) {
      // Frames that it would be shown after never come: the decoder gives it out, and the next key frame gets a new one.
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

  /** What follows refers to what was not decoded: it begins again at the next key frame. */
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

/** Who wants a picture of one frame, and in which forms: equal ones are made once. */
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
    one.bytesMax === other.bytesMax
  );
}
