import { expect, it } from "vitest";
import { US_PER_SECOND } from "../../src/base/index.js";
import { MotionStates } from "../../src/recording/index.js";
import { MotionEpisodes } from "../../src/recording/motion-episodes.js";
import { ManualClock } from "../support/base/manual-clock.js";

const GATE = "22222222-0000-4000-8000-000000000001";

it("an episode goes on while any of its sources does, and ends after the last", () => {
  const clock = new ManualClock();
  const [motion, seenMotion] = [new MotionStates(clock), new MotionStates(clock)];
  const episodes = new MotionEpisodes({
    ...{ motion: [motion, seenMotion], clock, changed: () => undefined },
    afterUs: () => US_PER_SECOND,
  });
  episodes.start();
  const at = (states: MotionStates, active: boolean): void =>
    states.report({ channelId: GATE, source: "camera", active, timeUs: clock.nowUs(), zone: "A" });
  at(seenMotion, true);
  at(motion, true);
  const began = episodes.of(GATE)?.beganUs;
  at(seenMotion, false);
  expect(episodes.of(GATE)).toMatchObject({ beganUs: began, untilUs: undefined });
  at(seenMotion, true);
  at(motion, false);
  expect(episodes.of(GATE)?.untilUs).toBeUndefined();
  at(seenMotion, false);
  expect(episodes.of(GATE)?.untilUs).toBe(clock.nowUs() + US_PER_SECOND);
});
