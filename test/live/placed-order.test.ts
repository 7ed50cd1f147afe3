import { describe, expect, it } from "vitest";
import { DecodeTimeline, StreamClock } from "../../src/live/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const PERIOD_US = 40_000;
const PICTURES = 2000;
const APART_US_MAX = 500_000;

/** Two B-frames between any two others: the place in the order of showing. */
const placeOf = (index: number) => (index === 0 ? 0 : index % 3 === 1 ? index + 2 : index - 1);

describe.each([
  ["at 0.8 of the rate", 0.8],
  ["at 1.25 of the rate", 1.25],
  ["in 8000 Hz for 90000", 8 / 90],
  ["in microseconds for 90000 Hz", 1000 / 90],
])("a clock that runs %s", (_name, rate) => {
  const clock = new SimulatedClock();
  const track = new StreamClock(clock).openTrack("video");
  const decode = new DecodeTimeline(1);
  const recorded = Array.from({ length: PICTURES }, (_, index) => {
    if (index > 0) clock.advance(PERIOD_US);
    const presentationUs = track.media(placeOf(index) * PERIOD_US * rate, undefined, 1);
    const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index === 0);
    const time = track.stamp(decodeUs, undefined, undefined, presentationUs);
    const timeUs = time?.timeUs ?? Number.NaN;
    return { place: placeOf(index), shownUs: timeUs + presentationOffsetUs, arrivedUs: clock.nowUs() };
  });
  // When it is settled that the clock is wrong.
  const settled = recorded.slice(PICTURES / 2);

  it("has its pictures in the order of showing, each near its arrival", () => {
    const shown = [...settled].sort((a, b) => a.shownUs - b.shownUs).map(({ place }) => place);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    for (const { shownUs, arrivedUs } of settled)
      expect(Math.abs(shownUs - arrivedUs)).toBeLessThan(APART_US_MAX);
  });

  it("has its pictures at even distances", () => {
    const shown = settled.map(({ shownUs }) => shownUs).sort((a, b) => a - b);
    // The ends may miss neighbours.
    for (let at = 4; at < shown.length - 4; at += 1)
      expect(Math.abs((shown[at] ?? 0) - (shown[at - 1] ?? 0) - PERIOD_US)).toBeLessThan(PERIOD_US / 2);
  });
});

/** The order that such times say is deeper than the stream is. */
describe.each([
  ["stands still", 0],
  ["counts milliseconds", 1 / 90],
])("a clock that %s, to which it adds how much later pictures are shown", (_name, rate) => {
  it("has each picture near its arrival", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const decode = new DecodeTimeline(1);
    for (let index = 0; index < PICTURES; index += 1) {
      if (index > 0) clock.advance(PERIOD_US);
      const laterUs = (placeOf(index) - index) * PERIOD_US;
      const presentationUs = track.media(index * PERIOD_US * rate + laterUs, undefined, 1);
      const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index === 0);
      const { timeUs = Number.NaN } = track.stamp(decodeUs, undefined, undefined, presentationUs) ?? {};
      const apartUs = timeUs + presentationOffsetUs - clock.nowUs();
      if (!(Math.abs(apartUs) < APART_US_MAX))
        expect.unreachable(`picture ${index} is ${apartUs / 1000} ms off`);
    }
  });
});

/** An encoder sends a picture when it is taken, and then those that waited for it. */
describe.each([1, 2, 4, 10, 25])(
  "a sane clock with %i pictures a second, some of which wait for others",
  (rate) => {
    const HOUR_US = 3_600_000_000;
    const SENDING_US = 5000;
    /** Of the first picture, which is decoded when it comes. */
    const OFF_US_MAX = 400_000;
    const SLEW_PART = 0.001;
    const periodUs = 1_000_000 / rate;
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const decode = new DecodeTimeline(1);
    const startUs = clock.nowUs();
    const recorded = Array.from({ length: HOUR_US / periodUs }, (_, index) => {
      const takenUs = Math.ceil(index / 3) * 3 * periodUs;
      const sentUs = takenUs + ((index + 2) % 3) * SENDING_US;
      if (index > 0) clock.advance(startUs + sentUs - clock.nowUs());
      const presentationUs = track.media(placeOf(index) * periodUs, undefined, 1);
      const { decodeUs, presentationOffsetUs } = decode.next(presentationUs, index === 0);
      const { timeUs = Number.NaN } = track.stamp(decodeUs, undefined, undefined, presentationUs) ?? {};
      return { place: placeOf(index), shownUs: timeUs + presentationOffsetUs - startUs };
    });
    const shown = [...recorded].sort((one, other) => one.place - other.place);

    it("has its pictures at the camera's distances", () => {
      const slewUs = SLEW_PART * 3 * periodUs + 2;
      shown.slice(1).forEach(({ place, shownUs }, at) => {
        const before = shown[at] ?? { place: 0, shownUs: 0 };
        const apartUs = shownUs - before.shownUs - (place - before.place) * periodUs;
        if (Math.abs(apartUs) > slewUs) expect.unreachable(`picture ${place} is ${apartUs / 1000} ms off`);
      });
    });

    it("has its pictures at their times for an hour", () => {
      const offUs = Math.max(...shown.map(({ place, shownUs }) => Math.abs(shownUs - place * periodUs)));
      expect(offUs).toBeLessThan(OFF_US_MAX);
    });
  },
);
