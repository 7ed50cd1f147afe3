import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CLOCK_KNOWN, createLog, type Guid } from "../../src/base/index.js";
import { MANUAL_SWITCHES_FILE, ManualSwitches } from "../../src/recording/index.js";
import type { Camera } from "../../src/site/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import {
  cameraWith,
  NotingArchive,
  type RecorderHarness,
  type RecorderHarnessOptions,
  SECOND_US,
  startRecorder,
} from "../support/recording/recorder-harness.js";
import { testCamera } from "../support/site/memory-site.js";

const FRAME_US = 100_000;
const USER = { userId: "00000000-0000-4000-8000-000000000001", userName: "root" };

interface Bench extends RecorderHarness {
  readonly archive: NotingArchive;
  /** Plays seconds of each camera: ten frames a second, a key frame with each full one. */
  play(seconds: number): void;
  /** Seconds since the start of the frames written, and "end", without the frames between the first and the last of a run. */
  runs(): string[];
}

function setUp(cameras: readonly Camera[], options: Partial<RecorderHarnessOptions> = {}): Bench {
  const archive = new NotingArchive();
  const clock = options.clock ?? new SimulatedClock();
  const harness = startRecorder(cameras, { archive, clock, ...options });
  const startUs = clock.nowUs();
  for (const camera of cameras) harness.stream(camera.id).setState({ state: "active" });
  const play = (seconds: number): void => {
    for (let frames = 0; frames < seconds * 10; frames += 1) {
      const key = (clock.nowUs() - startUs) % SECOND_US === 0;
      for (const camera of cameras) harness.publish(camera.id, { key });
      clock.advance(FRAME_US);
    }
  };
  return { ...harness, archive, play, runs: () => runsOf(archive.notes, startUs) };
}

/** Fails the test where a frame is written twice, or one between two others is not. */
function runsOf(notes: readonly string[], startUs: number): string[] {
  const runs: string[] = [];
  let previous: number | undefined;
  const close = (): void => {
    if (previous !== undefined) runs.push(`to ${(previous - startUs) / SECOND_US}`);
    previous = undefined;
  };
  for (const note of notes) {
    const [stream = "", kind, timeText] = note.split(" ");
    if (kind === "end" || stream === "") {
      close();
      if (runs.at(-1) !== "end") runs.push("end");
      continue;
    }
    const timeUs = Number(timeText);
    if (previous === undefined) runs.push(`from ${(timeUs - startUs) / SECOND_US}`);
    else if (timeUs - previous !== FRAME_US) runs.push(`${previous} is followed by ${timeUs}`);
    previous = timeUs;
  }
  close();
  return runs;
}

const change = (bench: Bench, camera: Camera, archive: Partial<Camera["archive"]>) =>
  bench.site.setCameras(
    bench.site.current.cameras.map((known) =>
      known.id === camera.id ? { ...known, archive: { ...known.archive, ...archive } } : known,
    ),
  );
const switchTo = (bench: Bench, channelId: Guid, on: boolean) =>
  bench.recorder.switchManually({ channelId, on, ...USER });

