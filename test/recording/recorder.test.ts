import { describe, expect, test, vi } from "vitest";
import { archiveStreamType, type Camera, DEFAULT_CAMERA_OPTIONS } from "../../src/site/index.js";
import { syntheticFrame } from "../support/media/synthetic-frames.js";
import { NotingArchive, startRecorder } from "../support/recording/recorder-harness.js";
import { testCamera } from "../support/site/memory-site.js";

function setUp(cameras: readonly Camera[]) {
  const archive = new NotingArchive();
  const harness = startRecorder(cameras, { archive });
  return { ...harness, archive, streams: { stream: harness.stream } };
}

test("what the camera sends is written, sound included", () => {
  const camera = testCamera();
  const { archive, streams } = setUp([camera]);
  const stream = streams.stream(camera.id, "Main");
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  stream.publish(syntheticFrame({ decodeTimeUs: 2, audio: true }));
  expect(archive.notes).toEqual(["Main video 1", "Main audio 2"]);
});

test("an error while handling a frame ends the segment; recording continues after five seconds", async () => {
  const camera = testCamera();
  const { archive, streams, clock, recorder } = setUp([camera]);
  const stream = streams.stream(camera.id, "Main");
  archive.broken = true;
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  await Promise.resolve();
  archive.broken = false;
  clock.advance(4_999_000);
  stream.publish(syntheticFrame({ decodeTimeUs: 2, key: true }));
  clock.advance(1000);
  stream.publish(syntheticFrame({ decodeTimeUs: 3, key: true }));
  expect(archive.notes).toEqual(["Main end", "Main video 3"]);
  await recorder.stop();
  expect(clock.timers).toBe(0);
});

test("sound is not recorded if the camera's settings exclude it", () => {
  const base = testCamera();
  const camera = { ...base, archive: { ...base.archive, archivingSoundDisabled: true } };
  const { archive, streams } = setUp([camera]);
  streams.stream(camera.id, "Main").publish(syntheticFrame({ decodeTimeUs: 2, audio: true }));
  expect(archive.notes).toEqual([]);
});

test("a lost camera leaves a closed segment", async () => {
  const camera = testCamera();
  const { archive, streams } = setUp([camera]);
  const stream = streams.stream(camera.id, "Main");
  stream.setState({ state: "active" });
  stream.setState({ state: "lost", reason: "unplugged" });
  expect(archive.notes).toEqual(["Main end"]);
});

test("the archive learns which channels exist: not a removed one, but also one that is not recorded", async () => {
  const [kept, gone] = [testCamera(), testCamera()];
  const { site, archive } = setUp([kept, gone]);
  await site.setCameras([{ ...kept, archive: { ...kept.archive, archivingDisabled: true } }]);
  expect([kept.id, gone.id].map((id) => archive.isThere(id))).toEqual([true, false]);
});

test("archiving switched off ends the recording, and the camera records again when switched on", async () => {
  const camera = testCamera();
  const { site, archive, streams } = setUp([camera]);
  await site.setCameras([{ ...camera, archive: { ...camera.archive, archivingDisabled: true } }]);
  streams.stream(camera.id, "Main").publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  await site.setCameras([camera]);
  streams.stream(camera.id, "Main").publish(syntheticFrame({ decodeTimeUs: 2, key: true }));
  expect(archive.notes).toEqual(["Main end", "Main video 2"]);
});

test("a change of another camera does not affect the recording", async () => {
  const [one, other] = [testCamera(), testCamera()];
  const { site, archive } = setUp([one, other]);
  await site.setCameras([one, { ...other, name: "Gate" }]);
  expect(archive.notes).toEqual([]);
});

test("without a schedule the local time is not computed, which would slow down the start", () => {
  const format = vi.spyOn(Intl, "DateTimeFormat");
  const { clock } = setUp([testCamera()]);
  clock.advance(5_000_000);
  expect(format).not.toHaveBeenCalled();
  format.mockRestore();
});

test("stop ends every recording", async () => {
  const { archive, recorder } = setUp([testCamera(), testCamera()]);
  await recorder.stop();
  expect(archive.notes).toEqual(["Main end", "Main end"]);
});

test("the archived stream is the enabled one with the role Archive, else Main", () => {
  const base = testCamera();
  const alternative = { ...base.connection.streams.Alternative, enabled: true, roles: ["Archive" as const] };
  const main = { ...base.connection.streams.Main, roles: [] };
  const streams = { ...base.connection.streams, Main: main, Alternative: alternative };
  expect(archiveStreamType({ ...base, connection: { ...base.connection, streams } })).toBe("Alternative");
  const off = { ...streams, Alternative: { ...alternative, enabled: false } };
  expect(archiveStreamType({ ...base, connection: { ...base.connection, streams: off } })).toBe("Main");
});

