import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  SLEW_PPM_MAX,
  STEP_BACK_US_MAX,
  StreamClock,
  type StreamTime,
  type TrackClock,
} from "../../src/live/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const FRAME_US = 40_000;
const SECOND_US = 1_000_000;

interface PlayOptions {
  readonly frames: number;
  /** Media time from one frame to the next; the clock's own by default. */
  readonly mediaStepUs?: number;
  readonly firstMediaUs?: number;
  /** Frames arrive only on ticks of this length. */
  readonly tickUs?: number;
  /** Further lateness of frame `index`. */
  readonly jitterUs?: (index: number) => number;
}

/** Plays frames that are due each FRAME_US; returns each frame's stamp and the clock at that moment. */
function play(
  clock: SimulatedClock,
  track: TrackClock,
  options: PlayOptions,
): { time: StreamTime; wallUs: number }[] {
  const { frames, mediaStepUs = FRAME_US, firstMediaUs = 0, tickUs = 1 } = options;
  const startUs = clock.monotonicUs();
  const stamped: { time: StreamTime; wallUs: number }[] = [];
  for (let index = 0; index < frames; index += 1) {
    const dueUs = index * FRAME_US + (options.jitterUs?.(index) ?? 0);
    const arrivalUs = startUs + Math.ceil(dueUs / tickUs) * tickUs;
    if (arrivalUs > clock.monotonicUs()) clock.advance(arrivalUs - clock.monotonicUs());
    const time = track.stamp(track.media(firstMediaUs + index * mediaStepUs));
    if (time !== undefined) stamped.push({ time: { ...time }, wallUs: clock.nowUs() });
  }
  return stamped;
}

const discontinuities = (stamped: { time: StreamTime }[]) =>
  stamped.filter(({ time }) => time.discontinuity).length;
const last = <T>(items: T[]): T => items[items.length - 1] as T;

function expectRising(stamped: { time: StreamTime }[]): void {
  stamped.forEach(({ time }, index) => {
    expect(Number.isInteger(time.timeUs)).toBe(true);
    if (index > 0) expect(time.timeUs).toBeGreaterThan(stamped[index - 1]?.time.timeUs ?? 0);
  });
}

