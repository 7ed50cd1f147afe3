import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { PicturePart } from "../../../src/picture/index.js";
import { type MotionZone, WHOLE_PICTURE } from "../../../src/recording/index.js";
import { expectGolden } from "../../support/api/golden.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import {
  lit,
  noisy,
  rained,
  SCENE_HEIGHT,
  SCENE_WIDTH,
  type Scene,
  withThing,
} from "../../support/recording/motion-scenes.js";
import { motionSeries } from "../../support/recording/motion-series.js";
import { motionWatch, regionMotion } from "../../support/recording/motion-watch.js";

/**
 * What is found in pictures that are made by arithmetic alone: in which ones, and how many pixels the boxes have together. Each
 * figure of the detection takes part in it. Who changes one deliberately looks at motion-analyzer.test.ts, and then writes what is
 * found here.
 */

/** A wall of bricks, darker to the left. */
const WALL: Scene = Uint8Array.from({ length: SCENE_WIDTH * SCENE_HEIGHT }, (_, at) => {
  const x = at % SCENE_WIDTH;
  const y = Math.floor(at / SCENE_WIDTH);
  const isJoint = y % 8 === 0 || (x + (Math.floor(y / 8) % 2) * 8) % 16 === 0;
  return 30 + Math.floor(x * 1.1) + (isJoint ? 0 : 30);
});

const picture = (data: Scene) => ({ width: SCENE_WIDTH, height: SCENE_HEIGHT, data });

type Make = (index: number, random: SeededRandom) => Scene;

const still = (random: SeededRandom, scene = WALL): Scene => noisy(scene, 3, random);
const raining = (streaks: number): Make => {
  const rain = { streaks, length: 10, brightness: 60 };
  return (_index, random) => rained(still(random), rain, random);
};
/** From picture 20 on, `speed` pixels a picture. */
const walking =
  (behind: Make, speed: number, thing: { width: number; height: number; contrast: number }): Make =>
  (index, random) => {
    const scene = behind(index, random);
    if (index < 20) return scene;
    return withThing(scene, { left: (index - 20) * speed - thing.width, top: 50, ...thing });
  };
const calm: Make = (_index, random) => still(random);
const WALKER = { width: 12, height: 30, contrast: -50 };

function found(make: Make, stepUs: number, zones: readonly MotionZone[], count: number): string {
  const watch = motionWatch(zones);
  const random = new SeededRandom(1);
  const hits: number[] = [];
  let pixels = 0;
  for (let index = 0; index < count; index++) {
    const findings = watch.analyze(picture(make(index, random)), index * stepUs);
    if (findings.length > 0) hits.push(index);
    for (const { width, height } of findings) pixels += area({ width, height });
  }
  return `${runs(hits)}: ${pixels}`;
}

function area({ width, height }: Pick<PicturePart, "width" | "height">): number {
  return Math.round(width * SCENE_WIDTH) * Math.round(height * SCENE_HEIGHT);
}

/** 1, 2, 3, 7 as "1-3 7". */
function runs(numbers: readonly number[]): string {
  const texts: string[] = [];
  for (const [at, number] of numbers.entries()) {
    if (number === (numbers[at - 1] ?? -2) + 1) continue;
    let to = number;
    while (numbers.includes(to + 1)) to += 1;
    texts.push(to === number ? `${number}` : `${number}-${to}`);
  }
  return texts.join(" ");
}

const side = (name: string, from: number, to: number, more: Partial<MotionZone>): MotionZone => ({
  ...WHOLE_PICTURE,
  name,
  area: {
    kind: "grid",
    columns: 4,
    rows: 1,
    cells: [0, 1, 2, 3].map((at) => (at >= from && at < to ? 1 : 0)).join(""),
  },
  ...more,
});

interface Row {
  readonly make: Make;
  readonly stepUs?: number;
  readonly zones?: readonly MotionZone[];
  readonly count?: number;
  readonly is: string;
}