describe("a limited frame rate", () => {
  const limited = (camera: Camera, frameRateLimit: number, enabled = true): Camera => ({
    ...camera,
    kept: {
      ...DEFAULT_CAMERA_OPTIONS,
      archive: { ...DEFAULT_CAMERA_OPTIONS.archive, frameRateLimitEnabled: enabled, frameRateLimit },
    },
  });
  const MS = 1000;

  test("records only key frames, and the sound", () => {
    const camera = limited(testCamera(), 0);
    const { archive, streams } = setUp([camera]);
    const stream = streams.stream(camera.id, "Main");
    for (let at = 0; at < 6; at += 1) {
      stream.publish(syntheticFrame({ decodeTimeUs: at * 40 * MS, key: at % 3 === 0 }));
    }
    stream.publish(syntheticFrame({ decodeTimeUs: 1, audio: true }));
    expect(archive.notes).toEqual(["Main video 0", "Main video 120000", "Main audio 1"]);
  });

  test.each([
    [10, 250, 40, 100],
    [1, 250, 40, 10],
    [0.5, 100, 999, 50],
    [1, 100, 1001, 100],
    [1, 100, 995, 100],
    [25, 250, 40, 250],
    [0.01, 60, 1000, 12],
  ])("of %d a second: of %i key frames each %i ms it takes about %i", (rate, count, stepMs, taken) => {
    const camera = limited(testCamera(), rate);
    const { archive, streams } = setUp([camera]);
    const stream = streams.stream(camera.id, "Main");
    for (let at = 0; at < count; at += 1) {
      stream.publish(syntheticFrame({ decodeTimeUs: at * stepMs * MS, key: true }));
    }
    expect(Math.abs(archive.notes.length - taken)).toBeLessThanOrEqual(1);
  });

  test("can be set and removed during a recording; frames that refer to skipped ones wait for a key frame", async () => {
    const camera = testCamera();
    const { site, archive, streams } = setUp([camera]);
    const stream = streams.stream(camera.id, "Main");
    const publish = (at: number, key = false) => stream.publish(syntheticFrame({ decodeTimeUs: at, key }));
    publish(1, true);
    publish(2);
    await site.setCameras([limited(camera, 0)]);
    publish(3);
    publish(4, true);
    publish(5);
    await site.setCameras([limited(camera, 0, false)]);
    publish(6);
    publish(7, true);
    publish(8);
    expect(archive.notes).toEqual([1, 2, 4, 7, 8].map((at) => `Main video ${at}`));
  });

  test("a gap before a skipped frame is still a gap", () => {
    const camera = limited(testCamera(), 1);
    const { archive, streams } = setUp([camera]);
    const stream = streams.stream(camera.id, "Main");
    stream.publish(syntheticFrame({ decodeTimeUs: 0, key: true }));
    stream.publish(syntheticFrame({ decodeTimeUs: 500 * MS, key: true, discontinuity: true }));
    stream.publish(syntheticFrame({ decodeTimeUs: 1000 * MS, key: true }));
    expect(archive.notes).toEqual(["Main video 0", "Main end", "Main video 1000000"]);
  });

  test("time that steps back does not stop the recording", () => {
    const camera = limited(testCamera(), 1);
    const { archive, streams } = setUp([camera]);
    const stream = streams.stream(camera.id, "Main");
    stream.publish(syntheticFrame({ decodeTimeUs: 60_000 * MS, key: true }));
    stream.publish(syntheticFrame({ decodeTimeUs: 1000 * MS, key: true, discontinuity: true }));
    expect(archive.notes).toEqual(["Main video 60000000", "Main video 1000000"]);
  });
});

test("the clock is looked at each second only while a channel is recorded by a schedule", async () => {
  const base = testCamera();
  const always: Camera = { ...base, archive: { ...base.archive, archivingMode: "AlwaysOn" } };
  const scheduled: Camera = { ...base, archive: { ...base.archive, archivingMode: "BySchedule" } };
  const { site, clock } = setUp([always]);
  const timers = clock.timers;
  await site.setCameras([scheduled]);
  expect(clock.timers).toBe(timers + 1);
  await site.setCameras([always]);
  clock.advance(1_000_000);
  expect(clock.timers).toBe(timers);
});
