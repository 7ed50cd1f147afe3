import type { MotionBackground } from "./motion-background.js";

const BLOCK = 8;
/** Sum of squares within a block from which it has texture: about 5 grey levels each pixel. */
const TEXTURE_MIN = BLOCK * BLOCK * 25;
/** Correlation of a block with itself under another light. */
const ALIKE_MIN = 0.6;
/** A scene with fewer textured blocks cannot be compared. */
const TEXTURED_BLOCKS_MIN = 6;
/** A picture darker than this on average, and without texture, is a room with the light off. */
const DARK_MAX = 40;

/**
 * Whether a picture that differs everywhere shows the same scene under another light (the structure is there, or all
 * is dark or dazzled), and not another scene or something before the lens.
 */
export function isSameScene(picture: Uint8Array, width: number, background: MotionBackground): boolean {
  const rows = Math.floor(picture.length / width / BLOCK);
  const columns = Math.floor(width / BLOCK);
  let textured = 0;
  let alike = 0;
  let flat = 0;
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const block = compareBlock(picture, width, row * BLOCK * width + column * BLOCK, background);
      sum += block.mean;
      if (block.pictureTexture < TEXTURE_MIN) flat += 1;
      if (block.backgroundTexture < TEXTURE_MIN) continue;
      textured += 1;
      if (block.correlation >= ALIKE_MIN) alike += 1;
    }
  }
  const blocks = rows * columns;
  const mean = sum / Math.max(1, blocks);
  if (flat > blocks * 0.9 && (mean < DARK_MAX || mean > 255 - DARK_MAX)) return true;
  return textured < TEXTURED_BLOCKS_MIN || alike >= textured / 2;
}

interface BlockComparison {
  readonly mean: number;
  readonly pictureTexture: number;
  readonly backgroundTexture: number;
  readonly correlation: number;
}

function compareBlock(
  picture: Uint8Array,
  width: number,
  from: number,
  background: MotionBackground,
): BlockComparison {
  let a = 0;
  let b = 0;
  let aa = 0;
  let bb = 0;
  let ab = 0;
  for (let y = 0; y < BLOCK; y++) {
    for (let x = 0; x < BLOCK; x++) {
      const at = from + y * width + x;
      const now = picture[at] ?? 0;
      const before = background.grayAt(at);
      a += now;
      b += before;
      aa += now * now;
      bb += before * before;
      ab += now * before;
    }
  }
  const pixels = BLOCK * BLOCK;
  const pictureTexture = aa - (a * a) / pixels;
  const backgroundTexture = bb - (b * b) / pixels;
  const together = ab - (a * b) / pixels;
  const correlation = together / Math.sqrt(Math.max(1, pictureTexture) * Math.max(1, backgroundTexture));
  return { mean: a / pixels, pictureTexture, backgroundTexture, correlation };
}