describe("BySchedule", () => {
  // The simulated start is a Monday, 0:00 UTC.
  const tenSeconds = { Monday: [{ fromMinute: 1, toMinute: 2 }] };

  test("records from the key frame at the range's beginning to its end", () => {
    const camera = cameraWith({ archivingMode: "BySchedule", schedule: tenSeconds });
    const bench = setUp([camera], { zone: "UTC" });
    bench.play(180);
    // The range begins before the frame of that very moment has come.
    expect(bench.runs()).toEqual(["from 59", "to 119.9", "end"]);
    expect(bench.decisions).toEqual(["- > by schedule", "by schedule > -"]);
  });

  test("a scenario records for its time besides, and the later of two ends counts", () => {
    const camera = cameraWith({ archivingMode: "BySchedule", schedule: tenSeconds });
    const bench = setUp([camera], { zone: "UTC" });
    const by = { type: 2, id: USER.userId, name: "Night" } as const;
    bench.recorder.recordFor(camera.id, 10, by);
    bench.play(5);
    bench.recorder.recordFor(camera.id, 10, by);
    bench.recorder.recordFor(camera.id, 1, by);
    bench.play(30);
    expect(bench.runs()).toEqual(["from 0", "to 14.9", "end"]);
    expect(bench.decisions).toEqual([
      "- > started by the scenario Night",
      "started by the scenario Night > -",
    ]);
  });

  test("a scenario records no channel that is switched off, nor one after its archiving is", async () => {
    const off = cameraWith({ archivingMode: "OnlyManual", archivingDisabled: true });
    const on = cameraWith({ archivingMode: "OnlyManual" });
    const bench = setUp([off, on], { zone: "UTC" });
    const by = { type: 2, id: USER.userId, name: "Night" } as const;
    expect(() => bench.recorder.recordFor(off.id, 10, by)).toThrow(/cannot be recorded/);
    bench.recorder.recordFor(on.id, 10, by);
    bench.play(1);
    await change(bench, on, { archivingMode: "OnlyManual", archivingDisabled: true });
    await change(bench, on, { archivingMode: "OnlyManual", archivingDisabled: false });
    bench.play(2);
    expect(bench.runs()).toEqual(["from 0", "to 0.9", "end"]);
  });

  test("follows the wall clock when it is set", () => {
    const camera = cameraWith({ archivingMode: "BySchedule", schedule: tenSeconds });
    const bench = setUp([camera], { zone: "UTC" });
    bench.clock.advance(SECOND_US);
    bench.clock.stepWall(60 * SECOND_US);
    bench.clock.advance(SECOND_US);
    expect(bench.decisions).toEqual(["- > by schedule"]);
    bench.clock.stepWall(-60 * SECOND_US);
    bench.clock.advance(SECOND_US);
    expect(bench.decisions).toEqual(["- > by schedule", "by schedule > -"]);
  });

  test("records regardless of the schedule while the time is unknown", () => {
    const camera = cameraWith({ archivingMode: "BySchedule", schedule: {} });
    let isKnown = false;
    const knowledge = {
      ...CLOCK_KNOWN,
      get isKnown() {
        return isKnown;
      },
    };
    const bench = setUp([camera], { zone: "UTC", knowledge });
    bench.play(2);
    isKnown = true;
    bench.play(3);
    expect(bench.runs()).toEqual(["from 0", "to 2.9", "end"]);
  });

  test("continues with the next frame when the mode changes from AlwaysOn within a range, and back", async () => {
    const camera = cameraWith({ archivingMode: "AlwaysOn" });
    const bench = setUp([camera], { zone: "UTC" });
    bench.play(2.5);
    await change(bench, camera, {
      archivingMode: "BySchedule",
      schedule: { Monday: [{ fromMinute: 0, toMinute: 5 }] },
    });
    bench.play(2);
    await change(bench, camera, { archivingMode: "AlwaysOn" });
    bench.play(2.5);
    expect(bench.runs()).toEqual(["from 0", "to 6.9"]);
    expect(bench.decisions).toEqual([
      "- > always recorded",
      "always recorded > by schedule",
      "by schedule > always recorded",
    ]);
  });
});

