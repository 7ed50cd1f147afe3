import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LmdbSegmentIndex, RemovedTime } from "../../../src/archive/index.js";
import { ArchiveQueries } from "../../../src/archive/read/archive-queries.js";
import { EVENT_TYPES, type EventTypeName, type LmdbEventLog } from "../../../src/event/index.js";
import { interruptionText, type RunInterruption } from "../../../src/health/index.js";
import { deletedTimes } from "../../../src/owner/timeline/channel-reasons.js";
import { GapReasons } from "../../../src/owner/timeline/gap-reasons.js";
import { gapsBetween, recordedRuns } from "../../../src/owner/timeline/recorded-runs.js";
import { modeChangeText, type RecordingMode, scheduleChangeText } from "../../../src/recording/index.js";
import type { ArchiveSettings, Camera } from "../../../src/site/index.js";
import { camera, GATE_ID, MemorySiteStore, sampleSite } from "../../support/api/api-fakes.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { guidOfNumber, segmentOf } from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { inTimeZone } from "../../support/base/time-zone.js";
import { openEventLog } from "../../support/event/event-log-harness.js";

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;
/** A Monday; the day before it is a day of the recorder's life. */
const MONDAY = new Date(2026, 2, 2).getTime() * 1000;
const NINE_US = MONDAY + 9 * HOUR_US;
const DAY_US = 24 * HOUR_US;

let clock: SimulatedClock;
let events: LmdbEventLog;
let index: LmdbSegmentIndex;
let scratch: { readonly path: string; remove(): void };
let removed: RemovedTime[];
let isRecording: boolean;
let indexFault: string | undefined;
let segments: number;

beforeEach(async () => {
  clock = new SimulatedClock();
  clock.stepWall(NINE_US + 12 * HOUR_US - clock.nowUs());
  scratch = scratchDirectory();
  events = await openEventLog(scratch.path);
  index = await openIndex(`${scratch.path}/index`);
  removed = [];
  isRecording = false;
  indexFault = undefined;
  segments = 0;
});
afterEach(async () => {
  await events.stop();
  await index.stop();
  scratch.remove();
});

/** The gate as it is configured now. */
function gate(archive: Partial<ArchiveSettings> = {}, change: Partial<Camera> = {}): Camera {
  const one = camera(GATE_ID, "Gate", change);
  return { ...one, archive: { ...one.archive, ...archive } };
}

/** Times are minutes after nine. */
function raise(name: EventTypeName, minute: number, comment = ""): void {
  events.raise({ typeId: EVENT_TYPES[name].id, timeUs: at(minute), comment, channelId: GATE_ID });
}

function raiseOfRecorder(name: EventTypeName, minute: number, comment = ""): void {
  events.raise({ typeId: EVENT_TYPES[name].id, timeUs: at(minute), comment });
}

function changeMode(minute: number, from: RecordingMode | undefined, to: RecordingMode): void {
  raise("recordingModeChanged", minute, modeChangeText({ from, to }));
}

function interrupt(minute: number, kind: RunInterruption["kind"], aliveMinute: number): void {
  raiseOfRecorder("serviceInterrupted", minute, interruptionText({ kind, aliveUs: at(aliveMinute) }));
}

function at(minute: number): number {
  return NINE_US + minute * MINUTE_US;
}

/** Records in segments of up to five minutes. */
function record(fromMinute: number, toMinute: number): void {
  segments += 1;
  for (let fromUs = at(fromMinute); fromUs < at(toMinute); fromUs += 5 * MINUTE_US) {
    const durationUs = Math.min(5 * MINUTE_US, at(toMinute) - fromUs);
    const segment = segmentOf({ fromUs, durationUs, fragment: segments, gopUs: MINUTE_US });
    index.add({
      ...segment,
      key: { channelId: GATE_ID, streamType: "Main" },
      fragmentId: guidOfNumber(segments, 4),
    });
  }
}

/** The gaps of a time and their reasons: minutes after nine. */
async function gaps(
  fromMinute: number,
  toMinute: number,
  now: Camera = gate(),
): Promise<readonly [number, number, string][]> {
  await events.flush();
  const archive = new ArchiveQueries(index);
  const within = { fromUs: at(fromMinute), toUs: at(toMinute) };
  const reasons = await reasonsOf().of(now, within);
  return gapsBetween(recordedRuns(archive, GATE_ID, within), within)
    .flatMap((gap) => reasons.explain(gap))
    .map(({ fromUs, toUs, reason }) => [
      (fromUs - NINE_US) / MINUTE_US,
      (toUs - NINE_US) / MINUTE_US,
      reason,
    ]);
}

