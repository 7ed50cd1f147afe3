import type { Rotation } from "./codec-types.js";

/** What the pictures of a transcode are encoded as. */
export type TranscodeForm = "jpeg" | "h264";

/** What a transcode makes of its stream. Viewers who ask for equal ones share it. */
export interface TranscodeSpec {
  /** The box that the picture is fitted into, pixels after rotation; the picture is never larger than its source. */
  readonly width: number;
  readonly height: number;
  /** Pictures a second at most, more than 0. */
  readonly framesPerSecond: number;
  /** `h264` becomes `jpeg` on a platform without an encoder. */
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
  /** Newer frames of the stream are known already: it was made so that a viewer has something to show at once. */
  readonly catchingUp: boolean;
}

/** Bytes that a client's buffer has for each pixel: 60 000 at 640x480, 180 000 at 1280x720. */
const JPEG_BYTES_PER_PIXEL = 60_000 / (640 * 480);
/** Small pictures need not be worse than this. */
const JPEG_BYTES_FLOOR = 16_000;

/** Most bytes of a JPEG of this size: between and beyond the two sizes that clients have buffers for, by its pixels. */
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

/** The size of a source of another shape within `box`, its shape kept, never above the source. */
export function fitInside(source: PictureSize, box: PictureSize): PictureSize {
  const scale = Math.min(1, box.width / source.width, box.height / source.height);
  return {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  };
}
