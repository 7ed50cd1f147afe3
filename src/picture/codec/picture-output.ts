import type { VideoFormat } from "../../live/index.js";
import type { Codec, Picture, PictureTarget, Rotation, VideoEncoder } from "./codec-types.js";
import {
  fitInside,
  jpegBytesMax,
  type PictureSize,
  type TranscodedPicture,
  type TranscodeSpec,
} from "./transcode-types.js";

/** Bits per pixel of an H.264 stream, and the limits of its bit rate. */
const H264_BITS_PER_PIXEL = 0.12;
const H264_BITS_MIN = 150_000;
const H264_BITS_MAX = 8_000_000;
/** Seconds between key frames of an H.264 stream. */
const H264_GOP_SECONDS = 4;
const JPEG_QUALITY = 75;

export interface PictureOutputOptions {
  readonly codec: Codec;
  readonly spec: TranscodeSpec;
}

/** The output of a transcode: names the target for the decoder, and encodes its pictures. */
export class PictureOutput {
  readonly #codec: Codec;
  readonly #spec: TranscodeSpec;
  /** Size of the source after rotation, from the newest picture or the stream's format. */
  #source: PictureSize | undefined;
  #encoder: { readonly encoder: VideoEncoder; readonly size: PictureSize } | undefined;
  /** The platform has no H.264 encoder: JPEG is used instead, from the first picture on. */
  #noEncoder = false;

  constructor(options: PictureOutputOptions) {
    this.#codec = options.codec;
    this.#spec = options.spec;
  }

  /** The decoder's target for a frame of this format; a size of 0 is not known yet. `rotation`: default: the spec's. */
  target(format: Pick<VideoFormat, "width" | "height">, rotation = this.#spec.rotation): PictureTarget {
    if (format.width > 0 && format.height > 0) {
      const lies = rotation === 90 || rotation === 270;
      const { width, height } = format;
      this.#source = lies ? { width: height, height: width } : { width, height };
    }
    return this.#wantsH264() ? this.#rawTarget(rotation) : this.#jpegTarget(rotation);
  }

  /**
   * Encodes a picture. Empty if its size cannot be encoded; the next target will have the right size. Rejects as the
   * codec does.
   */
  async encode(
    picture: Picture,
    options: { readonly forceKey: boolean; readonly catchingUp: boolean },
  ): Promise<readonly TranscodedPicture[]> {
    const { timeUs, data } = picture;
    const { catchingUp } = options;
    if (picture.form === "jpeg") return [{ form: "jpeg", key: true, timeUs, data, catchingUp }];
    this.#source = { width: picture.sourceWidth, height: picture.sourceHeight };
    const encoder = this.#encoderFor(picture);
    if (encoder === undefined) return [];
    const units = await encoder.encode(picture, options.forceKey);
    return units.map((unit) => ({
      form: "h264",
      key: unit.key,
      timeUs: unit.timeUs,
      data: unit.data,
      catchingUp,
    }));
  }

  close(): void {
    this.#encoder?.encoder.close();
    this.#encoder = undefined;
  }

  /** Opens the encoder as soon as the size is known, so that no picture is lost on a platform without an encoder. */
  #wantsH264(): boolean {
    if (this.#spec.form !== "h264" || this.#noEncoder) return false;
    if (this.#source !== undefined && this.#encoder === undefined)
      this.#encoderFor(this.#evenSize(this.#source));
    return !this.#noEncoder;
  }

  #rawTarget(rotation: Rotation): PictureTarget {
    const { width, height } = this.#spec;
    if (this.#source === undefined) return { form: "yuv420", width, height, fit: "inside", rotation };
    return { form: "yuv420", ...this.#evenSize(this.#source), fit: "exact", rotation };
  }

  #jpegTarget(rotation: Rotation): PictureTarget {
    const { width, height } = this.#spec;
    const size = this.#source === undefined ? { width, height } : fitInside(this.#source, this.#spec);
    const bytesMax = jpegBytesMax(size.width, size.height);
    return { form: "jpeg", width, height, fit: "inside", rotation, quality: JPEG_QUALITY, bytesMax };
  }

  /** 4:2:0 pictures have even sides (H.264, 6.2). */
  #evenSize(source: PictureSize): PictureSize {
    const { width, height } = fitInside(source, this.#spec);
    return { width: Math.max(2, width & ~1), height: Math.max(2, height & ~1) };
  }

  #encoderFor(size: PictureSize): VideoEncoder | undefined {
    const { width, height } = size;
    if (width % 2 !== 0 || height % 2 !== 0) return undefined;
    const current = this.#encoder;
    if (current?.size.width === width && current.size.height === height) return current.encoder;
    this.close();
    const { framesPerSecond } = this.#spec;
    const bits = width * height * framesPerSecond * H264_BITS_PER_PIXEL;
    const encoder = this.#codec.openVideoEncoder({
      width,
      height,
      framesPerSecond,
      bitsPerSecond: Math.round(Math.min(H264_BITS_MAX, Math.max(H264_BITS_MIN, bits))),
      gopLength: Math.max(1, Math.round(framesPerSecond * H264_GOP_SECONDS)),
    });
    if (encoder === undefined) this.#noEncoder = true;
    else this.#encoder = { encoder, size: { width, height } };
    return encoder;
  }
}
