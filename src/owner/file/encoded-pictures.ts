import { Codec as CodecNumber } from "../../live/index.js";
import {
  type Codec,
  CodecError,
  type EncodedUnit,
  type Picture,
  type PictureSize,
  type VideoEncoder,
} from "../../picture/index.js";
import { lengthPrefixed, sampleEntry, ticksOf } from "../../player/index.js";
import type { WrittenTrack } from "./movie-writer.js";
import type { Patience } from "./patience.js";

/** Pictures are at most so large: what phones and televisions decode (ITU-T H.264, level 4.1). */
export const PICTURE_BOX: PictureSize = { width: 1920, height: 1080 };
const BITS_PER_PIXEL = 0.1;
/** H.264 needs more bits than H.265 for the same picture, and not more than this times as many. */
const BITS_OF_SOURCE_MAX = 3;
const BITS_MIN = 200_000;
const BITS_MAX = 8_000_000;
/** Seconds from one key frame to the next: players seek to them. */
const GOP_SECONDS = 2;

export interface EncodedPicturesOptions {
  readonly track: WrittenTrack;
  readonly codec: Pick<Codec, "openVideoEncoder">;
  readonly patiently: Patience;
  /** In the file. */
  readonly framesPerSecond: number;
  /** Of what is recorded; undefined: it says nothing of the file, whose pictures follow one another more quickly. */
  readonly sourceBitsPerSecond?: number | undefined;
  /** Called when it is known how many bits a second the pictures take. */
  readonly onBitRate: (bitsPerSecond: number) => void;
}

interface OpenEncoder {
  readonly encoder: VideoEncoder;
  readonly size: PictureSize;
  /** Of its sample entry; 0 until its first picture. */
  description: number;
}

/** A track of H.264, made of pictures; those of another size have another sample entry. */
export class EncodedPictures {
  readonly #options: EncodedPicturesOptions;
  readonly #entries: Buffer[] = [];
  #encoder: OpenEncoder | undefined;
  #forceKey = true;

  constructor(options: EncodedPicturesOptions) {
    this.#options = options;
  }

  /** @param movieUs Its time in the file, as the encoder gives it back with its unit. */
  async add(picture: Picture, movieUs: number): Promise<void> {
    const { width, height } = picture;
    const open = this.#encoderFor({ width, height });
    const timed = { ...picture, timeUs: movieUs };
    const units = await this.#options.patiently(() => open.encoder.encode(timed, this.#forceKey));
    this.#forceKey = false;
    for (const unit of units) await this.#write(unit, open);
  }

  /** The next picture does not follow. */
  gap(): void {
    this.#forceKey = true;
  }

  end(endUs: number): void {
    this.#options.track.endAt(ticksOf(endUs, this.#options.track.timescale));
  }

  close(): void {
    this.#encoder?.encoder.close();
    this.#encoder = undefined;
  }

  async #write(unit: EncodedUnit, open: OpenEncoder): Promise<void> {
    const { track } = this.#options;
    if (open.description === 0) {
      const about = { codec: CodecNumber.H264, ...open.size, initialization: new Uint8Array(0) };
      open.description = this.#entries.push(sampleEntry(about, unit.data));
      const { width, height } = this.#entries.length === 1 ? open.size : track.description;
      track.description = { entries: this.#entries, ...(width && height ? { width, height } : {}) };
    }
    await track.add({
      bytes: lengthPrefixed(Buffer.from(unit.data)),
      ticks: ticksOf(unit.timeUs, track.timescale),
      ...{ compositionTicks: 0, sync: unit.key, description: open.description },
    });
  }

  #encoderFor(size: PictureSize): OpenEncoder {
    if (this.#encoder?.size.width === size.width && this.#encoder.size.height === size.height)
      return this.#encoder;
    this.#encoder?.encoder.close();
    const { codec, framesPerSecond, sourceBitsPerSecond = Number.POSITIVE_INFINITY } = this.#options;
    const wanted = size.width * size.height * framesPerSecond * BITS_PER_PIXEL;
    const bits = Math.min(wanted, sourceBitsPerSecond * BITS_OF_SOURCE_MAX, BITS_MAX);
    const bitsPerSecond = Math.round(Math.max(BITS_MIN, bits));
    const encoder = codec.openVideoEncoder({
      ...{ ...size, framesPerSecond, bitsPerSecond },
      gopLength: Math.max(1, Math.round(framesPerSecond * GOP_SECONDS)),
      turn: "when-idle",
    });
    if (encoder === undefined) throw new CodecError("unsupported", "there is no H.264 encoder");
    this.#options.onBitRate(bitsPerSecond);
    this.#encoder = { encoder, size, description: 0 };
    this.#forceKey = true;
    return this.#encoder;
  }
}
