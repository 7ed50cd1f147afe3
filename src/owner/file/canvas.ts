import type { GrayPlane, Picture, PictureSize } from "../../picture/index.js";

/** Of limited range: black, white, and colour of neither (ITU-R BT.601, 2.5.3). */
const BLACK = 16;
const WHITE = 235;
const NO_COLOUR = 128;
/** What is left of the picture below a text. */
const BOX_PART = 0.35;
const OPAQUE = 255;

/** Where something is put, from the left and the top, in pixels. */
export interface Spot {
  readonly left: number;
  readonly top: number;
}

/** One plane of a picture. */
interface Plane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A picture of the form `yuv420` that is drawn on; its sides are even. */
export class Canvas {
  readonly size: PictureSize;
  readonly data: Uint8Array;
  readonly #luma: Plane;
  readonly #colours: readonly Plane[];

  /** `data`: of a picture; by default, all is black. */
  constructor(size: PictureSize, data?: Uint8Array) {
    this.size = size;
    const pixels = size.width * size.height;
    this.data = data ?? new Uint8Array(pixels + 2 * (pixels / 4));
    const half = { width: size.width / 2, height: size.height / 2 };
    this.#luma = { ...size, data: this.data.subarray(0, pixels) };
    this.#colours = [0, 1].map((at) => {
      const from = pixels + (at * pixels) / 4;
      return { ...half, data: this.data.subarray(from, from + pixels / 4) };
    });
    if (data === undefined) this.darken({ left: 0, top: 0 }, size);
  }

  /** Makes a part black. Places and sizes are even. */
  darken({ left, top }: Spot, { width, height }: PictureSize): void {
    fillPart(this.#luma, { left, top }, { width, height }, BLACK);
    for (const plane of this.#colours)
      fillPart(plane, { left: left / 2, top: top / 2 }, { width: width / 2, height: height / 2 }, NO_COLOUR);
  }

  /** Puts a picture of even sides there, which fits. */
  put({ data, width, height }: Picture, { left, top }: Spot): void {
    const pixels = width * height;
    copyRows(this.#luma, { data: data.subarray(0, pixels), width, height }, { left, top });
    const half = { width: width / 2, height: height / 2 };
    for (const [at, plane] of this.#colours.entries()) {
      const from = pixels + (at * pixels) / 4;
      const part = { ...half, data: data.subarray(from, from + pixels / 4) };
      copyRows(plane, part, { left: left / 2, top: top / 2 });
    }
  }

  /** Writes a text in white on a darker box; what does not fit is cut off. */
  write(text: GrayPlane, spot: Spot, margin: number): void {
    const left = even(spot.left);
    const top = even(spot.top);
    const right = Math.min(this.size.width, left + even(text.width + 2 * margin + 1));
    const bottom = Math.min(this.size.height, top + even(text.height + 2 * margin + 1));
    for (let y = top; y < bottom; y += 1)
      for (let x = left; x < right; x += 1) {
        const covered = coverage(text, x - left - margin, y - top - margin);
        const at = y * this.size.width + x;
        const below = BLACK + ((this.#luma.data[at] ?? BLACK) - BLACK) * BOX_PART;
        this.#luma.data[at] = Math.round(below + ((WHITE - below) * covered) / OPAQUE);
      }
    for (const { data, width } of this.#colours)
      for (let y = top / 2; y < bottom / 2; y += 1)
        for (let x = left / 2; x < right / 2; x += 1) {
          const at = y * width + x;
          const covered = coverage(text, 2 * x - left - margin, 2 * y - top - margin) / OPAQUE;
          const below = ((data[at] ?? NO_COLOUR) - NO_COLOUR) * BOX_PART;
          data[at] = Math.round(NO_COLOUR + below * (1 - covered));
        }
  }
}

function coverage({ data, width, height }: GrayPlane, x: number, y: number): number {
  return x < 0 || y < 0 || x >= width || y >= height ? 0 : (data[y * width + x] ?? 0);
}

function even(pixels: number): number {
  return pixels & ~1;
}

function fillPart({ data, width }: Plane, { left, top }: Spot, size: PictureSize, value: number): void {
  for (let y = top; y < top + size.height; y += 1)
    data.fill(value, y * width + left, y * width + left + size.width);
}

function copyRows({ data, width }: Plane, part: Plane, { left, top }: Spot): void {
  for (let y = 0; y < part.height; y += 1)
    data.set(part.data.subarray(y * part.width, (y + 1) * part.width), (top + y) * width + left);
}
