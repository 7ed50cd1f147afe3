import { describe, expect, it } from "vitest";
import { SLEW_PPM_MAX, STEP_BACK_US_MAX, StreamClock } from "../../src/live/index.js";
import { SeededRandom, testSeed } from "../support/base/seeded-random.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;
const DAY_US = 24 * HOUR_US;
const DRIFT_US_MAX = 100_000;
/** A new anchor settles within this. */
const SETTLED_US = 30 * SECOND_US;

describe("a day of a camera", () => {
  it.each([200, -200])(
    "of 25 frames a second with a clock %i ppm off, jitter, ticks and sender reports that jump stays within 100 ms of the wall clock",
    (ppm) => {
      const frameUs = 40_000;
      const tickUs = 200_000;
      const random = new SeededRandom(testSeed(ppm + 1000));
      const clock = new SimulatedClock();
      const track = new StreamClock(clock).openTrack("video");
      const startUs = clock.nowUs();
      const mediaStepUs = frameUs * (1 + ppm / 1e6);
      let previousUs = 0;
      let worstUs = 0;
      let worstSlewUs = 0;
      let discontinuities = 0;
      for (let index = 0; index * frameUs < DAY_US; index += 1) {
        const takenUs = index * frameUs;
        const arrivedUs = takenUs + random.below(60_000);
        const readUs = Math.ceil(arrivedUs / tickUs) * tickUs;
        const behindUs = readUs - (clock.nowUs() - startUs);
        if (behindUs > 0) clock.advance(behindUs);
        if (index % 125 === 0)
          track.senderReport(startUs + takenUs + random.pick([0, HOUR_US, -DAY_US]), index * mediaStepUs);
        const time = track.stamp(track.media(index * mediaStepUs));
        if (time === undefined) throw new Error("video is always stamped");
        if (time.discontinuity) discontinuities += 1;
        if (takenUs > SETTLED_US) {
          worstUs = Math.max(worstUs, Math.abs(time.timeUs - startUs - takenUs));
          worstSlewUs = Math.max(worstSlewUs, Math.abs(time.timeUs - previousUs - mediaStepUs));
        }
        previousUs = time.timeUs;
      }
      expect(worstUs).toBeLessThan(DRIFT_US_MAX);
      expect(worstSlewUs).toBeLessThanOrEqual((tickUs * SLEW_PPM_MAX) / 1e6 + 2);
      expect(discontinuities).toBe(1);
    },
  );
});

interface Fault {
  readonly atUs: number;
  readonly kind: "reconnect" | "media-jump" | "stall";
}

const CAMERAS = 32;
const FRAME_US = 500_000;
const FAULTS_A_CAMERA = 12;
/** Steps of the wall clock in the first half of the day: corrections, an hour wrong and right again, a year. */
const WALL_STEPS_S = [0.3, -4, 3600, -3600, 31_536_000, -31_536_000, -9, 1.5];

describe("a day of 32 cameras with faults and a wall clock that steps", () => {
  it("has rising times except where the clock is set back far, few discontinuities, and ends within 100 ms of the wall clock", () => {
    const random = new SeededRandom(testSeed(7));
    const steps = WALL_STEPS_S.map((seconds, at) => ({
      atUs: (at + 1) * (HOUR_US + 60 * SECOND_US),
      seconds,
    }));
    for (let camera = 0; camera < CAMERAS; camera += 1) {
      const clock = new SimulatedClock();
      const stream = new StreamClock(clock);
      let track = stream.openTrack("video");
      const rate = 1 + random.between(-200, 200) / 1e6;
      const faults: Fault[] = Array.from({ length: FAULTS_A_CAMERA }, () => ({
        atUs: random.below(DAY_US * 0.75),
        kind: random.pick(["reconnect", "media-jump", "stall"] as const),
      })).sort((a, b) => a.atUs - b.atUs);
      const wall = [...steps];
      let mediaUs = random.below(1e9);
      let previousUs = Number.NEGATIVE_INFINITY;
      let discontinuities = 0;
      let steppedBack = false;
      for (let atUs = 0; atUs < DAY_US; atUs += FRAME_US) {
        let gapUs = 0;
        while (faults[0] !== undefined && faults[0].atUs <= atUs) {
          const { kind } = faults.shift() as Fault;
          gapUs = random.between(1, 60) * SECOND_US;
          if (kind === "reconnect") {
            stream.closeTrack(track);
            track = stream.openTrack("video");
            mediaUs = random.below(1e9);
          } else if (kind === "media-jump") mediaUs += random.between(-7200, 7200) * SECOND_US;
        }
        atUs += gapUs;
        clock.advance(FRAME_US + gapUs);
        while (wall[0] !== undefined && wall[0].atUs <= atUs) {
          const { seconds } = wall.shift() as { atUs: number; seconds: number };
          clock.stepWall(seconds * SECOND_US);
          if (seconds * SECOND_US < -STEP_BACK_US_MAX) steppedBack = true;
        }
        mediaUs += (FRAME_US + gapUs) * rate;
        const time = track.stamp(track.media(mediaUs));
        if (time === undefined) throw new Error("video is always stamped");
        if (time.discontinuity) discontinuities += 1;
        const mayGoBack = steppedBack && time.discontinuity;
        if (mayGoBack) steppedBack = false;
        else if (time.timeUs <= previousUs) expect.unreachable(`camera ${camera} goes back at ${atUs}`);
        if (time.timeUs - clock.nowUs() >= SECOND_US + STEP_BACK_US_MAX)
          expect.unreachable(`camera ${camera} is far ahead of the wall clock at ${atUs}`);
        previousUs = time.timeUs;
      }
      expect(discontinuities).toBeLessThanOrEqual(1 + FAULTS_A_CAMERA + WALL_STEPS_S.length);
      expect(Math.abs(previousUs - clock.nowUs())).toBeLessThan(DRIFT_US_MAX);
    }
  });
});
