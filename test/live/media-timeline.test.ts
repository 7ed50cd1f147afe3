import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecodeTimeline, StreamClock } from "../../src/live/index.js";
import { SeededRandom } from "../support/base/seeded-random.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const APART_US_MAX = 500_000;

/** What a camera stamps picture `index` with, in microseconds; `atUs`: when it is taken. */
type Stamps = (index: number, atUs: number) => number;

interface Scene {
  readonly seconds: number;
  readonly picturesPerSecond?: number;
  readonly stamps: Stamps;
  /** How late picture `index` arrives. */
  readonly lateUs?: (index: number) => number;
  /** Packets are read on ticks of this length. */
  readonly tickUs?: number;
  /** When picture `index` is taken. */
  readonly takenUs?: (index: number) => number;
}

interface Recorded {
  readonly timeUs: number;
  readonly shownUs: number;
  readonly arrivedUs: number;
  readonly discontinuity: boolean;
}

/** Records a scene with the clocks of a stream, as a track does. */
function record({ seconds, picturesPerSecond = 10, ...scene }: Scene): Recorded[] {
  const clock = new SimulatedClock();
  const track = new StreamClock(clock).openTrack("video");
  const decode = new DecodeTimeline();
  const startUs = clock.monotonicUs();
  const recorded: Recorded[] = [];
  const takenAt = scene.takenUs ?? ((index) => (index * SECOND_US) / picturesPerSecond);
  for (let index = 0; takenAt(index) < seconds * SECOND_US; index += 1) {
    const takenUs = takenAt(index);
    const cameUs = takenUs + (scene.lateUs?.(index) ?? 0);
    const tickUs = scene.tickUs ?? 1;
    const readUs = startUs + Math.ceil(cameUs / tickUs) * tickUs;
    if (readUs > clock.monotonicUs()) clock.advance(readUs - clock.monotonicUs());
    const presentationUs = track.media(scene.stamps(index, takenUs));
    const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index % picturesPerSecond === 0);
    const time = track.stamp(decodeUs, undefined, undefined, presentationUs);
    if (time === undefined) throw new Error("video is always stamped");
    const { timeUs, discontinuity } = time;
    recorded.push({
      timeUs,
      shownUs: timeUs + presentationOffsetUs,
      arrivedUs: clock.nowUs(),
      discontinuity,
    });
  }
  return recorded;
}

/** One fragment, in order, each picture near its arrival. */
function expectWhole(recorded: readonly Recorded[], apartUsMax = APART_US_MAX): void {
  expect(recorded.filter(({ discontinuity }) => discontinuity)).toHaveLength(1);
  recorded.forEach(({ timeUs, shownUs, arrivedUs }, index) => {
    if (Math.abs(shownUs - arrivedUs) > apartUsMax)
      expect.unreachable(`picture ${index} is ${(shownUs - arrivedUs) / 1000} ms from its arrival`);
    if (index > 0 && timeUs <= (recorded[index - 1]?.timeUs ?? 0))
      expect.unreachable(`picture ${index} goes back`);
  });
}

/** Greatest distance of two pictures in time. */
function widest(recorded: readonly Recorded[]): number {
  return Math.max(...recorded.slice(1).map(({ timeUs }, index) => timeUs - (recorded[index]?.timeUs ?? 0)));
}

const random = (seed: number) => {
  const source = new SeededRandom(seed);
  return (most: number) => source.below(most);
};
const WRAP_US = (2 ** 32 / 90_000) * SECOND_US;

