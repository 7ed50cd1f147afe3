import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecodeTimeline, StreamClock } from "../../src/live/index.js";
import { SeededRandom } from "../support/base/seeded-random.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const PICTURE_SECONDS = 60;
/** The first second of a session is read at once. */
const PROMPT_US = SECOND_US;

/** How a starved recorder comes to read. */
interface Starvation {
  readonly seed: number;
  /** Greatest time between two reads. */
  readonly gapUsMax: number;
  /** In percent: how often a read waits for so long, and how often it is interrupted on its way. */
  readonly waits: number;
  readonly interruptions: number;
}

/** Pictures in the order in which they are sent: their places in the order of showing. */
type Order = (index: number) => number;

const ORDERS: Readonly<
  Record<string, { readonly depth: number; readonly place: Order; readonly rates: readonly number[] }>
> = {
  "no B-frames": { depth: 0, place: (index) => index, rates: [4, 10, 25, 50] },
  "two B-frames": {
    depth: 1,
    place: (index) => (index === 0 ? 0 : index % 3 === 1 ? index + 2 : index - 1),
    rates: [10, 25, 50],
  },
  "a pyramid of B-frames": {
    depth: 2,
    place: (index) => (index === 0 ? 0 : index + ([-1, 3, 0, -2][index % 4] ?? 0)),
    rates: [10, 25, 50],
  },
};

interface Recorded {
  readonly place: number;
  readonly shownUs: number;
  readonly decodeUs: number;
  readonly discontinuity: boolean;
}

/** When each picture, taken at even distances, is read. */
function readTimes(pictures: number, periodUs: number, starvation: Starvation): number[] {
  const source = new SeededRandom(starvation.seed);
  const times: number[] = [];
  let nowUs = 0;
  // Once in a while: a recorder that is always slower than the camera never catches up.
  let isInterrupted = false;
  while (times.length < pictures) {
    const takenUs = times.length * periodUs;
    if (takenUs <= PROMPT_US) nowUs = takenUs;
    else if (takenUs > nowUs) {
      isInterrupted = false;
      const isStarved = source.below(100) < starvation.waits;
      nowUs = takenUs + (isStarved ? source.below(starvation.gapUsMax) : source.below(20_000));
    } else if (!isInterrupted && source.below(100) < starvation.interruptions) {
      isInterrupted = true;
      nowUs += source.below(starvation.gapUsMax / 4);
    } else nowUs += source.below(1000);
    times.push(nowUs);
  }
  return times;
}

function record(order: string, picturesPerSecond: number, starvation: Starvation): Recorded[] {
  const { depth, place } = ORDERS[order] ?? expect.unreachable(order);
  const clock = new SimulatedClock();
  const track = new StreamClock(clock).openTrack("video");
  const decode = new DecodeTimeline(depth);
  const periodUs = SECOND_US / picturesPerSecond;
  const startUs = clock.monotonicUs();
  return readTimes(PICTURE_SECONDS * picturesPerSecond, periodUs, starvation).map((readUs, index) => {
    clock.advance(startUs + readUs - clock.monotonicUs());
    const presentationUs = track.media(place(index) * periodUs, undefined, depth);
    const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index === 0);
    const time = track.stamp(decodeUs, undefined, undefined, presentationUs);
    if (time === undefined) throw new Error("video is always stamped");
    return {
      place: place(index),
      shownUs: time.timeUs + presentationOffsetUs,
      decodeUs: time.timeUs,
      discontinuity: time.discontinuity,
    };
  });
}

/** Each picture is shown in its place, a period after the one before it but for what the stream is slewed by. */
function expectExact(recorded: readonly Recorded[], periodUs: number): void {
  expect(recorded.filter(({ discontinuity }) => discontinuity)).toHaveLength(1);
  const shown = [...recorded].sort((a, b) => a.place - b.place);
  shown.forEach(({ place, shownUs }, at) => {
    const before = shown[at - 1];
    if (before === undefined || place !== before.place + 1) return;
    const apartUs = shownUs - before.shownUs - periodUs;
    // Slewed by 500 ppm of the time since the picture before, or settled by 3 %.
    const slewUs = 6000 + 0.04 * periodUs;
    if (Math.abs(apartUs) > slewUs)
      expect.unreachable(`picture ${place} is ${apartUs / 1000} ms from where the encoder has it`);
  });
  const decoded = recorded.map(({ decodeUs }) => decodeUs);
  expect(decoded).toEqual([...decoded].sort((a, b) => a - b));
}

describe.each(Object.keys(ORDERS))("a sane camera with %s on a starved recorder", (order) => {
  const rates = ORDERS[order]?.rates ?? [];

  it("keeps its times and its order, however late and unevenly its pictures are read", () => {
    const starvation = fc.record({
      seed: fc.nat(),
      gapUsMax: fc.constantFrom(100_000, 400_000, 1_000_000, 3_000_000),
      waits: fc.constantFrom(2, 10, 50, 100),
      interruptions: fc.constantFrom(0, 1, 10),
    });
    fc.assert(
      fc.property(starvation, fc.constantFrom(...rates), (drawn, picturesPerSecond) => {
        expectExact(record(order, picturesPerSecond, drawn), SECOND_US / picturesPerSecond);
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });
});
