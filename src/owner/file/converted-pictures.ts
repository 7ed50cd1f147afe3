import { US_PER_SECOND } from "../../base/index.js";
import { Codec as CodecNumber, type VideoFormat } from "../../live/index.js";
import {
  type Codec,
  CodecError,
  type EncodedUnit,
  fitInside,
  isSameVideoFormat,
  type Picture,
  type PictureSize,
  type PictureTarget,
  type VideoDecoder,
  type VideoEncoder,
} from "../../picture/index.js";
import { lengthPrefixed, sampleEntry, ticksOf } from "../../player/index.js";
import type { WrittenTrack } from "./movie-writer.js";
import type { Patience } from "./patience.js";
import type { PictureTrack, SeenFrame } from "./picture-track.js";

/** Pictures are at most so large: what phones and televisions decode (ITU-T H.264, level 4.1). */
const BOX: PictureSize = { width: 1920, height: 1080 };
const BITS_PER_PIXEL = 0.1;
/** H.264 needs more bits than H.265 for the same picture, and not more than this times as many. */
const BITS_OF_SOURCE_MAX = 3;
const BITS_MIN = 200_000;
const BITS_MAX = 8_000_000;
/** Seconds from one key frame to the next: players seek to them. */
const GOP_SECONDS = 2;

export interface ConvertedPicturesOptions {
  readonly track: WrittenTrack;
  readonly codec: Pick<Codec, "openVideoDecoder" | "openVideoEncoder">;
  readonly patiently: Patience;
  readonly framesPerSecond: number;
  /** Of what is recorded. */
  readonly sourceBitsPerSecond: number;
  /** Called when it is known how many bits a second the pictures take. */
  readonly onBitRate: (bitsPerSecond: number) => void;
}

interface OpenEncoder {
  readonly encoder: VideoEncoder;
  readonly size: PictureSize;
  /** Of its sample entry; 0 until its first picture. */
  description: number;
}

/** Pictures that are decoded and encoded as H.264: from any codec, and of one size where their stream has one. */
export class ConvertedPictures implements PictureTrack {
  readonly #options: ConvertedPicturesOptions;
  readonly #entries: Buffer[] = [];
  #decoder: { readonly decoder: VideoDecoder; readonly format: VideoFormat } | undefined;
  #encoder: OpenEncoder | undefined;
  #source: PictureSize | undefined;
  #forceKey = true;

  constructor(options: ConvertedPicturesOptions) {
    this.#options = options;
  }

  async push(seen: SeenFrame): Promise<void> {
    const { format, frame, originUs } = seen;
    const decoder = await this.#decoderFor(format, originUs);
    const unit = { ...frame, bytes: [frame.bytes] };
    await this.#take(() => decoder.decode(unit, [this.#target(format)]), originUs);
  }

  /** Pictures that the decoder holds back belong before the gap. */
  async gap(originUs: number): Promise<void> {
    const decoder = this.#decoder?.decoder;
    if (decoder !== undefined) await this.#take(() => decoder.flush([this.#target()]), originUs);
    this.#closeDecoder();
    this.#forceKey = true;
  }

  end(endUs: number): void {
    this.#options.track.endAt(ticksOf(endUs, this.#options.track.timescale));
  }

  close(): void {
    this.#closeDecoder();
    this.#encoder?.encoder.close();
    this.#encoder = undefined;
  }

