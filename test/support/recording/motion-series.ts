import type { MotionZone } from "../../../src/recording/index.js";
import { SeededRandom } from "../base/seeded-random.js";
import { lit, noisy, rained, SCENE_HEIGHT, SCENE_WIDTH, type Scene, withThing } from "./motion-scenes.js";

/** Pictures of all that the motion detector tells apart, with zones, sizes and times at random: the same for the same seed. */
export interface MotionSeries {
  readonly zones: readonly MotionZone[];
  readonly width: number;
  readonly height: number;
  readonly pictures: readonly { readonly data: Scene; readonly timeUs: number }[];
}

const STEPS_US = [40_000, 100_000, 200_000, 333_333, 700_000, 2_000_000];
/** The clock went back, stood, or the camera was away for over a minute. */
const ODD_STEPS_US = [-5_000_000, 0, 61_000_000];
const ODD_SIZES = [
  [160, 90],
  [90, 160],
  [7, 5],
  [1, 1],
  [3, 200],
  [200, 1],
] as const;
const PICTURES = 60;
/** A series shows three scenes, one after another. */
const SCENE_PICTURES = 20;

type Make = (index: number) => Scene;

/** `behind`: the empty scene. */
export function motionSeries(seed: number, behind: Scene): MotionSeries {
  const random = new SeededRandom(seed);
  const zones = zonesFrom(random);
  const [width, height] = random.chance(0.2) ? random.pick(ODD_SIZES) : [SCENE_WIDTH, SCENE_HEIGHT];
  const isOdd = width !== SCENE_WIDTH || height !== SCENE_HEIGHT;
  const makes = isOdd ? [speckled(width * height, random)] : scenes(behind, random);
  const shown = Array.from({ length: PICTURES / SCENE_PICTURES }, () => random.pick(makes));
  const stepUs = random.pick(STEPS_US);
  let timeUs = 0;
  const pictures = Array.from({ length: PICTURES }, (_, index) => {
    timeUs += random.chance(0.01) ? random.pick(ODD_STEPS_US) : stepUs;
    return { data: shown[Math.floor(index / SCENE_PICTURES)]?.(index) ?? behind, timeUs };
  });
  return { zones, width, height, pictures };
}

function speckled(pixels: number, random: SeededRandom): Make {
  return () => Uint8Array.from({ length: pixels }, () => random.below(4) * 60);
}

function scenes(behind: Scene, random: SeededRandom): Make[] {
  const still = (deviation = 3): Scene => noisy(behind, deviation, random);
  const walker = (index: number, contrast: number) => ({
    ...{ left: index * 3 - 20, top: 40, width: 14, height: 30 },
    contrast,
  });
  return [
    () => still(random.between(0, 20)),
    (index) => withThing(still(), walker(index, 60)),
    (index) => withThing(still(), walker(index, -40)),
    (index) => {
      const rain = { streaks: random.between(5, 250), length: 10, brightness: random.between(20, 120) };
      return rained(withThing(still(), walker(index, 50)), rain, random);
    },
    (index) =>
      lit(withThing(still(), walker(index, 50)), random.chance(0.1) ? 0.3 : 1, random.chance(0.1) ? 20 : 0),
    (index) => lit(behind, 1 + (index % 12) / 40),
    // Something before the lens, now and then.
    (index) => (index % 30 < 15 ? still() : Uint8Array.from(behind, (_, at) => (at * 37 + index) % 91)),
    () => Uint8Array.from(behind, () => random.below(256)),
  ];
}

function zonesFrom(random: SeededRandom): MotionZone[] {
  return Array.from({ length: random.between(1, 6) }, (_, index) => ({
    name: `${index}`,
    sensitivity: random.between(1, 100),
    minSizePercent: 0.05 + random.below(300) / 100,
    area: areaFrom(random),
  }));
}

function areaFrom(random: SeededRandom): MotionZone["area"] {
  const kind = random.pick(["picture", "polygon", "grid"] as const);
  if (kind === "picture") return { kind };
  if (kind === "polygon") {
    const points = Array.from({ length: random.between(3, 9) }, () => ({
      x: random.next(),
      y: random.next(),
    }));
    return { kind, points };
  }
  const [columns, rows] = [random.between(1, 64), random.between(1, 64)];
  return {
    ...{ kind, columns, rows },
    cells: Array.from({ length: columns * rows }, () => random.below(2)).join(""),
  };
}
