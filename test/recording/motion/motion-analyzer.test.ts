import { beforeAll, describe, expect, it } from "vitest";
import type { ZoneMotion } from "../../../src/picture/index.js";
import { type MotionZone, WHOLE_PICTURE } from "../../../src/recording/index.js";
import { SeededRandom, testSeed } from "../../support/base/seeded-random.js";
import {
  emptyScene,
  lit,
  noisy,
  rained,
  SCENE_HEIGHT,
  SCENE_WIDTH,
  type Scene,
  streetScenes,
  withThing,
} from "../../support/recording/motion-scenes.js";
import { motionWatch } from "../../support/recording/motion-watch.js";

/** What is motion and what is not. Ground truth by construction: nothing moves but what a test moves. */

const STEP_US = 200_000;
/** Sixteen seconds. */
const PICTURES = 80;
const NOISE = 3;

let street: Scene[];
let empty: Scene;
let random: SeededRandom;

beforeAll(async () => {
  street = await streetScenes();
  empty = emptyScene(street);
  random = new SeededRandom(testSeed(7));
});

interface Played {
  /** Numbers of the pictures in which something was found. */
  readonly hits: readonly number[];
  readonly findings: readonly ZoneMotion[];
}

function play(scenes: readonly Scene[], zones = [WHOLE_PICTURE], stepUs = STEP_US): Played {
  const watch = motionWatch(zones);
  const hits: number[] = [];
  const findings: ZoneMotion[] = [];
  for (const [index, data] of scenes.entries()) {
    const found = watch.analyze({ width: SCENE_WIDTH, height: SCENE_HEIGHT, data }, index * stepUs);
    if (found.length > 0) hits.push(index);
    findings.push(...found);
  }
  return { hits, findings };
}