function reasonsOf(): GapReasons {
  const queries = new ArchiveQueries(index);
  return new GapReasons({
    events,
    site: new MemorySiteStore(sampleSite()),
    archive: {
      nearestFrameUs: (key, timeUs) => queries.nearestFrameUs(key, timeUs),
      indexFault: () => indexFault,
      onChange: (listener) => index.onChange(listener),
    },
    deletedTimes: () => deletedTimes(removed),
    isRecording: () => isRecording,
    clock,
  });
}

describe("a camera", () => {
  it("that was lost and came back", async () => {
    record(0, 10);
    raise("cameraLost", 10.1, "Main: no route to host");
    record(30, 60);
    raise("cameraBack", 30.1, "Main: connected");
    expect(await gaps(0, 60)).toEqual([[10, 30, "camera-lost"]]);
  });

  it("whose other stream was lost does not explain a gap of the archived one", async () => {
    record(0, 10);
    raise("cameraLost", 2, "Alternative: no route to host");
    raiseOfRecorder("serviceStopped", 10);
    raiseOfRecorder("serviceStarted", 30);
    record(30, 60);
    expect(await gaps(0, 60)).toEqual([[10, 30, "service-stopped"]]);
  });

  it("that is lost since it was added was not recorded yet before, and is lost since", async () => {
    changeMode(10, undefined, "AlwaysOn");
    raise("cameraLost", 10.2, "Main: no route to host");
    expect(await gaps(0, 60)).toEqual([
      [0, 10, "not-recorded-yet"],
      [10, 60, "camera-lost"],
    ]);
  });

  it("that was interrupted for seconds", async () => {
    record(0, 10);
    record(10.1, 60);
    expect(await gaps(0, 60)).toEqual([[10, 10.1, "interrupted"]]);
  });

  it("that was lost before the service stopped, and after it started", async () => {
    record(0, 10);
    raise("cameraLost", 10.1, "Main: no route to host");
    raiseOfRecorder("serviceStopped", 20);
    raiseOfRecorder("serviceStarted", 30);
    raise("cameraLost", 30.1, "Main: no route to host");
    record(40, 60);
    raise("cameraBack", 40.1, "Main: connected");
    expect(await gaps(0, 60)).toEqual([
      [10, 20, "camera-lost"],
      [20, 30, "service-stopped"],
      [30, 40, "camera-lost"],
    ]);
  });
});

it("a camera that came back and was switched off at once, before its return was reported, is not lost from then on", async () => {
  record(0, 10);
  raise("cameraLost", 10.1, "Main: no route to host");
  record(20, 22);
  changeMode(22.01, "AlwaysOn", "off");
  changeMode(30, "off", "AlwaysOn");
  record(30.1, 40);
  record(50, 60);
  expect(await gaps(0, 60)).toEqual([
    [10, 20, "camera-lost"],
    [22, 30.1, "switched-off"],
    [40, 50, "unknown"],
  ]);
});

describe("the service", () => {
  it("that was stopped, until the camera is connected again", async () => {
    record(0, 10);
    raiseOfRecorder("serviceStopped", 9.99);
    raiseOfRecorder("serviceStarted", 20);
    record(20.2, 60);
    expect(await gaps(0, 60)).toEqual([[10, 20.2, "service-stopped"]]);
  });

  it.each([
    ["killed", "service-crashed"],
    ["crashed", "service-crashed"],
    ["failed", "service-crashed"],
    ["power-lost", "power-cut"],
  ] as const)("that was %s", async (kind, reason) => {
    raiseOfRecorder("serviceStarted", -60);
    record(0, 10);
    interrupt(20, kind, 8);
    record(20.2, 60);
    raiseOfRecorder("serviceStarted", 20.3);
    expect(await gaps(0, 60)).toEqual([[10, 20.2, reason]]);
  });

  it("that crashed while a camera was lost", async () => {
    record(0, 10);
    raise("cameraLost", 10.1, "Main: no route to host");
    interrupt(60, "killed", 40);
    raiseOfRecorder("serviceStarted", 60.1);
    record(60.2, 90);
    expect(await gaps(0, 90)).toEqual([
      [10, 40, "camera-lost"],
      [40, 60.2, "service-crashed"],
    ]);
  });

  it("that crashed does not explain a gap after which it was still recording", async () => {
    record(0, 10);
    raiseOfRecorder("serviceStopped", 10);
    raiseOfRecorder("serviceStarted", 20);
    record(20.2, 24);
    record(24.1, 25);
    interrupt(30, "killed", 19);
    record(30.1, 60);
    raiseOfRecorder("serviceStarted", 30.2);
    expect(await gaps(0, 60)).toEqual([
      [10, 20.2, "service-stopped"],
      [24, 24.1, "interrupted"],
      [25, 30.1, "service-crashed"],
    ]);
  });

  it("that is down at the end of the time that is asked about", async () => {
    record(0, 10);
    raiseOfRecorder("serviceStopped", 10);
    raiseOfRecorder("serviceStarted", 90);
    record(90, 100);
    expect(await gaps(0, 60)).toEqual([[10, 60, "service-stopped"]]);
  });
});