describe("OnlyManual", () => {
  test("records from the key frame before the switch to its end, and nothing else", async () => {
    const camera = cameraWith({ archivingMode: "OnlyManual" });
    const bench = setUp([camera]);
    bench.play(3.5);
    await switchTo(bench, camera.id, true);
    expect(bench.recorder.isRecording(camera.id)).toBe(true);
    bench.play(4);
    await switchTo(bench, camera.id, false);
    expect(bench.recorder.isRecording(camera.id)).toBe(false);
    bench.play(2);
    expect(bench.runs()).toEqual(["from 3", "to 7.4", "end"]);
    expect(bench.decisions).toEqual(["- > started by root", "started by root > -"]);
  });

  test("switched off and on within a GOP is one recording", async () => {
    const camera = cameraWith({ archivingMode: "OnlyManual" });
    const bench = setUp([camera]);
    bench.play(0.3);
    await switchTo(bench, camera.id, true);
    bench.play(2);
    await switchTo(bench, camera.id, false);
    bench.play(0.4);
    await switchTo(bench, camera.id, true);
    bench.play(2);
    expect(bench.runs()).toEqual(["from 0", "to 4.6"]);
  });

  test("is kept over a restart, with who switched it on", async () => {
    const dataDir = await temporaryDirectory();
    const camera = cameraWith({ archivingMode: "OnlyManual" });
    const first = setUp([camera], { dataDir });
    expect(await switchTo(first, camera.id, true)).toBe(true);
    await first.recorder.stop();
    const second = setUp([camera], { dataDir });
    expect(second.recorder.manualSwitch(camera.id)).toMatchObject(USER);
    second.play(1);
    expect(second.runs()).toEqual(["from 0", "to 0.9"]);
    expect(await switchTo(second, camera.id, false)).toBe(true);
    expect(setUp([camera], { dataDir }).recorder.manualSwitch(camera.id)).toBeUndefined();
  });

  test("reports that a switch is not saved if the disk refuses the file, and records", async () => {
    const camera = cameraWith({ archivingMode: "OnlyManual" });
    const bench = setUp([camera], { dataDir: "/nonexistent/directory" });
    expect(await switchTo(bench, camera.id, true)).toBe(false);
    expect(bench.recorder.state(camera.id).reason).toMatchObject({ kind: "manual" });
  });

  test("is forgotten with a mode that has no manual part, and with the camera", async () => {
    const dataDir = await temporaryDirectory();
    const [one, other] = [
      cameraWith({ archivingMode: "OnlyManual" }),
      cameraWith({ archivingMode: "OnlyManual" }),
    ];
    const bench = setUp([one, other], { dataDir });
    await switchTo(bench, one.id, true);
    await switchTo(bench, other.id, true);
    await bench.site.setCameras([{ ...one, archive: { ...one.archive, archivingMode: "AlwaysOn" } }]);
    await bench.site.setCameras([one, other]);
    expect([one, other].map(({ id }) => bench.recorder.manualSwitch(id))).toEqual([undefined, undefined]);
    await bench.manual.stop();
    expect(JSON.parse(readFileSync(path.join(dataDir, MANUAL_SWITCHES_FILE), "utf8"))).toEqual({
      formatVersion: 1,
      channels: {},
    });
  });

  test.each([
    ["AlwaysOn", { archivingMode: "AlwaysOn" }],
    ["BySchedule", { archivingMode: "BySchedule" }],
    ["disabled archiving", { archivingMode: "OnlyManual", archivingDisabled: true }],
  ] as const)("with %s a switch is a conflict that says so", async (_name, archive) => {
    const camera = cameraWith(archive);
    const bench = setUp([camera]);
    await expect(switchTo(bench, camera.id, true)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(switchTo(bench, testCamera().id, true)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test.each(["", "{", '{"formatVersion":1}', '{"formatVersion":1,"channels":{"x":{}}}', "[]", "null"])(
    "a damaged file (%j) switches nothing on and stops nothing",
    async (text) => {
      const dataDir = await temporaryDirectory();
      writeFileSync(path.join(dataDir, MANUAL_SWITCHES_FILE), text);
      const manual = new ManualSwitches({ dataDir, log: createLog({ level: "silent" }) });
      manual.start();
      expect(manual.of(testCamera().id)).toBeUndefined();
    },
  );

  test("a file of a newer version is ignored without stopping anything, as after a boot of an older version", async () => {
    const dataDir = await temporaryDirectory();
    writeFileSync(path.join(dataDir, MANUAL_SWITCHES_FILE), '{"formatVersion":2}');
    const manual = new ManualSwitches({ dataDir, log: createLog({ level: "silent" }) });
    manual.start();
    expect(manual.of(testCamera().id)).toBeUndefined();
  });
});

describe("MDandManual", () => {
  const camera = () => cameraWith({ archivingMode: "MDandManual" }, { pre: 2, post: 3 });

  test("records from the key frame two seconds before motion to three after its end", () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(10.5);
    bench.report(one.id, true);
    bench.play(4);
    expect(bench.recorder.isRecording(one.id)).toBe(true);
    bench.report(one.id, false);
    bench.play(10);
    expect(bench.recorder.isRecording(one.id)).toBe(false);
    expect(bench.runs()).toEqual(["from 8", "to 17.4", "end"]);
    expect(bench.decisions).toEqual(["- > motion", "motion > -"]);
  });

  test("a stream without frames ends the recording as well", () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(5);
    bench.report(one.id, true);
    bench.report(one.id, false);
    bench.play(1);
    bench.clock.advance(2.9 * SECOND_US);
    expect(bench.decisions).toEqual(["- > motion"]);
    bench.clock.advance(0.1 * SECOND_US);
    expect(bench.decisions).toEqual(["- > motion", "motion > -"]);
    bench.clock.advance(44.9 * SECOND_US);
    expect(bench.runs()).toEqual(["from 3", "to 5.9"]);
    bench.clock.advance(0.1 * SECOND_US);
    expect(bench.runs()).toEqual(["from 3", "to 5.9", "end"]);
  });

  test("motion continues recording when the user's part ends, and the user's part when motion ends", async () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(5);
    bench.report(one.id, true);
    await switchTo(bench, one.id, true);
    bench.play(1);
    await switchTo(bench, one.id, false);
    bench.play(1);
    await switchTo(bench, one.id, true);
    bench.report(one.id, false);
    bench.play(8);
    expect(bench.runs()).toEqual(["from 3", "to 14.9"]);
  });

  test("motion that was on before the mode is recorded", async () => {
    const one = cameraWith({ archivingMode: "OnlyManual" });
    const bench = setUp([one]);
    bench.play(2.5);
    bench.report(one.id, true);
    await change(bench, one, { archivingMode: "MDandManual" });
    bench.play(1);
    expect(bench.runs()).toEqual(["from 2", "to 3.4"]);
  });

  test("a camera whose clock is wrong gets its seconds by the recorder's clock", () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(10);
    bench.report(one.id, true, 0);
    bench.play(1);
    bench.report(one.id, false, 4_000_000_000_000_000);
    bench.play(10);
    expect(bench.runs()).toEqual(["from 6", "to 13.9", "end"]);
  });

  test("a lost camera ends the recording and its pre-roll; it records again from its first key frame", () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(3);
    bench.report(one.id, true);
    bench.play(1);
    bench.stream(one.id).setState({ state: "lost", reason: "unplugged" });
    expect(bench.recorder.isRecording(one.id)).toBe(false);
    bench.clock.advance(5 * SECOND_US);
    bench.stream(one.id).setState({ state: "active" });
    bench.play(2);
    expect(bench.runs()).toEqual(["from 1", "to 3.9", "end", "from 9", "to 10.9"]);
  });

  test("pictures before an interruption of the stream are none of the seconds before motion", () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(2);
    bench.publish(one.id, { key: true, discontinuity: true });
    bench.clock.advance(FRAME_US);
    bench.play(0.9);
    bench.report(one.id, true);
    bench.play(1);
    expect(bench.runs()).toEqual(["end", "from 2", "to 3.9"]);
  });

  test("the sound of the seconds before motion is recorded with their pictures, in the order it came", () => {
    const one = camera();
    const bench = setUp([one]);
    const startUs = bench.clock.nowUs();
    const sent: string[] = [];
    const second = (): void => {
      for (let at = 0; at < 10; at += 1) {
        const audio = at % 2 === 1;
        sent.push(`Main ${audio ? "audio" : "video"} ${bench.clock.nowUs()}`);
        bench.publish(one.id, audio ? { audio } : { key: at === 0 });
        bench.clock.advance(FRAME_US);
      }
    };
    for (let at = 0; at < 8; at += 1) second();
    bench.report(one.id, true);
    second();
    const fromUs = startUs + 6 * SECOND_US;
    expect(bench.archive.notes).toEqual(sent.slice(sent.indexOf(`Main video ${fromUs}`)));
  });

  test("waits with the camera connected, and leaves no timer behind", async () => {
    const one = camera();
    const bench = setUp([one]);
    bench.play(20);
    expect(bench.stream(one.id).subscribers).toBe(1);
    expect(bench.archive.notes).toEqual([]);
    bench.report(one.id, true);
    bench.report(one.id, false);
    await bench.recorder.stop();
    bench.motion.stop();
    expect([bench.stream(one.id).subscribers, bench.clock.timers]).toEqual([0, 0]);
  });
});

