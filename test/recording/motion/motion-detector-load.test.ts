import { expect, it, vi } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import { NativeCodec, type Picture } from "../../../src/picture/index.js";
import {
  MOTION_SHARE_MAX,
  MOTION_STRETCH_MAX,
  MotionDetectorLoad,
  WHOLE_PICTURE,
} from "../../../src/recording/index.js";
import { MotionDetector } from "../../../src/recording/motion/motion-detector.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TEST_VIDEO_FORMAT } from "../../support/media/synthetic-frames.js";

/** In which nothing moves. */
const STILL: Omit<Picture, "timeUs"> = {
  ...{ form: "motion", damaged: false, data: new Uint8Array(0) },
  ...{ width: 160, height: 120, sourceWidth: 160, sourceHeight: 120 },
};
const THREADS = 3;
const SECOND_US = 1_000_000;

/** So many seconds of detectors that take `busyUs` of processor time a second at the full rate, and less at a lower one. */
function busy(load: MotionDetectorLoad, busyUs: number, seconds: number, fromUs = 0): number {
  for (let second = 1; second <= seconds; second++) {
    load.note(busyUs / load.stretch);
    load.check(fromUs + second * SECOND_US);
  }
  return fromUs + seconds * SECOND_US;
}

function loadOf(threads = THREADS): MotionDetectorLoad {
  const load = new MotionDetectorLoad(() => threads);
  load.check(0);
  return load;
}

it("detectors that take less than their share of the codec's threads look at all the pictures they want", () => {
  const load = loadOf();
  busy(load, MOTION_SHARE_MAX * THREADS * SECOND_US * 0.99, 100);
  expect(load.stretch).toBe(1);
  expect(load.isStrained).toBe(false);
});

it("those that would take more look at fewer, so that they keep to it, and it is said", () => {
  const load = loadOf();
  busy(load, 4 * MOTION_SHARE_MAX * THREADS * SECOND_US, 100);
  expect(load.share).toBeLessThanOrEqual(MOTION_SHARE_MAX * 1.1);
  expect(load.share).toBeGreaterThan(MOTION_SHARE_MAX * 0.6);
  expect(load.isStrained).toBe(true);
});

it("when there is room again, they look at all again", () => {
  const load = loadOf(1);
  const atUs = busy(load, 8 * SECOND_US, 100);
  busy(load, 0.1 * SECOND_US, 100, atUs);
  expect(load.stretch).toBe(1);
});

it("however much it is, pictures come at a bounded distance", () => {
  const load = loadOf(1);
  for (let second = 1; second <= 100; second++) {
    load.note(64 * SECOND_US);
    load.check(second * SECOND_US);
  }
  expect(load.stretch).toBe(MOTION_STRETCH_MAX);
});

it("a detector asks for no picture sooner than the load of all of them allows", () => {
  const clock = new SimulatedClock();
  const load = loadOf(1);
  const stream = new LiveStream({ channelId: "22222222-0000-4000-8000-000000000001", streamType: "Main" });
  const detector = new MotionDetector({
    ...{ stream, clock, load, log: createLog({ level: "silent" }), codec: new NativeCodec() },
    detection: { zones: [WHOLE_PICTURE], picturesPerSecond: 5, rotation: 0 },
    listener: { onMotion: vi.fn(), onQuiet: vi.fn(), onBlind: vi.fn() },
  });
  stream.setState({ state: "active" });
  const asks = (timeUs: number): boolean => detector.target(TEST_VIDEO_FORMAT, timeUs) !== undefined;
  busy(load, 4 * SECOND_US, 20);
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