describe("the mode", () => {
  it("off: switched off and on again", async () => {
    record(0, 10);
    changeMode(10, "AlwaysOn", "off");
    changeMode(20, "off", "AlwaysOn");
    record(20.1, 60);
    expect(await gaps(0, 60)).toEqual([[10, 20.1, "switched-off"]]);
  });

  it("off since the last start, without an event, because it was changed while the service was stopped", async () => {
    changeMode(-60, undefined, "AlwaysOn");
    record(0, 10);
    raiseOfRecorder("serviceStopped", 10);
    raiseOfRecorder("serviceStarted", 20);
    expect(await gaps(0, 60, gate({}, { disabled: true }))).toEqual([
      [10, 20, "service-stopped"],
      [20, 60, "switched-off"],
    ]);
  });

  it("on motion: no motion, but a lost camera is lost", async () => {
    record(0, 10);
    record(20, 30);
    raise("cameraLost", 40, "Main: no route to host");
    raise("cameraBack", 50, "Main: connected");
    expect(await gaps(0, 60, gate({ archivingMode: "MDandManual" }))).toEqual([
      [10, 20, "no-motion"],
      [30, 40, "no-motion"],
      [40, 50, "camera-lost"],
      [50, 60, "no-motion"],
    ]);
  });

  it("on motion: a camera that is lost while it is recorded was lost from then on", async () => {
    record(0, 10);
    raise("cameraLost", 10.1, "Main: no route to host");
    expect(await gaps(0, 60, gate({ archivingMode: "MDandManual" }))).toEqual([[10, 60, "camera-lost"]]);
  });

  it("by hand: not started, and lost where it was", async () => {
    raise("recordingSwitchedOn", 10);
    record(10, 20);
    raise("cameraLost", 20.1, "Main: no route to host");
    raise("recordingSwitchedOff", 40);
    expect(await gaps(5, 60, gate({ archivingMode: "OnlyManual" }))).toEqual([
      [5, 10, "not-started"],
      [20, 40, "camera-lost"],
      [40, 60, "not-started"],
    ]);
  });

  it("by the schedule that held then, not by the present one", async () => {
    const schedule = (fromMinute: number, toMinute: number) => ({
      Monday: [{ fromMinute: 9 * 60 + fromMinute, toMinute: 9 * 60 + toMinute }],
    });
    record(10, 20);
    raise("recordingModeChanged", 30, scheduleChangeText(schedule(10, 20)));
    raise("recordingModeChanged", 40, scheduleChangeText(undefined));
    record(50, 55);
    const now = gate({ archivingMode: "BySchedule", schedule: schedule(50, 60) });
    expect(await gaps(0, 60, now)).toEqual([
      [0, 10, "by-schedule"],
      [20, 30, "by-schedule"],
      [30, 40, "unknown"],
      [40, 50, "by-schedule"],
      [55, 60, "unknown"],
    ]);
  });

  it("by a schedule that was too long to be kept: nothing is blamed on it", async () => {
    record(0, 10);
    const ranges = Array.from({ length: 200 }, (_, at) => ({ fromMinute: at * 2, toMinute: at * 2 + 1 }));
    raise("recordingModeChanged", 40, scheduleChangeText({ Monday: ranges }));
    const now = gate({ archivingMode: "BySchedule", schedule: {} });
    expect(await gaps(0, 60, now)).toEqual([
      [10, 40, "unknown"],
      [40, 60, "by-schedule"],
    ]);
  });

  it("by schedule: what it leaves out, and a camera that is lost within it", async () => {
    const schedule = { Monday: [{ fromMinute: 9 * 60 + 10, toMinute: 9 * 60 + 40 }] };
    record(10, 20);
    raise("cameraLost", 20.1, "Main: no route to host");
    expect(await gaps(0, 60, gate({ archivingMode: "BySchedule", schedule }))).toEqual([
      [0, 10, "by-schedule"],
      [20, 40, "camera-lost"],
      [40, 60, "by-schedule"],
    ]);
  });

  it("as it was then, whatever it is now", async () => {
    changeMode(-60, undefined, "MDandManual");
    record(0, 10);
    changeMode(30, "MDandManual", "AlwaysOn");
    record(30, 60);
    expect(await gaps(0, 60)).toEqual([[10, 30, "no-motion"]]);
  });
});

