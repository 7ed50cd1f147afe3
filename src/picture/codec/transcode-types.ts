import type { Rotation } from "./codec-types.js";

/** Encoding of a transcode's pictures. */
export type TranscodeForm = "jpeg" | "h264";

/** The output of a transcode. Viewers with equal specs share it. */
export interface TranscodeSpec {
  /** The picture fits into this box, in pixels after rotation, and is never larger than its source. */
  readonly width: number;
  readonly height: number;
  /** Most pictures a second, above 0. */
  readonly framesPerSecond: number;
  /** On a platform without an encoder, `h264` becomes `jpeg`. */
  readonly form: TranscodeForm;
  readonly rotation: Rotation;
}

/** An encoded picture of a transcode: one object for all its viewers. */
export interface TranscodedPicture {
  readonly form: TranscodeForm;
  /** Decodable on its own: each JPEG is. */
  readonly key: boolean;
  /** Presentation time, Unix microseconds. */
  readonly timeUs: number;
  readonly data: Uint8Array;
  /** Newer frames exist already: it was made so that a viewer has something to show at once. */
  readonly catchingUp: boolean;
}

/** Buffer size of clients per pixel: 60 000 bytes at 640x480, 180 000 at 1280x720. */
const JPEG_BYTES_PER_PIXEL = 60_000 / (640 * 480);
/** Small pictures may have at least this many bytes. */
const JPEG_BYTES_FLOOR = 16_000;

/** Most bytes of a JPEG of this size, in proportion to its pixels. */
export function jpegBytesMax(width: number, height: number): number {
  return Math.max(JPEG_BYTES_FLOOR, Math.floor(width * height * JPEG_BYTES_PER_PIXEL));
}

/** Text that is equal for equal specs. */
export function specKey(spec: TranscodeSpec): string {
  const { width, height, framesPerSecond, form, rotation } = spec;
  return `${form} ${width}x${height} ${framesPerSecond}/s ${rotation}`;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The largest size within `box` that keeps the source's aspect ratio, never above the source. */
export function fitInside(source: PictureSize, box: PictureSize): PictureSize {
  const scale = Math.min(1, box.width / source.width, box.height / source.height);
  return {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  };
}
