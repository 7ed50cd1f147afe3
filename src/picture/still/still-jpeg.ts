import { freeMemory, NvrdError } from "../../base/index.js";
import type { Picture, PicturePart, Rotation } from "../codec/codec-types.js";
import { loadSharp, SharpTurns, WORK_SECONDS_MAX } from "./sharp-turns.js";
import type { StillSize } from "./still-types.js";

/** Quality of a still on sharp's scale (1 to 100). */
export const STILL_QUALITY = 80;
/** Most pixels of an input JPEG: 8192 each way. */
export const JPEG_PIXELS_MAX = 8192 * 8192;
/** Most bytes of an input JPEG. */
export const JPEG_BYTES_MAX = 16 * 1024 * 1024;
/** A JPEG and its size. */
export interface JpegPicture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A small picture of one byte a pixel, row by row. */
export interface GrayPlane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The cells of a sprite, in pixels: rows of `columns`. */
export interface SpriteCells {
  readonly width: number;
  readonly height: number;
  readonly columns: number;
}

/** What was cut out of a picture; `part` is in whole pixels of that. */
export interface CutPicture extends JpegPicture {
  readonly part: PicturePart;
}

/** The output wanted from a JPEG. */
export interface JpegWork {
  readonly sizes: readonly StillSize[];
  readonly rotation: Rotation;
  /** A frame with lost bytes is shown as far as possible. */
  readonly mayBeDamaged: boolean;
}

/** Makes the JPEGs of stills with sharp, a few at a time. */
export class StillJpegs {
  readonly #turns = new SharpTurns();

  /** Encodes a decoded picture of form `rgb` as a JFIF file. Rejects with NvrdError INTERNAL if that fails. */
  encode(picture: Picture): Promise<JpegPicture> {
    const { data, width, height } = picture;
    return this.#turns.run(async () => {
      try {
        const sharp = await loadSharp();
        const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
          .timeout({ seconds: WORK_SECONDS_MAX })
          .jpeg({ quality: STILL_QUALITY })
          .toBuffer();
        return { jpeg: asJfif(jpeg), width, height };
      } catch (cause) {
        throw new NvrdError("INTERNAL", "the picture could not be written as JPEG", { cause });
      }
    });
  }

  /** A camera's JPEG as a small grey picture. Rejects with NvrdError NOT_AVAILABLE if it is not a usable JPEG. */
  gray(bytes: Uint8Array, width: number): Promise<GrayPlane> {
    if (bytes.byteLength > JPEG_BYTES_MAX) throw unusable(`is larger than ${JPEG_BYTES_MAX} bytes`);
    return this.#turns.run(async () => {
      try {
        const sharp = await loadSharp();
        const { data, info } = await sharp(bytes, { limitInputPixels: JPEG_PIXELS_MAX, failOn: "none" })
          .timeout({ seconds: WORK_SECONDS_MAX })
          .resize({ width, withoutEnlargement: true })
          .greyscale()
          .raw()
          .toBuffer({ resolveWithObject: true });
        return { data, width: info.width, height: info.height };
      } catch (cause) {
        throw unusable("cannot be decoded", cause);
      }
    });
  }

  /**
   * Puts JPEGs of this service beside and below each other, each into its cell; an absent one leaves its cell black. Rejects
   * with NvrdError INTERNAL if that fails.
   */
  sprite(pictures: readonly (Uint8Array | undefined)[], cells: SpriteCells): Promise<Uint8Array> {
    const { width, height, columns } = cells;
    const rows = Math.ceil(pictures.length / columns);
    const placed = pictures.flatMap((input, at) => {
      const place = { left: (at % columns) * width, top: Math.floor(at / columns) * height };
      return input === undefined ? [] : [{ input: Buffer.from(input), ...place }];
    });
    const size = { width: Math.min(columns, pictures.length) * width, height: rows * height };
    return this.#turns.run(async () => {
      try {
        const sharp = await loadSharp();
        const sprite = sharp({ create: { ...size, channels: 3, background: "black" } })
          .timeout({ seconds: WORK_SECONDS_MAX })
          .composite(placed);
        return asJfif(await sprite.jpeg({ quality: STILL_QUALITY }).toBuffer());
      } catch (cause) {
        throw new NvrdError("INTERNAL", "the strip could not be written as JPEG", { cause });
      }
    });
  }

  /**
   * Cuts a part out of a JPEG of this service, and scales it down where a side is longer than `sideMax`. Rejects with NvrdError
   * INTERNAL if that fails.
   */
  cut(bytes: Uint8Array, part: PicturePart, sideMax: number): Promise<CutPicture> {
    return this.#turns.run(async () => {
      try {
        const sharp = await loadSharp();
        const size = await sharp(bytes, { limitInputPixels: JPEG_PIXELS_MAX }).metadata();
        const pixels = pixelsOf(part, size);
        const { data, info } = await sharp(bytes, { limitInputPixels: JPEG_PIXELS_MAX })
          .timeout({ seconds: WORK_SECONDS_MAX })
          .extract(pixels)
          .resize({ width: sideMax, height: sideMax, fit: "inside", withoutEnlargement: true })
          .jpeg({ quality: STILL_QUALITY })
          .toBuffer({ resolveWithObject: true });
        const cut = {
          left: pixels.left / size.width,
          top: pixels.top / size.height,
          width: pixels.width / size.width,
          height: pixels.height / size.height,
        };
        return { jpeg: asJfif(data), width: info.width, height: info.height, part: cut };
      } catch (cause) {
        throw new NvrdError("INTERNAL", "a part of the picture could not be cut out", { cause });
      }
    });
  }

  /**
   * Rotates a camera's JPEG and scales it to each size. It is decoded, checked and encoded again, never passed on.
   * Small sizes are decoded at reduced size, which takes a fraction of the time. Rejects with NvrdError NOT_AVAILABLE
   * if it is not a usable JPEG.
   */
  async resize(bytes: Uint8Array, work: JpegWork): Promise<readonly JpegPicture[]> {
    if (bytes.byteLength > JPEG_BYTES_MAX) throw unusable(`is larger than ${JPEG_BYTES_MAX} bytes`);
    if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw unusable("is not a JPEG");
    const source = await this.#turns.run(() => readSize(bytes, work.rotation));
    const made: JpegPicture[] = [];
    for (const size of work.sizes)
      made.push(await this.#turns.run(() => resizeOne(bytes, work, clampSize(size, source))));
    return made;
  }
}