describe("what changes while running", () => {
  test("does not affect the other cameras' recordings", async () => {
    const cameras = [cameraWith({}), cameraWith({}), cameraWith({})];
    const [one, , other] = cameras;
    if (one === undefined || other === undefined) throw new Error("no cameras");
    const bench = setUp(cameras);
    const modes = ["OnlyManual", "BySchedule", "MDandManual", "AlwaysOn"] as const;
    for (const archivingMode of modes) {
      bench.play(1.3);
      await change(bench, one, { archivingMode });
      await change(bench, one, { archivingDisabled: true });
      await change(bench, one, { archivingDisabled: false });
      await bench.site.setCameras(
        bench.site.current.cameras.map((known) =>
          known.id === one.id ? { ...known, disabled: true } : known,
        ),
      );
      await bench.site.setCameras(
        bench.site.current.cameras.map((known) =>
          known.id === one.id ? { ...known, disabled: false } : known,
        ),
      );
    }
    bench.play(1);
    const frames = 4 * 13 + 10;
    const twoOthers = bench.archive.notes.filter((note) => note.includes("video")).length;
    // Every frame of the two others, and what the first one's modes recorded.
    expect(twoOthers).toBeGreaterThanOrEqual(2 * frames);
    const counts = new Map<string, number>();
    for (const note of bench.archive.notes)
      if (note.includes("video")) counts.set(note, (counts.get(note) ?? 0) + 1);
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(2);
  });

  test("switching sound off does not affect the recording of pictures", async () => {
    const camera = cameraWith({});
    const bench = setUp([camera]);
    bench.play(1);
    await change(bench, camera, { archivingSoundDisabled: true });
    bench.publish(camera.id, { audio: true });
    bench.play(1);
    expect(bench.runs()).toEqual(["from 0", "to 1.9"]);
  });
});
