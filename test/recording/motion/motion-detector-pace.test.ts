import { expect, it, vi } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import { DecodingLoad, NativeCodec, type Picture } from "../../../src/picture/index.js";
import { WHOLE_PICTURE } from "../../../src/recording/index.js";
import { MotionDetector } from "../../../src/recording/motion/motion-detector.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TEST_VIDEO_FORMAT } from "../../support/media/synthetic-frames.js";

/** In which nothing moves. */
const STILL: Omit<Picture, "timeUs"> = {
  ...{ form: "motion", damaged: false, data: new Uint8Array(0) },
  ...{ width: 160, height: 120, sourceWidth: 160, sourceHeight: 120 },
};
const SECOND_US = 1_000_000;

it("a detector asks for no picture sooner than the load of all of them allows", () => {
  const clock = new SimulatedClock();
  const load = new DecodingLoad({ threads: () => 1, shareMax: 0.5 });
  load.check(0);
  const stream = new LiveStream({ channelId: "22222222-0000-4000-8000-000000000001", streamType: "Main" });
  const detector = new MotionDetector({
    ...{ stream, clock, load, log: createLog({ level: "silent" }), codec: new NativeCodec() },
    detection: { zones: [WHOLE_PICTURE], picturesPerSecond: 5, rotation: 0 },
    listener: { onMotion: vi.fn(), onQuiet: vi.fn(), onBlind: vi.fn() },
  });
  stream.setState({ state: "active" });
  const asks = (timeUs: number): boolean => detector.target(TEST_VIDEO_FORMAT, timeUs) !== undefined;
  for (let second = 1; second <= 20; second++) {
    load.note((4 * SECOND_US) / load.stretch);
    load.check(second * SECOND_US);
  }
  const timeUs = clock.nowUs();
  expect(asks(timeUs)).toBe(true);
  detector.take({ ...STILL, timeUs });
  const periodUs = Math.ceil(200_000 * load.stretch);
  expect(periodUs).toBeGreaterThan(900_000);
  expect([timeUs + periodUs - 2, timeUs + periodUs].map(asks)).toEqual([false, true]);
  // The camera's clock went back.
  expect(asks(timeUs - 1)).toBe(true);
  detector.stop();
});