describe("stream time", () => {
  it("takes the wall clock with the first frame, then follows media time", () => {
    const clock = new SimulatedClock();
    const stamped = play(clock, new StreamClock(clock).openTrack("video"), {
      frames: 100,
      firstMediaUs: 987_654,
    });
    expect(stamped[0]?.time).toEqual({ timeUs: stamped[0]?.wallUs, discontinuity: true });
    expect(last(stamped).time.timeUs - (stamped[0]?.time.timeUs ?? 0)).toBe(99 * FRAME_US);
    expect(discontinuities(stamped)).toBe(1);
  });

  it("is not moved by arrival in ticks of 200 ms", () => {
    const clock = new SimulatedClock();
    const stamped = play(clock, new StreamClock(clock).openTrack("video"), { frames: 5000, tickUs: 200_000 });
    const firstUs = stamped[0]?.time.timeUs ?? 0;
    const errors = stamped.map(({ time }, index) => Math.abs(time.timeUs - firstUs - index * FRAME_US));
    expect(Math.max(...errors)).toBeLessThan(2000);
    expect(discontinuities(stamped)).toBe(1);
  });

  it.each([1, 37_000, 120_000, 199_999])(
    "is within a tick of true arrival although the first frame was read %i µs late, and is soon ahead of no frame",
    (lateUs) => {
      const tickUs = 200_000;
      const clock = new SimulatedClock();
      const startUs = clock.nowUs();
      clock.advance(tickUs - lateUs);
      const firstUs = clock.nowUs();
      const track = new StreamClock(clock).openTrack("video");
      const times: number[] = [];
      const aheadUs: number[] = [];
      for (let index = 0; index < 2000; index += 1) {
        const arrivedUs = firstUs + index * FRAME_US;
        const readUs = startUs + Math.ceil((arrivedUs - startUs) / tickUs) * tickUs;
        clock.advance(Math.max(0, readUs - clock.nowUs()));
        const timeUs = track.stamp(track.media(index * FRAME_US))?.timeUs ?? 0;
        expect(Math.abs(timeUs - arrivedUs)).toBeLessThanOrEqual(tickUs);
        aheadUs.push(timeUs - clock.nowUs());
        times.push(timeUs);
      }
      const steps = times.slice(1).map((timeUs, index) => timeUs - (times[index] ?? 0));
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.96 * FRAME_US);
      expect(Math.max(...aheadUs.slice(300))).toBeLessThanOrEqual(22_000);
    },
  );

  it("uses the given arrival time for a frame that was held back", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const arrivedUs = clock.monotonicUs();
    const wallUs = clock.nowUs();
    clock.advance(SECOND_US);
    expect(track.stamp(0, arrivedUs)?.timeUs).toBe(wallUs);
    expect(track.stamp(SECOND_US)?.timeUs).toBe(wallUs + SECOND_US);
  });

  it("is not moved by jitter of a second", () => {
    const clock = new SimulatedClock();
    let seed = 1;
    const jitterUs = (index: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return index === 0 ? 0 : seed % SECOND_US;
    };
    const stamped = play(clock, new StreamClock(clock).openTrack("video"), { frames: 5000, jitterUs });
    const firstUs = stamped[0]?.time.timeUs ?? 0;
    const errors = stamped.map(({ time }, index) => Math.abs(time.timeUs - firstUs - index * FRAME_US));
    expect(Math.max(...errors)).toBeLessThan(100_000);
    expect(discontinuities(stamped)).toBe(1);
  });

  it("follows the wall clock when the camera's clock is 200 ppm off, slewed by 500 ppm at most", () => {
    const clock = new SimulatedClock();
    const mediaStepUs = FRAME_US * (1 - 200e-6);
    const stamped = play(clock, new StreamClock(clock).openTrack("video"), { frames: 90_000, mediaStepUs });
    const end = last(stamped);
    expect(Math.abs(end.time.timeUs - end.wallUs)).toBeLessThan(50_000);
    expect(discontinuities(stamped)).toBe(1);
    stamped.slice(1).forEach(({ time }, index) => {
      const stepUs = time.timeUs - (stamped[index]?.time.timeUs ?? 0);
      expect(Math.abs(stepUs - mediaStepUs)).toBeLessThanOrEqual((FRAME_US * SLEW_PPM_MAX) / 1e6 + 1.01);
    });
  });

  it("survives a stall and the burst after it without a discontinuity", () => {
    const clock = new SimulatedClock();
    const jitterUs = (index: number) =>
      index > 500 && index < 600 ? 4 * SECOND_US - (index - 500) * FRAME_US : 0;
    const stamped = play(clock, new StreamClock(clock).openTrack("video"), { frames: 1000, jitterUs });
    expect(discontinuities(stamped)).toBe(1);
    expect(last(stamped).time.timeUs - (stamped[0]?.time.timeUs ?? 0)).toBeGreaterThan(
      999 * FRAME_US - 20_000,
    );
  });

  it("goes on as pictures arrive, in one piece, after a jump of media time, forward or back", () => {
    for (const jumpUs of [6 * SECOND_US, 3600 * SECOND_US, -SECOND_US, -3600 * SECOND_US]) {
      const clock = new SimulatedClock();
      const track = new StreamClock(clock).openTrack("video");
      const before = play(clock, track, { frames: 50, firstMediaUs: 7200 * SECOND_US });
      clock.advance(FRAME_US);
      const after = play(clock, track, {
        frames: 50,
        firstMediaUs: 7200 * SECOND_US + 50 * FRAME_US + jumpUs,
      });
      expect(discontinuities([...before, ...after])).toBe(1);
      expectRising([...before, ...after]);
      for (const { time, wallUs } of after) expect(Math.abs(time.timeUs - wallUs)).toBeLessThan(FRAME_US);
    }
  });

  it("comes back to the wall clock, in one piece, when media time has lost seconds for good", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    play(clock, track, { frames: 500 });
    clock.advance(6 * SECOND_US);
    const after = play(clock, track, { frames: 500, firstMediaUs: 500 * FRAME_US });
    expect(discontinuities(after)).toBe(0);
    for (const { time, wallUs } of after.slice(50))
      expect(Math.abs(time.timeUs - wallUs)).toBeLessThan(SECOND_US / 2);
    expect(Math.abs(last(after).time.timeUs - last(after).wallUs)).toBeLessThan(FRAME_US);
  });

  it("takes the wall clock again when that is set forward", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    play(clock, track, { frames: 50 });
    clock.stepWall(600 * SECOND_US);
    const after = play(clock, track, { frames: 50, firstMediaUs: 50 * FRAME_US });
    expect(after[0]?.time).toEqual({ timeUs: after[0]?.wallUs, discontinuity: true });
    expect(discontinuities(after)).toBe(1);
  });

  it.each([-0.9, -0.3, 0.3, 0.9])(
    "is slewed to a wall clock that is set by %f s, as at a leap second",
    (seconds) => {
      const clock = new SimulatedClock();
      const track = new StreamClock(clock).openTrack("video");
      const before = play(clock, track, { frames: 500 });
      clock.stepWall(seconds * SECOND_US);
      const after = play(clock, track, { frames: 5000, firstMediaUs: 500 * FRAME_US });
      expect(discontinuities([...before, ...after])).toBe(1);
      const steps = [...before.slice(-1), ...after].slice(1).map(({ time }, index) => {
        return time.timeUs - ((index === 0 ? last(before) : after[index - 1])?.time.timeUs ?? 0);
      });
      for (const stepUs of steps)
        expect(Math.abs(stepUs - FRAME_US)).toBeLessThanOrEqual((2 * FRAME_US * SLEW_PPM_MAX) / 1e6 + 2);
      const leftUs = Math.abs(seconds) * SECOND_US - 5000 * FRAME_US * (SLEW_PPM_MAX / 1e6);
      expect(Math.abs(last(after).time.timeUs - last(after).wallUs)).toBeLessThanOrEqual(
        Math.abs(leftUs) + 60_000,
      );
    },
  );

  it("goes back, with a discontinuity, with a wall clock that is set back far", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    play(clock, track, { frames: 50 });
    clock.stepWall(-3600 * SECOND_US);
    const after = play(clock, track, { frames: 50, firstMediaUs: 50 * FRAME_US });
    expect(after[0]?.time).toEqual({ timeUs: after[0]?.wallUs, discontinuity: true });
    expect(discontinuities(after)).toBe(1);
    expectRising(after);
  });

  it.each([
    ["ahead of one that is set back by 9 s", 9, false],
    ["with one that is set back by 11 s", 11, true],
  ])("goes %s", (_name, seconds, isBack) => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const before = play(clock, track, { frames: 50 });
    clock.stepWall(-seconds * SECOND_US);
    const [after] = play(clock, track, { frames: 1, firstMediaUs: 50 * FRAME_US });
    expect((after?.time.timeUs ?? 0) < last(before).time.timeUs).toBe(isBack);
  });

  it("goes back completely although a small step of the wall clock came before a large one", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    play(clock, track, { frames: 50 });
    clock.stepWall(-STEP_BACK_US_MAX + SECOND_US);
    const ahead = play(clock, track, { frames: 50, firstMediaUs: 50 * FRAME_US });
    expect(last(ahead).time.timeUs - last(ahead).wallUs).toBeGreaterThan(STEP_BACK_US_MAX - 2 * SECOND_US);
    clock.stepWall(-2 * SECOND_US);
    const after = play(clock, track, { frames: 50, firstMediaUs: 100 * FRAME_US });
    expect(after[0]?.time).toEqual({ timeUs: after[0]?.wallUs, discontinuity: true });
  });

  it("continues, with a discontinuity, when the wall clock is set back a little", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const before = play(clock, track, { frames: 50 });
    clock.stepWall(-8 * SECOND_US);
    const after = play(clock, track, { frames: 1000, firstMediaUs: 50 * FRAME_US });
    expect(discontinuities(after)).toBe(1);
    expectRising([...before, ...after]);
    const rate = (last(after).time.timeUs - (after[0]?.time.timeUs ?? 0)) / (999 * FRAME_US);
    expect(Math.abs(rate - 1)).toBeLessThanOrEqual(SLEW_PPM_MAX / 1e6);
  });

  it("follows the wall clock again once it has caught up during a gap", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    play(clock, track, { frames: 50 });
    clock.stepWall(-9 * SECOND_US);
    play(clock, track, { frames: 50, firstMediaUs: 50 * FRAME_US });
    clock.advance(30 * SECOND_US);
    const after = play(clock, track, { frames: 3000, firstMediaUs: 7200 * SECOND_US });
    expect(discontinuities(after)).toBe(1);
    for (const { time, wallUs } of after) expect(Math.abs(time.timeUs - wallUs)).toBeLessThan(FRAME_US);
  });

  it("does not run away from the wall clock with a camera that sends faster than real time", () => {
    const clock = new SimulatedClock();
    const track = new StreamClock(clock).openTrack("video");
    const stamped = play(clock, track, { frames: 5000, mediaStepUs: 2 * FRAME_US });
    expectRising(stamped);
    for (const { time, wallUs } of stamped) expect(time.timeUs - wallUs).toBeLessThan(SECOND_US / 2);
  });

  it("never goes back across sessions", () => {
    const clock = new SimulatedClock();
    const stream = new StreamClock(clock);
    const first = play(clock, stream.openTrack("video"), { frames: 100, mediaStepUs: FRAME_US + 2000 });
    clock.stepWall(-6 * SECOND_US);
    const second = play(clock, stream.openTrack("video"), { frames: 100, firstMediaUs: 5 });
    expect(second[0]?.time.discontinuity).toBe(true);
    expectRising([...first, ...second]);
  });

  it("rises strictly whatever the clocks and the media do, except where the wall clock is set back far", () => {
    const step = fc.record({
      media: fc.oneof(fc.nat(100_000), fc.integer({ min: -1e10, max: 1e10 })),
      advance: fc.oneof(fc.nat(100_000), fc.nat(2e7)),
      wall: fc.oneof(fc.constant(0), fc.integer({ min: -1e9, max: 1e9 })),
      session: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const clock = new SimulatedClock();
        const stream = new StreamClock(clock);
        let track = stream.openTrack("video");
        let media = 0;
        let stamped: { time: StreamTime }[] = [];
        let aheadUs = 0;
        for (const { media: mediaStep, advance, wall, session } of steps) {
          clock.advance(advance);
          clock.stepWall(wall);
          if (session === 0) track = stream.openTrack("video");
          media += mediaStep;
          const time = track.stamp(track.media(media));
          if (time === undefined) continue;
          const steppedBack = time.discontinuity && wall < -SECOND_US && aheadUs - wall > STEP_BACK_US_MAX;
          if (steppedBack) {
            expectRising(stamped);
            stamped = [];
          }
          stamped.push({ time: { ...time } });
          aheadUs = time.timeUs - clock.nowUs();
        }
        expectRising(stamped);
      }),
    );
  });
});

