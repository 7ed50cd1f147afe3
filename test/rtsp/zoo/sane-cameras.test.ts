import { beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PICTURES_A_SECOND } from "../../support/rtsp/zoo/clips.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import type { Habit } from "../../support/rtsp/zoo/habit.js";
import { SOUNDS } from "../../support/rtsp/zoo/sounds.js";
import type { Outcome } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

const SECONDS = 40;
const PERIOD_US = 1_000_000 / PICTURES_A_SECOND;
/** Stream time follows the recorder's clock by 500 ppm, and is in whole microseconds. */
const SLEW_US = PERIOD_US * 0.0005 + 1;
/** Sound moves to its place beside the pictures by 5 %. */
const TIE_PART = 0.05;
/** By then it is there. */
const TIED_US = 1_000_000;

const CLIPS = ["h264", "h264Slices", "h265", "mjpeg", "mpeg4"] as const;
const CAMERAS = CLIPS.flatMap((clip) =>
  (["aac", "pcmu"] as const).map(
    (sound): Habit => ({ name: `${clip} with ${sound}`, kind: "session", report: "none", clip, sound }),
  ),
);

describe.each(["tcp", "udp"] as const)("a camera without habits over %s", (transport) => {
  let outcomes: Outcome[] = [];
  beforeAll(async () => {
    const directory = new TemporaryDirectory();
    try {
      const visits = CAMERAS.map((camera, at) => ({
        ...{ habits: [camera], transport, seconds: SECONDS, seed: at },
      }));
      outcomes = await visitZoo(directory.path, visits);
    } finally {
      directory.remove();
    }
  });

  it.each(CAMERAS)("$name is recorded as it sent, at its own times", (camera) => {
    const outcome = outcomes[CAMERAS.indexOf(camera)] ?? expect.fail("it was not visited");
    expect(problemsOf(outcome, [camera])).toEqual([]);
    const { frames, offMs } = outcome;
    expect(offMs).toBeLessThan(100);
    const pictures = stepsOf(frames.filter(({ isAudio }) => !isAudio));
    expect(pictures.filter((stepUs) => Math.abs(stepUs - PERIOD_US) > SLEW_US)).toEqual([]);
    const unitUs = SOUNDS[camera.sound ?? "pcmu"].unitMs * 1000;
    const sounds = stepsOf(frames.filter(({ isAudio }) => isAudio));
    expect(sounds.filter((stepUs) => Math.abs(stepUs - unitUs) > TIE_PART * unitUs)).toEqual([]);
    const tied = sounds.slice(Math.ceil(TIED_US / unitUs));
    expect(tied.filter((stepUs) => Math.abs(stepUs - unitUs) > SLEW_US)).toEqual([]);
  });
});

function stepsOf(frames: readonly { readonly timeUs: number }[]): number[] {
  return frames.slice(1).map(({ timeUs }, at) => timeUs - (frames[at]?.timeUs ?? 0));
}
