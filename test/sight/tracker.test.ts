import { beforeEach, describe, expect, it } from "vitest";
import { US_PER_SECOND } from "../../src/base/index.js";
import type { DetectedBox } from "../../src/sight/detector/look-wire.js";
import { type Box, WHOLE_PICTURE } from "../../src/sight/thing/box.js";
import type { DetectedLabel } from "../../src/sight/thing/labels.js";
import { TRACKS_MAX, Tracker } from "../../src/sight/track/tracker.js";

const SECOND = US_PER_SECOND;
const SCORE_MIN = 0.5;

class Scene {
  readonly tracker: Tracker;
  begun = 0;
  ended = 0;

  constructor(restUsMin = 0) {
    const scoreMin = (label: DetectedLabel) => (label === "cat" ? undefined : SCORE_MIN);
    this.tracker = new Tracker({ scoreMin, restUsMin: () => restUsMin });
  }

  look(
    timeUs: number,
    found: readonly DetectedBox[],
    { region = WHOLE_PICTURE, moving = [] }: Partial<{ region: Box; moving: readonly Box[] }> = {},
  ) {
    const changes = this.tracker.take({ timeUs, region, found, moving });
    this.begun += changes.begun.length;
    this.ended += changes.ended.length;
    return changes;
  }
}

function thing(
  left: number,
  {
    label = "person",
    score = 0.8,
    top = 0.4,
  }: Partial<{ label: DetectedLabel; score: number; top: number }> = {},
): DetectedBox {
  const size = label === "person" ? { width: 0.05, height: 0.2 } : { width: 0.2, height: 0.15 };
  return { label, score, left, top, ...size };
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

describe("a person who crosses", () => {
  it("is one thing from its second look to its last, at three looks a second", () => {
    for (let step = 0; step <= 30; step++) scene.look((step * SECOND) / 3, [thing(step * 0.03)]);
    expect(scene.begun).toBe(1);
    expect(scene.tracker.sure[0]?.seenUs).toBe(10 * SECOND);
    for (let step = 31; step < 45; step++) scene.look((step * SECOND) / 3, []);
    expect([scene.begun, scene.ended]).toEqual([1, 1]);
  });

  it("is one thing at one look a second, when no two boxes overlap", () => {
    for (let step = 0; step <= 10; step++) scene.look(step * SECOND, [thing(step * 0.08)]);
    expect([scene.begun, scene.ended]).toEqual([1, 0]);
  });

  it("stays one thing when some looks miss it, and when it is unsure for a while", () => {
    const scores = [0.8, 0.8, 0.3, 0.25, undefined, 0.7, undefined, 0.3, 0.8];
    for (const [step, score] of scores.entries())
      scene.look((step * SECOND) / 2, score === undefined ? [] : [thing(step * 0.04, { score })]);
    expect([scene.begun, scene.ended]).toEqual([1, 0]);
  });

  it("is told of once a look is certain enough, from the first that was nearly so", () => {
    const scores = [0.38, 0.4, 0.42, 0.55];
    for (const [step, score] of scores.entries())
      scene.look((step * SECOND) / 3, [thing(step * 0.03, { score })]);
    expect(scene.begun).toBe(1);
    expect(scene.tracker.sure[0]?.firstUs).toBe(0);
  });

  it("has left when something unsure is found where it was not expected", () => {
    for (let step = 0; step < 4; step++) scene.look((step * SECOND) / 2, [thing(0.3 - step * 0.1)]);
    for (let step = 4; step < 12; step++) scene.look((step * SECOND) / 2, [thing(0.3, { score: 0.3 })]);
    expect([scene.begun, scene.ended]).toEqual([1, 1]);
  });

  it("meets another one, and both stay who they are", () => {
    scene.look(0, [thing(0.1), thing(0.9)]);
    const { begun } = scene.look(SECOND / 3, [thing(0.13), thing(0.87)]);
    const one = begun.find(({ box }) => box.left < 0.5);
    for (let step = 2; step <= 24; step++)
      scene.look((step * SECOND) / 3, [thing(0.1 + step * 0.03), thing(0.9 - step * 0.03)]);
    expect([scene.begun, scene.ended]).toEqual([2, 0]);
    expect(one?.box.left).toBeGreaterThan(0.7);
  });
});

describe("what is not reported", () => {
  it("was seen once", () => {
    scene.look(0, [thing(0.2)]);
    for (let step = 1; step < 20; step++) scene.look((step * SECOND) / 3, []);
    expect(scene.begun).toBe(0);
  });

  it("is not certain enough", () => {
    for (let step = 0; step < 20; step++)
      scene.look((step * SECOND) / 3, [thing(step * 0.03, { score: 0.45 })]);
    expect(scene.begun).toBe(0);
  });

  it("is not wanted", () => {
    for (let step = 0; step < 20; step++)
      scene.look((step * SECOND) / 3, [thing(step * 0.03, { label: "cat" })]);
    expect(scene.begun).toBe(0);
  });

  it("stood there before anybody looked, and stays", () => {
    for (let step = 0; step < 600; step++)
      scene.look(step * SECOND, [thing(0.3 + 0.002 * (step % 3), { label: "car" })]);
    expect(scene.begun).toBe(0);
    expect(scene.tracker.scenery).toBe(1);
  });

  it("are parked cars side by side, of which each look shows another one, while somebody walks by", () => {
    for (let step = 0; step < 60; step++) {
      const moving = [{ left: 0.1, top: 0.8, width: 0.05, height: 0.2 }];
      scene.look((step * SECOND) / 3, [thing(step % 2 === 0 ? 0.3 : 0.51, { label: "car" })], { moving });
    }
    expect(scene.begun).toBe(0);
  });

  it("is cut by the edge of a part that was looked at", () => {
    const region = { left: 0.2, top: 0, width: 0.5, height: 1 };
    for (let step = 0; step < 5; step++)
      scene.look((step * SECOND) / 3, [thing(0.2)], { region, moving: [region] });
    expect(scene.begun).toBe(0);
  });

  it("is beyond the number that is followed", () => {
    const many = Array.from({ length: TRACKS_MAX + 12 }, (_, at) =>
      thing((at % 10) * 0.09, { top: Math.floor(at / 10) * 0.11 }),
    );
    for (let step = 0; step < 3; step++) scene.look((step * SECOND) / 3, many, { moving: [WHOLE_PICTURE] });
    expect(scene.tracker.sure.length).toBeLessThanOrEqual(TRACKS_MAX);
  });
});

describe("what never moved", () => {
  const sign = (score: number) => thing(0.5, { score });
  const elsewhere = { moving: [{ left: 0, top: 0, width: 0.05, height: 0.05 }] };

  it("does not hold somebody who passes it", () => {
    for (let step = 0; step < 30; step++) scene.look((step * SECOND) / 3, [sign(0.45)], elsewhere);
    const way: number[] = [];
    for (let step = 0; step < 90; step++) {
      const left = 0.1 + step * 0.03;
      const walker = left < 0.9 ? [{ ...thing(left), top: 0.42 }] : [];
      const moving = walker.length > 0 ? walker : elsewhere.moving;
      const isHidden = left > 0.42 && left < 0.58;
      const { seen } = scene.look(
        10 * SECOND + (step * SECOND) / 3,
        [...(isHidden ? [] : walker), sign(0.45)],
        {
          moving,
        },
      );
      for (const { box } of seen) way.push(box.left);
    }
    expect([scene.begun, scene.ended]).toEqual([1, 1]);
    expect(way.at(-1)).toBeGreaterThan(0.8);
  });

  it("is not reported because somebody walks in front of it", () => {
    for (let step = 0; step < 30; step++) scene.look((step * SECOND) / 3, [sign(0.55)], elsewhere);
    for (let step = 0; step < 3; step++)
      scene.look((10 + step / 3) * SECOND, [sign(0.55)], { moving: [{ ...sign(0.55), width: 0.1 }] });
    expect(scene.begun).toBe(0);
  });

  it("is somebody once it walks away", () => {
    for (let step = 0; step < 30; step++) scene.look((step * SECOND) / 3, [thing(0.5)], elsewhere);
    for (let step = 0; step < 9; step++) {
      const walker = thing(0.5 + step * 0.03);
      scene.look((10 + step / 3) * SECOND, [walker], { moving: [walker] });
    }
    expect(scene.begun).toBe(1);
  });

  it("ends somebody whom it was taken for", () => {
    for (let step = 0; step < 6; step++) {
      const walker = thing(0.32 + step * 0.03);
      scene.look((step * SECOND) / 3, [walker], { moving: [walker] });
    }
    for (let step = 6; step < 120; step++) scene.look((step * SECOND) / 3, [sign(0.45)], elsewhere);
    expect([scene.begun, scene.ended]).toEqual([1, 1]);
  });
});

it("somebody who stands still for long, of whom now and then a look is sure, stays", () => {
  for (let step = 0; step < 6; step++) {
    const walker = thing(0.32 + step * 0.03);
    scene.look((step * SECOND) / 3, [walker], { moving: [walker] });
  }
  for (let step = 6; step < 300; step++)
    scene.look((step * SECOND) / 3, [thing(0.47, { score: step % 3 === 0 ? 0.6 : 0.4 })]);
  expect([scene.begun, scene.ended]).toEqual([1, 0]);
});

it("what is found without certainty after a look that showed nothing is on the way once a look is certain again", () => {
  const way: number[] = [];
  const scores = [0.8, 0.8, undefined, 0.3, 0.3, 0.8, undefined, 0.3, 0.3];
  for (const [step, score] of scores.entries()) {
    const box = thing(step * 0.03, { score: score ?? 0 });
    const { seen } = scene.look((step * SECOND) / 3, score === undefined ? [] : [box], { moving: [box] });
    if (seen.length > 0) way.push(step);
  }
  expect(way).toEqual([1, 5]);
});

describe("a car", () => {
  const drive = (from: number, to: number, startUs: number): number => {
    const steps = 12;
    for (let step = 0; step <= steps; step++)
      scene.look(startUs + (step * SECOND) / 3, [
        thing(from + ((to - from) * step) / steps, { label: "car" }),
      ]);
    return startUs + (steps * SECOND) / 3;
  };

  it("that comes and parks is reported once, and is silent all day", () => {
    let nowUs = drive(0, 0.4, 0);
    for (let minute = 0; minute < 600; minute++) {
      nowUs += 60 * SECOND;
      scene.look(nowUs - SECOND, [thing(0.4, { label: "car" })]);
      scene.look(nowUs, [thing(0.4, { label: "car" })], { moving: [thing(0.4, { label: "car" })] });
    }
    expect([scene.begun, scene.ended]).toEqual([1, 1]);
  });

  it("is not parked while it has to be known how long it stays", () => {
    scene = new Scene(300 * SECOND);
    let nowUs = drive(0, 0.4, 0);
    for (const endUs = nowUs + 290 * SECOND; nowUs < endUs; nowUs += 5 * SECOND)
      scene.look(nowUs, [thing(0.4, { label: "car" })]);
    expect([scene.begun, scene.ended]).toEqual([1, 0]);
    for (let step = 0; step < 6; step++)
      scene.look(nowUs + step * 5 * SECOND, [thing(0.4, { label: "car" })]);
    expect([scene.begun, scene.ended, scene.tracker.parked]).toEqual([1, 1, 1]);
  });

  it("that drives off after that is reported again", () => {
    const nowUs = drive(0, 0.4, 0) + 120 * SECOND;
    for (let step = 0; step < 5; step++) scene.look(nowUs + step * SECOND, [thing(0.4, { label: "car" })]);
    drive(0.4, 0.8, nowUs + 10 * SECOND);
    expect(scene.begun).toBe(2);
  });

  it("has left its place once looks there do not show it", () => {
    let nowUs = drive(0, 0.4, 0);
    for (let step = 0; step < 14; step++) {
      nowUs += 5 * SECOND;
      scene.look(nowUs, [thing(0.4, { label: "car" })]);
    }
    expect(scene.tracker.parked).toBe(1);
    for (let step = 0; step < 8; step++) {
      nowUs += 5 * SECOND;
      scene.look(nowUs, []);
    }
    expect(scene.tracker.parked).toBe(0);
  });

  it("is remembered while a truck hides it", () => {
    let nowUs = drive(0, 0.4, 0);
    for (let step = 0; step < 14; step++) {
      nowUs += 5 * SECOND;
      scene.look(nowUs, [thing(0.4, { label: "car" })]);
    }
    const truck = { label: "truck", score: 0.9, left: 0.3, top: 0.3, width: 0.5, height: 0.4 } as const;
    for (let step = 0; step < 10; step++) {
      nowUs += 3 * SECOND;
      scene.look(nowUs, [truck], { moving: [truck] });
    }
    expect(scene.tracker.parked).toBe(1);
  });
});

describe("what stands still", () => {
  it("is reported where something moves on it", () => {
    const waving = { left: 0.3, top: 0.4, width: 0.06, height: 0.12 };
    scene.look(0, [thing(0.3)]);
    scene.look(SECOND / 3, [thing(0.3)], { moving: [waving] });
    expect(scene.begun).toBe(1);
  });

  it("has not gone while nobody looks at its place", () => {
    scene.look(0, [thing(0.1)]);
    scene.look(SECOND / 3, [thing(0.14)]);
    const elsewhere = { left: 0.5, top: 0, width: 0.5, height: 1 };
    for (let step = 1; step < 30; step++) scene.look(step * SECOND, [], { region: elsewhere });
    expect([scene.begun, scene.ended]).toEqual([1, 0]);
  });
});

it("a part of a thing that was found whole is no thing of its own", () => {
  const body = thing(0.3);
  const head = { ...body, width: 0.03, height: 0.07, left: 0.31, score: 0.6 };
  for (let step = 0; step < 6; step++)
    scene.look((step * SECOND) / 3, [body, head], { moving: [WHOLE_PICTURE] });
  expect(scene.begun).toBe(1);
});

describe("a clock that is set back", () => {
  const HOUR = 3600 * SECOND;

  it("ends what was there, and what is there is reported anew", () => {
    for (let step = 0; step < 4; step++) scene.look(HOUR + (step * SECOND) / 3, [thing(step * 0.03)]);
    for (let step = 4; step < 8; step++) scene.look((step * SECOND) / 3, [thing(step * 0.03)]);
    expect([scene.begun, scene.ended]).toEqual([2, 1]);
    expect(scene.tracker.sure[0]?.seenUs).toBe((7 * SECOND) / 3);
  });

  it("ends what nobody looks at any more", () => {
    for (let step = 0; step < 4; step++) scene.look(HOUR + (step * SECOND) / 3, [thing(step * 0.03)]);
    expect(scene.tracker.expire(SECOND)).toHaveLength(1);
    expect(scene.tracker.isCurious(SECOND)).toBe(false);
  });
});

it("pictures that come a moment late end nothing", () => {
  for (const [step, timeUs] of [0, 2, 1, 3, 4].entries())
    scene.look((timeUs * SECOND) / 3, [thing(step * 0.03)]);
  expect([scene.begun, scene.ended]).toEqual([1, 0]);
});

it("all end when nobody looks any more", () => {
  scene.look(0, [thing(0.1)]);
  scene.look(SECOND / 3, [thing(0.14)]);
  expect(scene.tracker.stop()).toHaveLength(1);
  expect(scene.tracker.sure).toEqual([]);
});
