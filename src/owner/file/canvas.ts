import type { GrayPlane, Picture, PictureSize } from "../../picture/index.js";

/** Of limited range: black, white, and colour of neither (ITU-R BT.601, 2.5.3). */
const BLACK = 16;
const WHITE = 235;
const NO_COLOUR = 128;
const OPAQUE = 255;
/** What is left of the picture below a text, of as many parts. */
const BOX_PARTS = 90;

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
    const box = boxOf(text, margin);
    const [left, top] = [even(spot.left), even(spot.top)];
    const width = Math.min(box.width, this.size.width - left);
    const height = Math.min(box.height, this.size.height - top);
    const { data } = this.#luma;
    for (let y = 0; y < height; y += 1) {
      const from = (top + y) * this.size.width + left;
      for (let x = 0; x < width; x += 1) {
        const covered = box.data[y * box.width + x] as number;
        const below = BLACK + (((data[from + x] as number) - BLACK) * BOX_PARTS) / OPAQUE;
        data[from + x] = below + ((WHITE - below) * covered) / OPAQUE;
      }
    }
    for (const plane of this.#colours)
      for (let y = 0; y < height / 2; y += 1) {
        const from = (top / 2 + y) * plane.width + left / 2;
        for (let x = 0; x < width / 2; x += 1) {
          const bare = OPAQUE - (box.data[2 * y * box.width + 2 * x] as number);
          const below = (((plane.data[from + x] as number) - NO_COLOUR) * BOX_PARTS) / OPAQUE;
          plane.data[from + x] = NO_COLOUR + (below * bare) / OPAQUE;
        }
      }
  }
}

/** A text with a margin around it, of even sides. */
function boxOf(text: GrayPlane, margin: number): Plane {
  const width = even(text.width + 2 * margin + 1);
  const height = even(text.height + 2 * margin + 1);
  const box = { data: new Uint8Array(width * height), width, height };
  copyRows(box, text, { left: margin, top: margin });
  return box;
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