function pictures(make: (index: number) => Scene, count = PICTURES): Scene[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const still = (): Scene => noisy(empty, NOISE, random);

/** Walks from the left edge, `speed` pixels a picture, from picture 20 on. */
function walking(thing: { width: number; height: number; contrast: number; top?: number }, speed: number) {
  return pictures((index) => {
    if (index < 20) return still();
    return withThing(still(), { left: (index - 20) * speed - thing.width, top: 60, ...thing });
  });
}

describe("nothing moves", () => {
  it.each([0, 4, 12, 20])("in an empty scene with noise of %d levels", (deviation) => {
    expect(play(pictures(() => noisy(empty, deviation, random))).hits).toEqual([]);
  });

  it.each([
    { streaks: 10, length: 8, brightness: 60 },
    { streaks: 40, length: 10, brightness: 60 },
  ])("where rain falls: $streaks streaks of $length pixels", (rain) => {
    expect(play(pictures(() => rained(still(), rain, random))).hits).toEqual([]);
  });

  it("with flickering single pixels and specks", () => {
    const speck = () => ({
      left: random.below(SCENE_WIDTH),
      top: random.below(SCENE_HEIGHT),
      width: random.between(1, 2),
      height: 2,
      contrast: random.pick([-80, 80]),
    });
    const flickering = () => Array.from({ length: 60 }, speck).reduce(withThing, still());
    expect(play(pictures(flickering)).hits).toEqual([]);
  });

  it.each([
    ["switched", (index: number) => lit(still(), Math.floor(index / 25) % 2 === 1 ? 0.3 : 1)],
    [
      "switched off to darkness",
      (index: number) => lit(still(), Math.floor(index / 25) % 2 === 1 ? 0.03 : 1, 4),
    ],
    [
      "a little brighter at once",
      (index: number) => lit(still(), 1, Math.floor(index / 25) % 2 === 1 ? 20 : 0),
    ],
    [
      "brighter and darker slowly, as clouds pass",
      (index: number) => lit(still(), 1 + 0.2 * Math.sin(index / 20)),
    ],
    ["flickering by a tenth", (index: number) => lit(still(), 1 + 0.1 * Math.sin(index * 2.1))],
  ])("when the light is %s", (_name, scene) => {
    expect(play(pictures(scene)).hits).toEqual([]);
  });

  it("after an object was put down", () => {
    const box = { left: 40, top: 40, width: 20, height: 20, contrast: 90 };
    const { hits } = play(pictures((index) => (index < 30 ? still() : withThing(still(), box))));
    expect(hits.filter((index) => index > 32)).toEqual([]);
  });

  it("after the camera was turned, once the new view is known", () => {
    const turned = Uint8Array.from({ length: empty.length }, (_, at) => empty[empty.length - 1 - at] ?? 0);
    const { hits } = play(pictures((index) => noisy(index < 30 ? empty : turned, NOISE, random), 150));
    expect(hits.filter((index) => index < 30 || index > 30 + 55)).toEqual([]);
  });
});

describe("something moves", () => {
  it.each([
    ["a walker far away", { width: 4, height: 10, contrast: 40 }, 2],
    ["one of little contrast", { width: 6, height: 14, contrast: -25 }, 3],
    ["one that runs by nearby", { width: 10, height: 25, contrast: 40 }, 12],
  ])("%s: from its third picture in view to its last", (_name, thing, speed) => {
    const { hits } = play(walking(thing, speed));
    const inView = Math.ceil(SCENE_WIDTH / speed);
    expect(hits[0]).toBeGreaterThanOrEqual(21);
    expect(hits[0]).toBeLessThanOrEqual(26);
    expect(hits.length).toBeGreaterThanOrEqual(Math.min(inView, PICTURES - 20) * 0.75);
  });

  it("with a box around it", () => {
    const { findings } = play(walking({ width: 10, height: 25, contrast: 60 }, 4));
    for (const { left, top, width, height, strength } of findings) {
      expect(Math.abs(top * SCENE_HEIGHT - 60)).toBeLessThanOrEqual(2);
      expect(Math.abs(height * SCENE_HEIGHT - 25)).toBeLessThanOrEqual(4);
      expect(width * SCENE_WIDTH).toBeLessThanOrEqual(14);
      expect(left + width).toBeLessThanOrEqual(1);
      expect(Math.round(strength * SCENE_WIDTH * SCENE_HEIGHT)).toBeLessThanOrEqual(10 * 25);
    }
  });

  it("in the rain", () => {
    const rain = { streaks: 40, length: 10, brightness: 60 };
    const walker = { width: 12, height: 30, contrast: -50 };
    const { hits } = play(walking(walker, 2).map((scene) => rained(scene, rain, random)));
    expect(hits.filter((index) => index < 20)).toEqual([]);
    expect(hits.length).toBeGreaterThan(45);
  });

  it("in a downpour, where pieces follow each other by chance", () => {
    const rain = { streaks: 120, length: 10, brightness: 60 };
    const walker = { width: 12, height: 30, contrast: -50 };
    const { hits } = play(walking(walker, 2).map((scene) => rained(scene, rain, random)));
    expect(hits.filter((index) => index >= 40).length).toBeGreaterThan(30);
  });

  it("when the lens is covered", () => {
    const cloth = Uint8Array.from({ length: empty.length }, (_, at) => (at * 37) % 91);
    const { hits } = play(pictures((index) => noisy(index < 30 ? empty : cloth, NOISE, random), 40));
    expect(hits[0]).toBeLessThanOrEqual(31);
  });

  it("on the street: in nearly every picture, and not in the stills before and after", () => {
    const before = pictures(() => noisy(empty, NOISE, random), 30);
    const cut = street.filter((_, index) => index % 2 === 0).slice(10, 60);
    const { hits } = play([...before, ...cut, ...pictures(() => noisy(empty, NOISE, random), 30)]);
    expect(hits.filter((index) => index < 30 || index > 80)).toEqual([]);
    expect(hits.length).toBeGreaterThanOrEqual(44);
  });

  it("on the street seen in key frames alone, two seconds apart", () => {
    const keys = street.filter((_, index) => index % 20 === 0);
    expect(play(keys, [WHOLE_PICTURE], 2_000_000).hits).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });
});

describe("zones", () => {
  const side = (name: string, from: number, to: number, sensitivity = 50): MotionZone => ({
    name,
    sensitivity,
    minSizePercent: 0.2,
    area: {
      kind: "polygon",
      points: [
        { x: from, y: 0 },
        { x: to, y: 0 },
        { x: to, y: 1 },
        { x: from, y: 1 },
      ],
    },
  });

  it("are distinguished: each detects what moves in it, and none what moves outside", () => {
    const zones = [side("left", 0, 0.25), side("right", 0.75, 1)];
    const { findings, hits } = play(walking({ width: 8, height: 20, contrast: 60 }, 3), zones);
    const names = findings.map(({ zone }) => zones[zone]?.name);
    expect(new Set(names)).toEqual(new Set(["left", "right"]));
    expect(names.indexOf("right")).toBeGreaterThan(names.lastIndexOf("left"));
    // In the middle for about 25 pictures.
    expect(hits.filter((index) => index > 20 + 17 && index < 20 + 38)).toEqual([]);
  });

  it("of high sensitivity detect what those of low sensitivity do not", () => {
    const faint = walking({ width: 10, height: 25, contrast: 16 }, 3);
    expect(play(faint, [side("dull", 0, 1, 10)]).hits).toEqual([]);
    expect(play(faint, [side("keen", 0, 1, 90)]).hits.length).toBeGreaterThan(30);
  });

  it("ignore what is smaller than their smallest size", () => {
    const scenes = walking({ width: 6, height: 14, contrast: 60 }, 2);
    const zone = { ...side("large things", 0, 1), minSizePercent: 2 };
    expect(play(scenes, [zone]).hits).toEqual([]);
    expect(play(scenes, [{ ...zone, minSizePercent: 0.2 }]).hits.length).toBeGreaterThan(50);
  });
});