describe("the archive", () => {
  it("whose oldest recordings were deleted, because of their age, and for space", async () => {
    removed = [
      { fromUs: at(0), toUs: at(10), cause: "age" },
      { fromUs: at(10), toUs: at(20), cause: "space" },
    ];
    changeMode(-10, undefined, "AlwaysOn");
    record(20, 60);
    expect(await gaps(-20, 60)).toEqual([
      [-20, 0, "not-recorded-yet"],
      [0, 10, "deleted-age"],
      [10, 20, "deleted-space"],
    ]);
  });

  it("that cannot write", async () => {
    record(0, 10);
    raise("droppingStarted", 10.1, "Main: no volume takes it");
    raise("droppingEnded", 30, "Main: 45000 frames were lost");
    record(30.1, 60);
    expect(await gaps(0, 60)).toEqual([[10, 30.1, "disk"]]);
  });

  it("whose camera sends what cannot be recorded", async () => {
    record(0, 10);
    raise("framesLost", 10.1, "Main: waiting for a key frame");
    raise("framesComplete", 30, "Main: complete");
    record(30.1, 60);
    expect(await gaps(0, 60)).toEqual([[10, 30.1, "not-recordable"]]);
  });

  it("that is being opened", async () => {
    indexFault = "the index of recordings is being opened";
    expect(await gaps(0, 60)).toEqual([[0, 60, "not-known-yet"]]);
  });

  it("that nothing explains", async () => {
    record(0, 10);
    record(30, 60);
    expect(await gaps(0, 60)).toEqual([[10, 30, "unknown"]]);
  });

  it("that has the last seconds not yet", async () => {
    const nowMinute = (clock.nowUs() - NINE_US) / MINUTE_US;
    record(nowMinute - 10, nowMinute - 0.05);
    expect((await gaps(nowMinute - 10, nowMinute)).map(([, , reason]) => reason)).toEqual(["not-known-yet"]);
  });
});

it("the last seconds of a recording that goes on are not known yet, although the camera's return is not reported yet", async () => {
  const nowMinute = (clock.nowUs() - NINE_US) / MINUTE_US;
  raise("cameraLost", nowMinute - 20, "Main: no route to host");
  record(nowMinute - 10, nowMinute - 0.05);
  isRecording = true;
  expect((await gaps(nowMinute - 10, nowMinute)).map(([, , reason]) => reason)).toEqual(["not-known-yet"]);
});

it("the clock was moved ahead", async () => {
  record(0, 10);
  raiseOfRecorder("clockStepped", 70, "by +3600.000 s");
  record(70, 90);
  expect(await gaps(0, 90)).toEqual([[10, 70, "clock-unknown"]]);
});

it("the recorder was held up, also where the camera ended its stream for that", async () => {
  record(0, 10);
  raise("cameraLost", 10.1, "Main: the camera ended the stream");
  raiseOfRecorder("recorderHeld", 11, "50.0 of 60.0 s, by POST /api/session (49.0 s)");
  raise("cameraBack", 11, "Main");
  record(11, 90);
  expect(await gaps(0, 90)).toEqual([[10, 11, "recorder-busy"]]);
});

it("an event that is raised after the first answer counts", async () => {
  record(0, 10);
  const reasons = reasonsOf();
  const within = { fromUs: at(10), toUs: at(60) };
  expect((await reasons.of(gate(), within)).main(within)).toBe("unknown");
  raise("cameraLost", 10.1, "Main: no route to host");
  expect((await reasons.of(gate(), within)).main(within)).toBe("camera-lost");
});

it("the reason of a gap is that of most of it", async () => {
  changeMode(-60, undefined, "AlwaysOn");
  record(-60, 0);
  raiseOfRecorder("serviceStopped", 0);
  raiseOfRecorder("serviceStarted", 10);
  raise("cameraLost", 10.1, "Main: no route to host");
  const reasons = reasonsOf();
  expect(await reasons.reasonOf(GATE_ID, at(0), at(60))).toBe("camera-lost");
  expect(await reasons.reasonOf(GATE_ID, at(0), at(15))).toBe("service-stopped");
});

it("a day of 23 hours and one of 25 have their schedule by the local clock", async () => {
  await inTimeZone("Europe/Berlin", async () => {
    const schedule = { Sunday: [{ fromMinute: 0, toMinute: 4 * 60 }] };
    const hours = async (date: string): Promise<number> => {
      const startUs = Date.parse(date) * 1000;
      const reasons = await reasonsOf().of(gate({ archivingMode: "BySchedule", schedule }), {
        fromUs: startUs - DAY_US,
        toUs: startUs + DAY_US,
      });
      clock.stepWall(startUs + 2 * DAY_US - clock.nowUs());
      const parts = reasons.explain({ fromUs: startUs, toUs: startUs + 12 * HOUR_US });
      const first = parts.find(({ reason }) => reason === "by-schedule");
      return ((first?.fromUs ?? 0) - startUs) / HOUR_US;
    };
    // From local midnight to local 04:00.
    expect(await hours("2026-03-28T23:00:00Z")).toBe(3);
    expect(await hours("2026-10-24T22:00:00Z")).toBe(5);
  });
});
