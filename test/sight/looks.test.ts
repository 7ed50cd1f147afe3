import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { US_PER_MS, US_PER_SECOND } from "../../src/base/index.js";
import { lookPeriodUs } from "../../src/sight/look/look-pace.js";
import { LOOKS_A_SECOND_MAX, LOOKS_UNDER_WAY_MAX, LookQueue } from "../../src/sight/look/look-queue.js";
import { lookRegions, PART_SIDE_MIN, PARTS_MAX, regionInTurn } from "../../src/sight/look/look-regions.js";
import { WHOLE_PICTURE } from "../../src/sight/thing/box.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

describe("the queue of looks", () => {
  let clock: SimulatedClock;
  let lookMs: number | undefined;
  let queue: LookQueue;
  beforeEach(() => {
    clock = new SimulatedClock();
    lookMs = 100;
    queue = new LookQueue({ clock, lookMs: () => lookMs });
  });

  /** Each camera asks with ten pictures a second; answers how many looks each got. */
  function run(seconds: number, periodsMs: Readonly<Record<string, number>>): Record<string, number> {
    const looks = Object.fromEntries(Object.keys(periodsMs).map((camera) => [camera, 0]));
    for (let step = 0; step < seconds * 10; step++) {
      clock.advance(US_PER_SECOND / 10);
      for (const [camera, periodMs] of Object.entries(periodsMs)) {
        const ticket = queue.ask(camera, periodMs * US_PER_MS);
        ticket?.done();
        if (ticket !== undefined) looks[camera] = (looks[camera] ?? 0) + 1;
      }
    }
    return looks;
  }

  it("gives one camera as many as it wants, where the machine does more", () => {
    lookMs = 10;
    expect(run(20, { one: 500 }).one).toBeGreaterThanOrEqual(39);
    expect(run(20, { one: 500 }).one).toBeLessThanOrEqual(41);
  });

  it("gives no more than the machine does within its share", () => {
    const { one = 0 } = run(20, { one: 100 });
    expect(one).toBeGreaterThan(90);
    expect(one).toBeLessThanOrEqual(103);
  });

  it("gives cameras that want the same the same", () => {
    const looks = Object.values(run(60, { a: 250, b: 250, c: 250, d: 250, e: 250, f: 250, g: 250, h: 250 }));
    expect(Math.max(...looks) - Math.min(...looks)).toBeLessThanOrEqual(2);
    expect(looks.reduce((sum, count) => sum + count)).toBeGreaterThan(270);
  });

  it("gives more to a camera that wants more, and something to each", () => {
    const { often = 0, seldom = 0 } = run(60, { often: 100, seldom: 1000, other: 100, third: 100 });
    expect(seldom).toBeGreaterThan(7);
    expect(often).toBeGreaterThan(3 * seldom);
  });

  it("gives cameras of which only key frames are decoded as many as the machine does", () => {
    lookMs = 250;
    const [cameras, keyMs] = [16, 4000];
    const looks = new Array<number>(cameras).fill(0);
    for (let step = 0; step < 1200; step++) {
      clock.advance(US_PER_SECOND / 10);
      for (let camera = 0; camera < cameras; camera++) {
        const isKey = (step * 100 + camera * 250) % keyMs < 100;
        const ticket = isKey ? queue.ask(`camera ${camera}`, US_PER_SECOND / 4) : undefined;
        ticket?.done();
        if (ticket !== undefined) looks[camera] = (looks[camera] ?? 0) + 1;
      }
    }
    // Four ask in a second, and two are done.
    expect(looks.reduce((sum, count) => sum + count)).toBeGreaterThan(0.9 * 2 * 120);
    expect(Math.min(...looks)).toBeGreaterThan(0.5 * Math.max(...looks));
    expect(queue.rates.wanted).toBe(64);
  });

  it("does not wait for a camera whose pictures stopped", () => {
    run(5, { gone: 100, one: 100 });
    const { one = 0 } = run(20, { one: 100 });
    expect(one).toBeGreaterThan(85);
  });

  it("gives none while too many are under way, and forgets those of which nothing became", () => {
    lookMs = 10;
    const ask = () => {
      clock.advance(US_PER_SECOND);
      return queue.ask("one", 1000);
    };
    for (let look = 0; look < LOOKS_UNDER_WAY_MAX; look++) expect(ask()).toBeDefined();
    expect(ask()).toBeUndefined();
    clock.advance(20 * US_PER_SECOND);
    expect(ask()).toBeDefined();
  });

  it("gives none without a detector", () => {
    lookMs = undefined;
    expect(run(5, { one: 100 }).one).toBeLessThanOrEqual(1);
    expect(queue.rates.possible).toBe(0);
  });

  it("says how many it gives, how many are wanted, and how late they are", () => {
    run(20, { a: 250, b: 250 });
    const { now, wanted, lateMs, possible } = queue.rates;
    expect(possible).toBe(5);
    expect(now).toBeCloseTo(5, 0);
    expect(wanted).toBe(8);
    expect(lateMs).toBeGreaterThan(50);
    queue.rest("a");
    queue.rest("b");
    expect(queue.rates).toMatchObject({ wanted: 0, lateMs: 0 });
  });

  it("does no more than a bound, however fast the detector is", () => {
    lookMs = 0.1;
    expect(queue.possible).toBe(LOOKS_A_SECOND_MAX);
  });
});