describe("audio beside video", () => {
  it("waits, after a step of the wall clock, for the video frame that takes it, and goes back with it", () => {
    const clock = new SimulatedClock();
    const stream = new StreamClock(clock);
    const video = stream.openTrack("video");
    const audio = stream.openTrack("audio");
    video.stamp(0);
    audio.stamp(0);
    clock.advance(FRAME_US);
    clock.stepWall(-3600 * SECOND_US);
    expect(audio.stamp(FRAME_US)).toBeUndefined();
    expect(video.stamp(FRAME_US)).toEqual({ timeUs: clock.nowUs(), discontinuity: true });
    clock.advance(FRAME_US);
    expect(audio.stamp(2 * FRAME_US)).toEqual({ timeUs: clock.nowUs(), discontinuity: false });
  });

  it("waits for the first video frame and carries no discontinuity of its own", () => {
    const clock = new SimulatedClock();
    const stream = new StreamClock(clock);
    const video = stream.openTrack("video");
    const audio = stream.openTrack("audio");
    expect(audio.stamp(0)).toBeUndefined();
    video.stamp(0);
    expect(audio.stamp(20_000)?.discontinuity).toBe(false);
  });

  it("without video takes the wall clock itself", () => {
    const clock = new SimulatedClock();
    expect(new StreamClock(clock).openTrack("audio").stamp(77)).toEqual({
      timeUs: clock.nowUs(),
      discontinuity: true,
    });
  });

  it("follows sender reports when both tracks have them", () => {
    const clock = new SimulatedClock();
    const stream = new StreamClock(clock);
    const video = stream.openTrack("video");
    const audio = stream.openTrack("audio");
    // Audio media time 0 belongs to video media time 300 ms, yet both arrive first at the same moment.
    let videoUs = 0;
    let audioUs = 0;
    for (let index = 0; index < 500; index += 1) {
      clock.advance(FRAME_US);
      videoUs = video.stamp(video.media(index * FRAME_US))?.timeUs ?? 0;
      audioUs = audio.stamp(audio.media(index * FRAME_US))?.timeUs ?? 0;
      if (index === 10) {
        video.senderReport(1_700_000_000_300_000, 300_000);
        audio.senderReport(1_700_000_000_300_000, 0);
      }
    }
    expect(Math.abs(audioUs - videoUs - 300_000)).toBeLessThan(2);
  });

  it("ignores reports that would move it far from its arrival", () => {
    const clock = new SimulatedClock();
    const stream = new StreamClock(clock);
    const video = stream.openTrack("video");
    const audio = stream.openTrack("audio");
    let differenceUs = 0;
    for (let index = 0; index < 500; index += 1) {
      clock.advance(FRAME_US);
      const videoUs = video.stamp(video.media(index * FRAME_US))?.timeUs ?? 0;
      differenceUs = (audio.stamp(audio.media(index * FRAME_US))?.timeUs ?? 0) - videoUs;
      if (index === 10) video.senderReport(1_700_000_000_000_000, 0);
      if (index === 10) audio.senderReport(1_700_000_100_000_000, 0);
    }
    expect(Math.abs(differenceUs)).toBeLessThan(1000);
  });
});