const ROWS: Record<string, Row> = {
  "a walker": { make: walking(calm, 3, WALKER), is: "23-69: 20896" },
  "a faint walker": { make: walking(calm, 2, { width: 8, height: 16, contrast: 26 }), is: "24-69: 8262" },
  "a runner": { make: walking(calm, 16, WALKER), is: "23-30: 3552" },
  "a walker that stops and becomes part of the scene": {
    make: (index, random) => walking(calm, 4, WALKER)(Math.min(index, 45), random),
    is: "23-45: 10272",
    count: 110,
  },
  "a walker seen every 0.7 s": { make: walking(calm, 8, WALKER), stepUs: 700_000, is: "22-41: 8640" },
  "a walker seen every 2 s": { make: walking(calm, 15, WALKER), stepUs: 2_000_000, is: "21-31: 4736" },
  "a walker after a gap of over a minute": {
    make: walking(calm, 3, WALKER),
    stepUs: 61_000_000,
    is: ": 0",
  },
  "a walker in the rain": { make: walking(raining(60), 3, WALKER), is: "23-69: 26508" },
  "a downpour": { make: raining(130), is: "23: 180" },
  "a walker in a downpour": { make: walking(raining(130), 3, WALKER), is: "23-69: 31517" },
  "a cloudburst": { make: raining(220), is: "8-10 22-23 30 33 37 42 48 51 58 63-68: 7343" },
  "two zones of unlike sensitivity": {
    make: walking(calm, 3, { width: 10, height: 24, contrast: 22 }),
    zones: [side("left", 0, 1, { sensitivity: 90 }), side("right", 2, 4, { sensitivity: 20 })],
    is: "23-36: 3926",
  },
  "a zone of large things": {
    make: walking(calm, 3, { ...WALKER, contrast: 60 }),
    zones: [side("all", 0, 4, { minSizePercent: 1.4 })],
    is: "25-69: 20160",
  },
  "the light dimmed to a third, and back": {
    make: (index, random) => noisy(lit(WALL, index >= 25 && index < 50 ? 0.3 : 1), 3, random),
    is: ": 0",
  },
  "the light stepped up while somebody walks": {
    make: (index, random) => lit(walking(calm, 3, WALKER)(index, random), 1, index >= 40 ? 14 : 0),
    is: "23-69: 20896",
  },
  "the lens covered for good": {
    make: (index, random) =>
      index < 20
        ? still(random)
        : noisy(
            Uint8Array.from(WALL, (_, at) => (at * 37) % 91),
            3,
            random,
          ),
    count: 90,
    is: "20-70: 979200",
  },
  "a lamp that blinks": {
    make: (index, random) =>
      withThing(still(random), { left: 70, top: 20, width: 8, height: 8, contrast: index % 4 < 2 ? 0 : 90 }),
    is: ": 0",
  },
};

it.each(Object.entries(ROWS))(
  "%s",
  (_name, { make, stepUs = 200_000, zones = [WHOLE_PICTURE], count = 70, is }) => {
    expect(found(make, stepUs, zones, count)).toBe(is);
  },
);

/** Of each series how much is found in it, and a fingerprint of every box. */
it("series of all kinds, with zones, sizes and times at random", async () => {
  const golden = new URL("../../support/golden/motion-series.txt", import.meta.url);
  const lines = Array.from({ length: 60 }, (_, index) => `${fingerprint(index + 1)}\n`);
  await expectGolden(golden, Buffer.from(lines.join("")));
});

function fingerprint(seed: number): string {
  const { zones, width, height, pictures } = motionSeries(seed, WALL);
  const watch = motionWatch(zones);
  const region = regionMotion(zones);
  const hash = createHash("sha256");
  let found = 0;
  let moved = 0;
  for (const { data, timeUs } of pictures) {
    const motions = watch.analyze({ width, height, data }, timeUs);
    found += motions.length;
    hash.update(JSON.stringify(motions.map((one) => [one.zone, one.left, one.top, one.width, one.height])));
    if (!region.take({ width, height, data })) continue;
    moved += 1;
    hash.update("moved");
  }
  const counts = `${zones.length} zones, ${width}x${height}: ${found} findings, ${moved} moved`;
  return `${seed}: ${counts}, ${hash.digest("hex").slice(0, 16)}`;
}