describe("how often a camera is looked at", () => {
  const still = {
    nowUs: 100 * US_PER_SECOND,
    movingSinceUs: undefined,
    isCurious: false,
    things: 0,
    seenUs: undefined,
  };

  it("is never, while nothing moves and nothing is there", () => {
    expect(lookPeriodUs(still)).toBeUndefined();
  });

  it("is more while something is new than while it moves, and less while it stays", () => {
    const fresh = lookPeriodUs({ ...still, movingSinceUs: 99 * US_PER_SECOND }) ?? 0;
    const moving = lookPeriodUs({ ...still, movingSinceUs: 0, things: 1 }) ?? 0;
    const staying = lookPeriodUs({ ...still, things: 1 }) ?? 0;
    expect([fresh, moving, staying]).toEqual([fresh, moving, staying].toSorted((one, other) => one - other));
    expect(fresh).toBeLessThan(moving);
    expect(moving).toBeLessThan(staying);
  });

  it("is less the longer nothing is found in what moves", () => {
    const early = lookPeriodUs({ ...still, nowUs: 10 * US_PER_SECOND, movingSinceUs: 0 }) ?? 0;
    const late = lookPeriodUs({ ...still, movingSinceUs: 0 }) ?? 0;
    expect(late).toBeGreaterThan(early);
  });
});

describe("where is looked", () => {
  const SIZE = { width: 1920, height: 1080 };

  it("is all of a small picture", () => {
    expect(
      lookRegions([{ left: 0.4, top: 0.4, width: 0.1, height: 0.1 }], { width: 320, height: 240 }),
    ).toEqual([WHOLE_PICTURE]);
  });

  it("is a part around what moves, and then all of it", () => {
    const [part, whole] = lookRegions([{ left: 0.5, top: 0.5, width: 0.01, height: 0.05 }], SIZE);
    expect(whole).toEqual(WHOLE_PICTURE);
    expect((part?.width ?? 0) * SIZE.width).toBeCloseTo(PART_SIDE_MIN);
    expect((part?.height ?? 0) * SIZE.height).toBeCloseTo(PART_SIDE_MIN);
  });

  it("is every second time all of the picture, and between that each part in turn", () => {
    const parts = [0.1, 0.5, 0.8].map((left) => ({ left, top: 0.2, width: 0.1, height: 0.2 }));
    const shown = Array.from({ length: 8 }, (_, turn) => regionInTurn([...parts, WHOLE_PICTURE], turn));
    expect(shown.filter((_, turn) => turn % 2 === 0)).toEqual(Array(4).fill(WHOLE_PICTURE));
    expect(shown.filter((_, turn) => turn % 2 === 1)).toEqual([...parts, parts[0]]);
  });

  it("is all of the picture each time where it has no parts", () => {
    expect([0, 1, 2].map((turn) => regionInTurn([WHOLE_PICTURE], turn))).toEqual(
      Array(3).fill(WHOLE_PICTURE),
    );
  });

  it("is all of a picture in which what moves is large", () => {
    expect(lookRegions([{ left: 0.4, top: 0.4, width: 0.1, height: 0.3 }], SIZE)).toEqual([WHOLE_PICTURE]);
  });

  it("is all of a picture that is full of motion", () => {
    expect(lookRegions([{ left: 0.05, top: 0.05, width: 0.9, height: 0.9 }], SIZE)).toEqual([WHOLE_PICTURE]);
  });

  it("is one part for things that are near each other", () => {
    const boxes = [0.5, 0.52, 0.54].map((left) => ({ left, top: 0.5, width: 0.01, height: 0.05 }));
    expect(lookRegions(boxes, SIZE)).toHaveLength(2);
  });

  it("is within the picture, in a bounded number of parts, whatever moves", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const box = fc.record({ left: share, top: share, width: share, height: share });
    fc.assert(
      fc.property(fc.array(box, { maxLength: 40 }), (boxes) => {
        const regions = lookRegions(boxes, SIZE);
        expect(regions.length).toBeLessThanOrEqual(PARTS_MAX + 1);
        for (const { left, top, width, height } of regions) {
          expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
          expect(left + width).toBeLessThanOrEqual(1 + 1e-9);
          expect(top + height).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});