const HABITS: readonly (readonly [string, Stamps])[] = [
  ["a sane clock", (_index, atUs) => atUs],
  ["one wild time each 2 s, forward", (index, atUs) => (index % 20 === 7 ? atUs + 3600 * SECOND_US : atUs)],
  ["one wild time each 2 s, back", (index, atUs) => (index % 20 === 7 ? atUs - 3600 * SECOND_US : atUs)],
  ["one time each 2 s a second ahead", (index, atUs) => (index % 20 === 7 ? atUs + SECOND_US : atUs)],
  ["one time each 2 s a second behind", (index, atUs) => (index % 20 === 7 ? atUs - SECOND_US : atUs)],
  ["two wild times in a row each 2 s", (index, atUs) => (index % 20 < 2 ? atUs + 3600 * SECOND_US : atUs)],
  ["a zero now and then", (index, atUs) => (index % 25 === 24 ? 0 : atUs + 100 * SECOND_US)],
  ["a step forward each 10 s", (index, atUs) => atUs + Math.floor(index / 100) * 7200 * SECOND_US],
  ["a step back each 10 s", (index, atUs) => atUs - Math.floor(index / 100) * 7 * SECOND_US],
  ["a step of 2 s each 10 s", (index, atUs) => atUs + Math.floor(index / 100) * 2 * SECOND_US],
  ["times that begin anew with each group of pictures", (_index, atUs) => atUs % SECOND_US],
  ["times that begin anew each 3 s", (_index, atUs) => atUs % (3 * SECOND_US)],
  ["stamped 25 a second, delivered 21", (_index, atUs) => (atUs * 21) / 25],
  ["stamped 25 a second, delivered 20", (_index, atUs) => (atUs * 20) / 25],
  ["stamped 20 a second, delivered 25", (_index, atUs) => (atUs * 25) / 20],
  ["one percent slow", (_index, atUs) => atUs * 0.99],
  ["one percent fast", (_index, atUs) => atUs * 1.01],
  ["five percent slow", (_index, atUs) => atUs * 0.95],
  ["five percent fast", (_index, atUs) => atUs * 1.05],
  ["half as fast", (_index, atUs) => atUs / 2],
  ["twice as fast", (_index, atUs) => atUs * 2],
  ["1000 Hz for 90000", (_index, atUs) => atUs / 90],
  ["8000 Hz for 90000", (_index, atUs) => (atUs * 8) / 90],
  ["90000 Hz for 8000", (_index, atUs) => (atUs * 90) / 8],
  ["microseconds for 90000 Hz", (_index, atUs) => (atUs * 1000) / 90],
  ["standing still", () => 0],
  ["standing still from 30 s on", (_index, atUs) => Math.min(atUs, 30 * SECOND_US)],
  ["standing still, moved once a second", (_index, atUs) => Math.floor(atUs / SECOND_US) * SECOND_US],
  ["backwards", (_index, atUs) => -atUs],
  ["at random", (index) => random(index + 1)(WRAP_US)],
  ["at random within 3 s", (index, atUs) => atUs + random(index + 1)(3 * SECOND_US)],
  ["two clocks in turn", (index, atUs) => (index % 2 === 0 ? atUs : atUs + 1000 * SECOND_US)],
  [
    "slow from 30 s on",
    (_index, atUs) => (atUs < 30 * SECOND_US ? atUs : 30 * SECOND_US + (atUs - 30 * SECOND_US) * 0.8),
  ],
  [
    "fast from 30 s on",
    (_index, atUs) => (atUs < 30 * SECOND_US ? atUs : 30 * SECOND_US + (atUs - 30 * SECOND_US) * 1.25),
  ],
];

describe.each([4, 10, 25])("pictures at %i a second, whose times are", (picturesPerSecond) => {
  it.each(HABITS)("%s, are recorded in one fragment, near their arrival", (_name, stamps) => {
    const recorded = record({ seconds: 120, picturesPerSecond, stamps });
    expectWhole(recorded);
    expect(widest(recorded)).toBeLessThan(600_000 + (2 * SECOND_US) / picturesPerSecond);
  });

  it.each(HABITS)("%s, are recorded likewise where they are read on ticks of 200 ms", (_name, stamps) => {
    expectWhole(record({ seconds: 120, picturesPerSecond, stamps, tickUs: 200_000 }), 600_000);
  });

  it.each(HABITS)("%s, are recorded likewise where they are read on ticks of 400 ms", (_name, stamps) => {
    expectWhole(record({ seconds: 120, picturesPerSecond, stamps, tickUs: 400_000 }), 1_200_000);
  });

  // Half a second, the burst, and what a clock that hardly runs is off by until two bursts have shown it.
  it.each(HABITS)("%s, are recorded likewise where they are sent in bursts of a second", (_name, stamps) => {
    expectWhole(record({ seconds: 120, picturesPerSecond, stamps, tickUs: SECOND_US }), 2_900_000);
  });
});

