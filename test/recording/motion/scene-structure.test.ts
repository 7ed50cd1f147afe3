import { expect, it } from "vitest";
import type { WatchedZone } from "../../../src/picture/index.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { motionWatch } from "../../support/recording/motion-watch.js";

/**
 * Whether a picture that differs everywhere is the same scene under another light: then nothing is found in it. Pictures of
 * 10 x 4 blocks of 8 x 8 pixels.
 */
const COLUMNS = 10;
const BLOCKS = 40;
const BLOCK = 8;
const WIDTH = COLUMNS * BLOCK;
const HEIGHT = (BLOCKS / COLUMNS) * BLOCK;
const STEP_US = 2_000_000;
const EVERYWHERE: WatchedZone = { sensitivity: 100, minSizePercent: 0.05, area: { kind: "picture" } };

type Pattern = (x: number, y: number) => number;
const GRAY: Pattern = () => 128;
/** A texture of its own for each seed: two of them are no more alike than chance. */
function grain(seed: number): Pattern {
  const random = new SeededRandom(seed);
  const levels = Uint8Array.from({ length: WIDTH * HEIGHT }, () => 96 + random.below(32));
  return (x, y) => levels[y * WIDTH + x] ?? 0;
}
const WALL = grain(1);
const OTHER = grain(2);
/** Lamps that light every second block, and leave the others dark: no band of brightness changes alike. */
const lamps =
  (pattern: Pattern): Pattern =>
  (x, y) =>
    pattern(x, y) + ((Math.floor(x / BLOCK) + Math.floor(y / BLOCK)) % 2 === 0 ? 60 : -60);

/** The first `count` blocks show a pattern, the others another. */
function picture(count: number, first: Pattern, others: Pattern = GRAY): Uint8Array {
  return Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const x = at % WIDTH;
    const y = Math.floor(at / WIDTH);
    const block = Math.floor(y / BLOCK) * COLUMNS + Math.floor(x / BLOCK);
    return (block < count ? first : others)(x, y);
  });
}

function sameAs(before: Uint8Array, now: Uint8Array): boolean {
  const watch = motionWatch([EVERYWHERE]);
  const size = { width: WIDTH, height: HEIGHT };
  for (const index of [0, 1, 2]) watch.analyze({ ...size, data: before }, index * STEP_US);
  const motions = watch.analyze({ ...size, data: now }, 3 * STEP_US);
  if (motions.length > 0)
    expect(motions).toEqual([{ zone: 0, left: 0, top: 0, width: 1, height: 1, strength: 1 }]);
  return motions.length === 0;
}

it("the same structure under half the contrast is the same scene, another structure is not", () => {
  const dimmed: Pattern = (x, y) => 112 + (WALL(x, y) - 112) / 2;
  expect(sameAs(picture(BLOCKS, WALL), picture(BLOCKS, lamps(dimmed)))).toBe(true);
  expect(sameAs(picture(BLOCKS, WALL), picture(BLOCKS, lamps(OTHER)))).toBe(false);
});

it("half of the textured blocks alike is the same scene, fewer are not", () => {
  const before = picture(BLOCKS, WALL);
  expect(sameAs(before, picture(20, lamps(WALL), lamps(OTHER)))).toBe(true);
  expect(sameAs(before, picture(19, lamps(WALL), lamps(OTHER)))).toBe(false);
});

it("a scene of five textured blocks cannot be compared, one of six can", () => {
  expect(sameAs(picture(5, WALL), picture(BLOCKS, lamps(OTHER)))).toBe(true);
  expect(sameAs(picture(6, WALL), picture(BLOCKS, lamps(OTHER)))).toBe(false);
});

it("all dark or all dazzled is the same scene with the light switched, all grey is something before the lens", () => {
  const before = picture(BLOCKS, WALL);
  const levels = [39, 40, 140, 215, 216];
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
      picture(
        5,
        (x, y) => OTHER(x, y) - 90,
        () => 10,
      ),
    ),
  ).toBe(false);
});