interface FullSize {
  readonly width: number;
  readonly height: number;
}

/** The resulting size: never above the source's; with one side or none given, the aspect ratio is kept. */
export function clampSize(asked: StillSize, source: FullSize): FullSize {
  const width = asked.width === undefined ? undefined : Math.min(asked.width, source.width);
  const height = asked.height === undefined ? undefined : Math.min(asked.height, source.height);
  if (width === undefined && height === undefined) return source;
  if (height === undefined && width !== undefined)
    return { width, height: Math.max(1, Math.round((width * source.height) / source.width)) };
  if (width === undefined && height !== undefined)
    return { width: Math.max(1, Math.round((height * source.width) / source.height)), height };
  return { width: width ?? source.width, height: height ?? source.height };
}

/** At least one pixel, within the picture. */
function pixelsOf(part: PicturePart, { width, height }: FullSize): PicturePart {
  const left = Math.min(width - 1, Math.max(0, Math.floor(part.left * width)));
  const top = Math.min(height - 1, Math.max(0, Math.floor(part.top * height)));
  return {
    left,
    top,
    width: Math.max(1, Math.min(width - left, Math.ceil(part.width * width))),
    height: Math.max(1, Math.min(height - top, Math.ceil(part.height * height))),
  };
}

/** Size after rotation. */
async function readSize(bytes: Uint8Array, rotation: Rotation): Promise<FullSize> {
  try {
    const sharp = await loadSharp();
    const { width, height } = await sharp(bytes, { limitInputPixels: JPEG_PIXELS_MAX }).metadata();
    return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height };
  } catch (cause) {
    throw unusable("cannot be read", cause);
  }
}

async function resizeOne(bytes: Uint8Array, work: JpegWork, size: FullSize): Promise<JpegPicture> {
  const lying = work.rotation === 90 || work.rotation === 270;
  const [width, height] = lying ? [size.height, size.width] : [size.width, size.height];
  const failOn = work.mayBeDamaged ? "none" : "error";
  try {
    const sharp = await loadSharp();
    const small = sharp(bytes, { limitInputPixels: JPEG_PIXELS_MAX, failOn, sequentialRead: true })
      .timeout({ seconds: WORK_SECONDS_MAX })
      .resize(width, height, { fit: "fill", kernel: "linear" })
      .toColourspace("srgb");
    if (work.rotation === 0) {
      const jpeg = await small.jpeg({ quality: STILL_QUALITY }).toBuffer();
      return { jpeg: asJfif(jpeg), ...size };
    }
    // Rotated after scaling: otherwise it could not be decoded at reduced size.
    const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
    const { channels } = info;
    const jpeg = await sharp(data, { raw: { width, height, channels } })
      .rotate(work.rotation)
      .jpeg({ quality: STILL_QUALITY })
      .toBuffer();
    return { jpeg: asJfif(jpeg), ...size };
  } catch (cause) {
    throw unusable("cannot be decoded", cause);
  }
}

/** SOI and the JFIF segment: version 1.1, square pixels, no thumbnail (JFIF 1.02). */
const JFIF_START = Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex");

/** sharp omits the JFIF segment when it writes no metadata, but some programs look for it. What sharp made is freed then. */
function asJfif(jpeg: Uint8Array): Uint8Array {
  if (jpeg[3] === 0xe0) return jpeg;
  const whole = Buffer.concat([JFIF_START, jpeg.subarray(2)]);
  freeMemory?.(jpeg);
  return whole;
}

function unusable(what: string, cause?: unknown): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the JPEG that the camera sent ${what}`, { cause });
}