describe("a clock that is right for a while, and then wrong for a while", () => {
  const A_WHILE_US = [200_000, 500_000, SECOND_US, 1_500_000, 2 * SECOND_US, 3 * SECOND_US] as const;
  const drawn = fc.record({
    seed: fc.nat(100_000),
    whileUs: fc.constantFrom(...A_WHILE_US),
    wrongUsMax: fc.integer({ min: SECOND_US, max: 8 * SECOND_US }),
    picturesPerSecond: fc.constantFrom(5, 10, 25),
  });

  it("by an amount that is another each time, dates pictures near their arrival", () => {
    fc.assert(
      fc.property(drawn, ({ seed, whileUs, wrongUsMax, picturesPerSecond }) => {
        const source = new SeededRandom(seed);
        const wrongUs = Array.from({ length: 400 }, () =>
          source.below(2) === 0 ? 0 : source.below(2 * wrongUsMax) - wrongUsMax,
        );
        const stamps: Stamps = (_index, atUs) => atUs + (wrongUs[Math.floor(atUs / whileUs)] ?? 0);
        expectWhole(record({ seconds: 60, picturesPerSecond, stamps }), 800_000);
      }),
      { numRuns: 200 },
    );
  });

  it("by another rate each time, dates pictures near their arrival", () => {
    fc.assert(
      fc.property(drawn, ({ seed, whileUs, picturesPerSecond }) => {
        const source = new SeededRandom(seed);
        const fromUs = [0];
        for (const before of fromUs) {
          if (fromUs.length > 400) break;
          fromUs.push(before + whileUs * source.pick([1, 1, 0, 0.5, 2, 3, -1, 0.9, 1.1, 1.3]));
        }
        const stamps: Stamps = (_index, atUs) => {
          const at = Math.floor(atUs / whileUs);
          const [begin = 0, end = 0] = fromUs.slice(at, at + 2);
          return begin + (end - begin) * (atUs / whileUs - at);
        };
        expectWhole(record({ seconds: 60, picturesPerSecond, stamps }), 800_000);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a sane clock", () => {
  const sane: Stamps = (_index, atUs) => atUs + 77 * SECOND_US;

  /** Times as the camera has them, whatever the link does. */
  function expectExact(recorded: readonly Recorded[], scene: Scene, apartUsMax = 25_000): void {
    const firstUs = recorded[0]?.timeUs ?? 0;
    recorded.forEach(({ timeUs, discontinuity }, index) => {
      const takenUs = (index * SECOND_US) / (scene.picturesPerSecond ?? 10);
      expect(Math.abs(timeUs - firstUs - takenUs)).toBeLessThan(apartUsMax);
      expect(discontinuity).toBe(index === 0);
    });
  }

  it.each([
    ["a burst", 0],
    ["a burst that takes two seconds", 2],
  ])("is exact through a stall of the link of 5 s and %s after it", (_name, drainSeconds) => {
    const stallUs = 5 * SECOND_US;
    const lateUs = (index: number) => {
      const sinceUs = index * 40_000 - 20 * SECOND_US;
      const wholeUs = stallUs + drainSeconds * SECOND_US;
      return sinceUs < 0 || sinceUs > wholeUs ? 0 : stallUs * (1 - sinceUs / wholeUs);
    };
    const scene = { seconds: 60, picturesPerSecond: 25, stamps: sane, lateUs };
    expectExact(record(scene), scene);
  });

  it.each([1, 10, 25])("is exact with %i pictures a second and jitter of 300 ms", (picturesPerSecond) => {
    const lateUs = (index: number) => (index === 0 ? 0 : random(index)(300_000));
    const scene = { seconds: 120, picturesPerSecond, stamps: sane, lateUs };
    // The offset is drawn to the least lateness, by 500 ppm at most.
    expectExact(record(scene), scene, 70_000);
  });

  it("is not doubted for single pictures whose times are wrong by the same each time", () => {
    // Pauses of the camera are what only its clock knows of, when pictures are late.
    const takenUs = (index: number) => index * 100_000 + Math.floor(index / 7) * 250_000;
    const isWrong = (index: number) => index % 20 === 13;
    const stamps: Stamps = (index, atUs) => sane(index, atUs) + (isWrong(index) ? 30 * SECOND_US : 0);
    const lateUs = (index: number) => (index === 0 ? 0 : random(index)(200_000));
    const recorded = record({ seconds: 120, stamps, takenUs, lateUs });
    const firstUs = recorded[0]?.timeUs ?? 0;
    const apartUs = recorded.flatMap(({ timeUs }, index) =>
      isWrong(index) ? [] : [Math.abs(timeUs - firstUs - takenUs(index))],
    );
    expect(Math.max(...apartUs)).toBeLessThan(70_000);
  });

  it("is exact over pauses of the camera that its clock counts", () => {
    const takenUs = (index: number) => index * 100_000 + Math.floor(index / 50) * 9 * SECOND_US;
    const recorded = record({ seconds: 120, stamps: sane, takenUs });
    const firstUs = recorded[0]?.timeUs ?? 0;
    expect(recorded.map(({ timeUs }) => timeUs - firstUs)).toEqual(
      recorded.map((_, index) => takenUs(index)),
    );
  });

  it("is exact with one picture in 12 s", () => {
    const takenUs = (index: number) => index * 12 * SECOND_US;
    const recorded = record({ seconds: 240, stamps: sane, takenUs });
    const firstUs = recorded[0]?.timeUs ?? 0;
    expect(recorded.map(({ timeUs }) => timeUs - firstUs)).toEqual(
      recorded.map((_, index) => takenUs(index)),
    );
  });
});

describe("a clock that counts pictures instead of time", () => {
  const counted: Stamps = (index) => index * 40_000;

  it("is taken from arrival with one picture in 12 s", () => {
    expectWhole(record({ seconds: 240, stamps: counted, takenUs: (index) => index * 12 * SECOND_US }));
  });

  it("is taken from arrival when the camera takes fewer pictures by night", () => {
    const takenUs = (index: number) =>
      index < 500 ? index * 40_000 : 20 * SECOND_US + (index - 500) * 80_000;
    expectWhole(record({ seconds: 120, stamps: counted, takenUs }), 700_000);
  });

  it("comes back to the arrival within seconds after a pause", () => {
    const takenUs = (index: number) => index * 40_000 + (index < 500 ? 0 : 6 * SECOND_US);
    const recorded = record({ seconds: 60, picturesPerSecond: 25, stamps: counted, takenUs });
    expectWhole([...recorded.slice(0, 500), ...recorded.slice(550)]);
  });
});

describe("reordered pictures of a clock that is set", () => {
  /** Of four pictures, sent as they need each other: when each is shown, and how many of those taken it waits for. */
  const GROUP = [3, 1, 0, 2];
  const PERIOD_US = 100_000;

  it.each([-3600, 3600])("by %i s have their own distances again after a second", (stepSeconds) => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const decode = new DecodeTimeline(2);
    const apart: number[] = [];
    for (let index = 0; index < 400; index += 1) {
      clock.advance(PERIOD_US);
      const takenUs = (4 * Math.floor(index / 4) + (GROUP[index % 4] ?? 0)) * PERIOD_US;
      // A picture that waits for others is the first with the new time.
      const rawUs = takenUs + (index < 202 ? 0 : stepSeconds * SECOND_US);
      const presentationUs = track.media(rawUs, undefined, 2);
      const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index % 40 === 0);
      const time = track.stamp(decodeUs, undefined, undefined, presentationUs);
      if (time === undefined) throw new Error("video is always stamped");
      apart.push(time.timeUs + presentationOffsetUs - takenUs);
    }
    const before = apart[150] ?? 0;
    for (const us of apart.slice(212)) expect(Math.abs(us - before)).toBeLessThan(60_000);
  });

  it.each([98, 146, 97, 96])("forward amid them, at the %ith, are near their arrival", (stepPlace) => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const decode = new DecodeTimeline(2);
    for (let index = 0; index < 200; index += 1) {
      clock.advance(PERIOD_US);
      // Two that are shown before the one that is sent before them.
      const place = index === 0 ? 0 : index + ([-1, 2, -1][index % 3] ?? 0);
      const rawUs = place * PERIOD_US + (place < stepPlace ? 0 : 3600 * SECOND_US);
      const presentationUs = track.media(rawUs, undefined, 2);
      const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index % 40 === 0);
      const time = track.stamp(decodeUs, undefined, undefined, presentationUs);
      if (time === undefined) throw new Error("video is always stamped");
      const apartUs = time.timeUs + presentationOffsetUs - clock.nowUs();
      expect(Math.abs(apartUs), `picture ${index}`).toBeLessThan(SECOND_US);
    }
  });
});

describe("whatever the camera stamps", () => {
  const habit = fc.constantFrom(...HABITS.map(([, stamps]) => stamps));

  it.each(HABITS)(
    "by two habits at once, the first %s, its pictures are in one fragment, in order, near their arrival",
    (_name, first) => {
      for (const [, second] of HABITS)
        for (const picturesPerSecond of [5, 10, 15]) {
          const stamps: Stamps = (index, atUs) => second(index, first(index, atUs));
          expectWhole(record({ seconds: 60, picturesPerSecond, stamps }), 600_000);
        }
    },
  );

  it("by one habit after another, its pictures are in one fragment, in order, near their arrival", () => {
    fc.assert(
      fc.property(habit, habit, fc.integer({ min: 1, max: 40 }), (first, second, changeSeconds) => {
        const stamps: Stamps = (index, atUs) =>
          (Math.floor(atUs / SECOND_US / changeSeconds) % 2 === 0 ? first : second)(index, atUs);
        expectWhole(record({ seconds: 90, picturesPerSecond: 10, stamps }), 800_000);
      }),
      { numRuns: 60 },
    );
  });
});
