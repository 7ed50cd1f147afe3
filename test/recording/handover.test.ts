import { expect, test } from "vitest";
import type { Camera, StreamRole } from "../../src/site/index.js";
import { syntheticFrame } from "../support/media/synthetic-frames.js";
import { NotingArchive, startRecorder } from "../support/recording/recorder-harness.js";
import { testCamera } from "../support/site/memory-site.js";

/** The archived stream of a channel is changed while it is recorded. */

function withArchiveIn(camera: Camera, type: "Main" | "Alternative"): Camera {
  const { streams } = camera.connection;
  const roles = (name: string): readonly StreamRole[] => (name === type ? ["Archive"] : []);
  const { Main, Alternative } = streams;
  return {
    ...camera,
    connection: {
      ...camera.connection,
      streams: {
        ...streams,
        Main: { ...Main, enabled: true, roles: roles("Main") },
        Alternative: { ...Alternative, enabled: true, roles: roles("Alternative") },
      },
    },
  };
}

function setUp() {
  const archive = new NotingArchive();
  const camera = withArchiveIn(testCamera(), "Main");
  const harness = startRecorder([camera], { archive });
  const main = harness.stream(camera.id, "Main");
  const alternative = harness.stream(camera.id, "Alternative");
  main.setState({ state: "active" });
  const frame = (of: typeof main, decodeTimeUs: number, key = false): void =>
    of.publish(syntheticFrame({ decodeTimeUs, key }));
  const change = (type: "Main" | "Alternative") => harness.site.setCameras([withArchiveIn(camera, type)]);
  return { ...harness, archive, camera, main, alternative, frame, change };
}

test("the earlier stream is recorded up to the first picture of the later one", async () => {
  const { archive, main, alternative, frame, change, clock } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  frame(main, 200);
  alternative.setState({ state: "active" });
  frame(alternative, 250, true);
  frame(main, 240);
  frame(main, 280);
  frame(alternative, 290);
  clock.advance(2_000_000);
  frame(main, 320);
  expect(archive.notes.filter((note) => note.includes("video"))).toEqual([
    "Main video 100",
    "Main video 200",
    "Alternative video 250",
    "Main video 240",
    "Alternative video 290",
  ]);
  expect(archive.notes.at(-1)).toBe("Main end");
});

test("earlier pictures of the earlier stream are recorded for two seconds more", async () => {
  const { archive, main, alternative, frame, change, clock } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  alternative.setState({ state: "active" });
  frame(alternative, 250, true);
  clock.advance(1_999_000);
  frame(main, 248);
  clock.advance(1000);
  frame(main, 249);
  expect(archive.notes).toEqual(["Main video 100", "Alternative video 250", "Main video 248", "Main end"]);
});

test("the channel counts as recorded meanwhile", async () => {
  const { main, frame, change, recorder, camera } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  expect(recorder.isRecording(camera.id)).toBe(true);
  expect(recorder.state(camera.id).isRecording).toBe(true);
});

test("a later stream that sends nothing for 30 seconds ends the earlier one all the same", async () => {
  const { archive, main, frame, change, clock } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  clock.advance(29_999_000);
  frame(main, 200);
  clock.advance(1000);
  frame(main, 300);
  expect(archive.notes).toEqual(["Main video 100", "Main video 200", "Main end"]);
});

test("the first picture of a later stream that was waited for in vain ends nothing again, without a timer left", async () => {
  const { archive, main, alternative, frame, change, clock } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  const timersBefore = clock.timers;
  clock.advance(30_000_000);
  expect(clock.timers).toBe(timersBefore - 1);
  alternative.setState({ state: "active" });
  frame(alternative, 250, true);
  expect(clock.timers).toBe(timersBefore - 1);
  clock.advance(2_000_000);
  expect(archive.notes).toEqual(["Main video 100", "Main end", "Alternative video 250"]);
});

test("a change back before the later stream has sent anything goes on with the earlier one alone", async () => {
  const { archive, main, alternative, frame, change } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  await change("Main");
  frame(main, 200, true);
  alternative.setState({ state: "active" });
  frame(alternative, 250, true);
  expect(archive.notes.filter((note) => note.includes("video"))).toEqual([
    "Main video 100",
    "Main video 200",
  ]);
});

test("a stop ends both, without a timer left", async () => {
  const { archive, main, frame, change, recorder, clock } = setUp();
  frame(main, 100, true);
  await change("Alternative");
  await recorder.stop();
  expect(archive.notes).toContain("Main end");
  expect(archive.notes).toContain("Alternative end");
  expect(clock.timers).toBe(0);
});
