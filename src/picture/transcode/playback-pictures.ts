import type { AudioFormat, VideoFormat } from "../../live/index.js";
import type {
  Codec,
  CodedUnit,
  DecodeSkip,
  Picture,
  PictureTarget,
  Rotation,
  SoundForm,
  SoundPiece,
  SoundTranscoder,
  VideoDecoder,
} from "../codec/codec-types.js";
import { PictureOutput } from "../codec/picture-output.js";
import { PictureRate } from "../codec/picture-rate.js";
import { soundTranscoderOptions } from "../codec/sound-form.js";
import type { TranscodedPicture, TranscodeSpec } from "../codec/transcode-types.js";

/** Only key frames are decoded if they come about as often as pictures are wanted. */
const KEY_PERIOD_SHARE = 0.9;

export interface PlaybackPicturesOptions {
  readonly codec: Codec;
  readonly spec: TranscodeSpec;
  /** Rate of stream time: 2 at double speed. */
  readonly mediaSpeed: number;
  readonly onClose: () => void;
}

/** A frame of a recording and its format; a new object is a new format. */
export interface PlaybackUnit extends CodedUnit {
  readonly format: VideoFormat;
  /** It does not continue the previous frame: after a gap, or skipped frames. */
  readonly followsGap: boolean;
  /** Of its stream; default: the spec's. */
  readonly rotation?: Rotation;
}

/** The transcode of one playback: its caller passes frame by frame, one call at a time, at the pace of its viewer. */
export class PlaybackPictures {
  readonly #options: PlaybackPicturesOptions;
  readonly #rate: PictureRate;
  readonly #output: PictureOutput;
  #decoder: { readonly decoder: VideoDecoder; readonly format: VideoFormat } | undefined;
  #sound: { readonly transcoder: SoundTranscoder; readonly format: AudioFormat } | undefined;
  #lastKeyUs: number | undefined;
  #keyIntervalUs = Number.POSITIVE_INFINITY;
  #forceKey = true;
  #closed = false;

  constructor(options: PlaybackPicturesOptions) {
    this.#options = options;
    this.#rate = new PictureRate((1_000_000 * options.mediaSpeed) / options.spec.framesPerSecond);
    this.#output = new PictureOutput(options);
  }

  /** Calling it twice is harmless. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.restart();
    this.#sound?.transcoder.close();
    this.#sound = undefined;
    this.#output.close();
    this.#options.onClose();
  }

  /** Whether a frame is skipped, and need not be read, because only key frames are shown at this speed. */
  skips(unit: Pick<PlaybackUnit, "key">): boolean {
    return !unit.key && this.#keysOnly;
  }

  /** Decodes a frame before the start, which is not shown. */
  async pass(unit: PlaybackUnit): Promise<void> {
    await this.#decode(unit, []);
  }

  /** Decodes a frame; returns the due pictures: usually one, or none. Rejects as the codec does. */
  async push(unit: PlaybackUnit): Promise<readonly TranscodedPicture[]> {
    this.#noteKeyFrame(unit);
    const timeUs = unit.decodeTimeUs + unit.presentationOffsetUs;
    if (!this.#rate.isDue(timeUs)) {
      if (!this.#keysOnly) await this.#decode(unit, []);
      return [];
    }
    const target = this.#output.target(unit.format, unit.rotation);
    let pictures = await this.#decode(unit, [target]);
    if (pictures.length === 0 && this.#keysOnly) pictures = await this.#flush(target);
    const newest = pictures.at(-1);
    return newest === undefined ? [] : this.#encode(newest);
  }

  /**
   * Decodes a frame near the only one that is wanted; returns every picture that came out. `last`: no frame follows, so
   * the decoder is flushed.
   */
  async look(unit: PlaybackUnit, last: boolean): Promise<readonly TranscodedPicture[]> {
    const target = this.#output.target(unit.format, unit.rotation);
    const pictures = [...(await this.#decode(unit, [target]))];
    if (last) pictures.push(...(await this.#flush(target)));
    const encoded: TranscodedPicture[] = [];
    for (const picture of pictures) encoded.push(...(await this.#encode(picture)));
    return encoded;
  }

  /** Converts the recording's sound to the wanted form. Rejects as the codec does. */
  async pushSound(
    bytes: Uint8Array,
    at: { format: AudioFormat; decodeTimeUs: number; form: SoundForm },
  ): Promise<readonly SoundPiece[]> {
    if (this.#sound === undefined) await this.#options.codec.prepare?.();
    if (this.#closed) return [];
    if (this.#sound?.format !== at.format) {
      this.#sound?.transcoder.close();
      const options = soundTranscoderOptions(at.format, at.form);
      this.#sound = { transcoder: this.#options.codec.openSoundTranscoder(options), format: at.format };
    }
    return this.#sound.transcoder.push([bytes], at.decodeTimeUs);
  }

  /** The next picture of an H.264 level is a key frame. */
  askForKey(): void {
    this.#forceKey = true;
  }

  /** After a failure: the next frame, a key frame, gets a new decoder. */
  restart(): void {
    this.#decoder?.decoder.close();
    this.#decoder = undefined;
  }

  get #keysOnly(): boolean {
    return this.#rate.periodUs >= this.#keyIntervalUs * KEY_PERIOD_SHARE;
  }

  #noteKeyFrame({ key, followsGap, decodeTimeUs }: PlaybackUnit): void {
    if (!key) return;
    const intervalUs = decodeTimeUs - (this.#lastKeyUs ?? decodeTimeUs);
    if (intervalUs > 0 && !followsGap) this.#keyIntervalUs = intervalUs;
    this.#lastKeyUs = decodeTimeUs;
  }

  async #decode(unit: PlaybackUnit, targets: readonly PictureTarget[]): Promise<readonly Picture[]> {
    if (this.#decoder === undefined) await this.#options.codec.prepare?.();
    if (this.#closed) return [];
    if (unit.followsGap || this.#decoder?.format !== unit.format) this.restart();
    this.#decoder ??= { decoder: this.#options.codec.openVideoDecoder(unit.format), format: unit.format };
    const skip: DecodeSkip = targets.length === 0 ? "non-reference" : "none";
    const pictures = await this.#decoder.decoder.decode(unit, targets, skip);
    return pictures.flatMap(([picture]) => picture ?? []);
  }

  async #flush(target: PictureTarget): Promise<readonly Picture[]> {
    const pictures = (await this.#decoder?.decoder.flush([target])) ?? [];
    this.restart();
    return pictures.flatMap(([picture]) => picture ?? []);
  }

  async #encode(picture: Picture): Promise<readonly TranscodedPicture[]> {
    if (this.#closed) return [];
    this.#rate.taken(picture.timeUs);
    const encoded = await this.#output.encode(picture, { forceKey: this.#forceKey, catchingUp: false });
    if (encoded.length > 0) this.#forceKey = false;
    return encoded;
  }
}
