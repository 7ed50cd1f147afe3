import { expect, it } from "vitest";
import { MOTION_SHARE_MAX, MotionDetectorLoad } from "../../../src/recording/index.js";

it("all motion detectors together keep to their share of the processor, each alike", () => {
  const load = new MotionDetectorLoad();
  load.detectors = 16;
  for (let picture = 0; picture < 1000; picture++) load.note(5000);
  const picturesPerSecond = (load.detectors * 1_000_000) / load.periodUsMin;
  expect((picturesPerSecond * 5000) / 1_000_000).toBeCloseTo(MOTION_SHARE_MAX, 3);
});

it("a single expensive picture is soon forgotten", () => {
  const load = new MotionDetectorLoad();
  load.detectors = 1;
  load.note(1_000_000);
  for (let picture = 0; picture < 200; picture++) load.note(1500);
  expect(load.periodUsMin).toBeLessThan(10_000);
});
