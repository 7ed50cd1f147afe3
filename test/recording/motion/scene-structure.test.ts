import { expect, it } from "vitest";
import { MotionBackground } from "../../../src/recording/motion/motion-background.js";
import { isSameScene } from "../../../src/recording/motion/scene-structure.js";

/** Pictures of 10 x 4 blocks of 8 x 8 pixels. */
const COLUMNS = 10;
const BLOCKS = 40;
const BLOCK = 8;
const WIDTH = COLUMNS * BLOCK;

type Pattern = (x: number, y: number) => number;
const GRAY: Pattern = () => 128;
const UPRIGHT: Pattern = (x) => (x % 2 === 0 ? 108 : 148);
const LYING: Pattern = (_x, y) => (y % 2 === 0 ? 108 : 148);

/** The first `count` blocks show a pattern, the others another. */
function picture(count: number, first: Pattern, others: Pattern = GRAY): Uint8Array {
  return Uint8Array.from({ length: WIDTH * (BLOCKS / COLUMNS) * BLOCK }, (_, at) => {
    const x = at % WIDTH;
    const y = Math.floor(at / WIDTH);
    const block = Math.floor(y / BLOCK) * COLUMNS + Math.floor(x / BLOCK);
    return (block < count ? first : others)(x, y);
  });
}

function sameAs(before: Uint8Array, now: Uint8Array): boolean {
  const background = new MotionBackground(before.length);
  background.reset(before);
  return isSameScene(now, WIDTH, background);
}

it("the same structure under half the contrast is the same scene, another structure is not", () => {
  const dimmed: Pattern = (x, y) => 128 + (UPRIGHT(x, y) - 128) / 2;
  expect(sameAs(picture(BLOCKS, UPRIGHT), picture(BLOCKS, dimmed))).toBe(true);
  expect(sameAs(picture(BLOCKS, UPRIGHT), picture(BLOCKS, LYING))).toBe(false);
});

it("half of the textured blocks alike is the same scene, fewer are not", () => {
  const before = picture(BLOCKS, UPRIGHT);
  expect(sameAs(before, picture(20, UPRIGHT, LYING))).toBe(true);
  expect(sameAs(before, picture(19, UPRIGHT, LYING))).toBe(false);
});

it("a scene of five textured blocks cannot be compared, one of six can", () => {
  expect(sameAs(picture(5, UPRIGHT), picture(BLOCKS, LYING))).toBe(true);
  expect(sameAs(picture(6, UPRIGHT), picture(BLOCKS, LYING))).toBe(false);
});

it("all dark or all dazzled is the same scene with the light switched, all grey is something before the lens", () => {
  const before = picture(BLOCKS, UPRIGHT);
  const levels = [39, 40, 128, 215, 216];
  const verdicts = levels.map((level) =>
    sameAs(
      before,
      picture(BLOCKS, () => level),
    ),
  );
  expect(verdicts).toEqual([true, false, false, false, true]);
  // Not where more than a tenth of it has structure.
  expect(
    sameAs(
      before,
      picture(5, LYING, () => 10),
    ),
  ).toBe(false);
});