  /** What cannot be decoded is left out, up to the next key frame. */
  async #take(work: () => Promise<readonly (readonly Picture[])[]>, originUs: number): Promise<void> {
    let made: readonly (readonly Picture[])[];
    try {
      made = await this.#options.patiently(work);
    } catch (error) {
      if (error instanceof CodecError && (error.kind === "corrupt" || error.kind === "too-large")) return;
      throw error;
    }
    for (const [picture] of made) if (picture !== undefined) await this.#encode(picture, originUs);
  }

  async #encode(picture: Picture, originUs: number): Promise<void> {
    this.#source = { width: picture.sourceWidth, height: picture.sourceHeight };
    const { width, height } = evenSize(this.#source);
    // The first one of a stream whose size was not known; the next one is right.
    if (picture.width !== width || picture.height !== height) return;
    const open = this.#encoderFor({ width, height });
    const units = await this.#options.patiently(() => open.encoder.encode(picture, this.#forceKey));
    this.#forceKey = false;
    for (const unit of units) await this.#add(unit, open, originUs);
  }

  async #add(unit: EncodedUnit, open: OpenEncoder, originUs: number): Promise<void> {
    const { track } = this.#options;
    if (open.description === 0) {
      const about = { codec: CodecNumber.H264, ...open.size, initialization: new Uint8Array(0) };
      open.description = this.#entries.push(sampleEntry(about, unit.data));
      const { width, height } = this.#entries.length === 1 ? open.size : track.description;
      track.description = { entries: this.#entries, ...(width && height ? { width, height } : {}) };
    }
    await track.add({
      bytes: lengthPrefixed(Buffer.from(unit.data)),
      ticks: ticksOf(unit.timeUs - originUs, track.timescale),
      ...{ compositionTicks: 0, sync: unit.key, description: open.description },
    });
  }

  #target(format?: VideoFormat): PictureTarget {
    if (format !== undefined && format.width > 0 && format.height > 0) this.#source = format;
    if (this.#source === undefined) return { form: "yuv420", ...BOX, fit: "inside" };
    return { form: "yuv420", ...evenSize(this.#source), fit: "exact" };
  }

  async #decoderFor(format: VideoFormat, originUs: number): Promise<VideoDecoder> {
    if (this.#decoder !== undefined && isSameVideoFormat(this.#decoder.format, format))
      return this.#decoder.decoder;
    if (this.#decoder !== undefined) await this.gap(originUs);
    const decoder = this.#options.codec.openVideoDecoder(format, "when-idle");
    this.#decoder = { decoder, format };
    return decoder;
  }

  #encoderFor(size: PictureSize): OpenEncoder {
    if (this.#encoder?.size.width === size.width && this.#encoder.size.height === size.height)
      return this.#encoder;
    this.#encoder?.encoder.close();
    const { codec, framesPerSecond, sourceBitsPerSecond, onBitRate } = this.#options;
    const wanted = size.width * size.height * framesPerSecond * BITS_PER_PIXEL;
    const bits = Math.min(wanted, sourceBitsPerSecond * BITS_OF_SOURCE_MAX, BITS_MAX);
    const bitsPerSecond = Math.round(Math.max(BITS_MIN, bits));
    const encoder = codec.openVideoEncoder({
      ...{ ...size, framesPerSecond, bitsPerSecond },
      gopLength: Math.max(1, Math.round(framesPerSecond * GOP_SECONDS)),
      turn: "when-idle",
    });
    if (encoder === undefined) throw new CodecError("unsupported", "there is no H.264 encoder");
    onBitRate(bitsPerSecond);
    this.#encoder = { encoder, size, description: 0 };
    this.#forceKey = true;
    return this.#encoder;
  }

  #closeDecoder(): void {
    this.#decoder?.decoder.close();
    this.#decoder = undefined;
  }
}

/** Inside the largest size, upright or lying as the source, with even sides (ITU-T H.264, 6.2). */
function evenSize(source: PictureSize): PictureSize {
  const isUpright = source.height > source.width;
  const { width, height } = fitInside(source, isUpright ? { width: BOX.height, height: BOX.width } : BOX);
  return { width: Math.max(2, width & ~1), height: Math.max(2, height & ~1) };
}

/** Pictures a second of frames that follow one another, 1 to 60. */
export function pictureRate(timesUs: readonly number[]): number {
  const lengthUs = (timesUs.at(-1) ?? 0) - (timesUs[0] ?? 0);
  if (lengthUs <= 0) return 1;
  return Math.min(60, Math.max(1, Math.round(((timesUs.length - 1) * US_PER_SECOND) / lengthUs)));
}
