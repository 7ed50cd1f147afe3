import { fileURLToPath } from "node:url";
import { NvrdError } from "../../base/index.js";
import { loadSharp, SharpTurns, WORK_SECONDS_MAX } from "./sharp-turns.js";
import type { GrayPlane } from "./still-jpeg.js";

/** DejaVu Sans Mono: Latin, Cyrillic, Greek and more in one file, the same from `src`, `dist` and a package. */
const FONT_FILE = new URL("../../../src/picture/still/font/DejaVuSansMono.ttf", import.meta.url);
/** Size of the font in points for Pango, and dots an inch for each pixel of it then. */
const POINTS = 10;
const DPI_A_PIXEL = 72 / POINTS;
const TEXT_LENGTH_MAX = 200;
const PIXELS_MAX = 200;

/** Texts as pictures of how much of each pixel is covered, 0 to 255. */
export class TextPictures {
  readonly #turns = new SharpTurns();

  /**
   * A text of one or several lines, left-aligned; letters that the font lacks come from the system's fonts.
   * @param size Of the font, in pixels: 1 to 200.
   * Rejects with NvrdError INTERNAL if it cannot be drawn.
   */
  draw(text: string, size: number): Promise<GrayPlane> {
    const pixels = Math.min(PIXELS_MAX, Math.max(1, size));
    return this.#turns.run(async () => {
      try {
        const sharp = await loadSharp();
        const { data, info } = await sharp({
          text: {
            ...{ text: markup(text), font: `DejaVu Sans Mono ${POINTS}`, fontfile: fileURLToPath(FONT_FILE) },
            dpi: Math.round(pixels * DPI_A_PIXEL),
          },
        })
          .timeout({ seconds: WORK_SECONDS_MAX })
          .extractChannel(0)
          .raw()
          .toBuffer({ resolveWithObject: true });
        return { data, width: info.width, height: info.height };
      } catch (cause) {
        throw new NvrdError("INTERNAL", "a text could not be drawn", { cause });
      }
    });
  }
}

const ESCAPED: { readonly [letter: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** As Pango takes it: nothing in a text is an instruction. */
function markup(text: string): string {
  const shown = [...text].filter((letter) => letter === "\n" || !/[\p{Cc}\p{Cs}\p{Cn}]/u.test(letter));
  return shown
    .slice(0, TEXT_LENGTH_MAX)
    .map((letter) => ESCAPED[letter] ?? letter)
    .join("");
}
