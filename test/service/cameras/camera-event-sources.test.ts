import { beforeEach, describe, expect, it } from "vitest";
import type { SeenKind } from "../../../src/base/kinds/seen-kinds.js";
import type { CameraEvent, CameraEventSink } from "../../../src/camera/event/camera-events.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { EVENT_KINDS, seenTypeNames } from "../../../src/event/seen-types.js";
import { type Finding, LastingFindings } from "../../../src/finding/index.js";
import { MotionStates } from "../../../src/recording/motion/motion-states.js";
import { SEEN_MOMENT_MS, SeenStates } from "../../../src/recording/seen-states.js";
import { ZoneStates } from "../../../src/recording/zone-states.js";
import { CameraEventSources } from "../../../src/service/report/camera-event-sources.js";
import { CameraFindings } from "../../../src/service/report/camera-findings.js";
import { SightReports } from "../../../src/service/report/sight-reports.js";
import { type CameraEventChoice, DEFAULT_CAMERA_OPTIONS } from "../../../src/site/model/camera-options.js";
import { GATE_ID, MemorySiteStore } from "../../support/api/api-fakes.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";

let clock: ManualClock;
let site: MemorySiteStore;
let events: MemoryEventLog;
let motion: MotionStates;
let seenMotion: MotionStates;
let seen: SeenStates;
let sink: CameraEventSink;
let findings: LastingFindings;

beforeEach(() => {
  clock = new ManualClock();
  site = new MemorySiteStore();
  events = new MemoryEventLog(clock);
  motion = new MotionStates(clock);
  seenMotion = new MotionStates(clock);
  seen = new SeenStates(clock);
  const cameras = {
    start: (to: CameraEventSink) => {
      sink = to;
    },
    stop: () => Promise.resolve(),
  };
  findings = new LastingFindings(clock);
  const cameraFindings = new CameraFindings(findings);
  new CameraEventSources({
    ...{ cameras, motion, seenMotion, seen, events, findings: cameraFindings, site },
  }).start();
});

function report(kind: SeenKind, active: boolean | undefined, more: Partial<CameraEvent> = {}): void {
  const place = { channelId: GATE_ID, name: "Door", sourceToken: "", detail: "" };
  sink.report({ ...place, kind, active, timeUs: clock.nowUs(), ...more });
}

async function choose(
  cameraEvents: CameraEventChoice | undefined,
  cameraDetectorEnabled = false,
): Promise<void> {
  const motionDetector = {
    ...{ cameraDetectorEnabled, startAndEndEventsEnabled: false, independentFramesOnly: false },
    ...{ customFrameRateEnabled: false, customFrameRate: 1, zonesJson: null },
  };
  const chosen = cameraEvents === undefined ? {} : { cameraEvents };
  const analyze = { ...DEFAULT_CAMERA_OPTIONS.analyze, motionDetector, ...chosen };
  await site.change((now) => ({
    ...now,
    cameras: now.cameras.map((camera) =>
      camera.id === GATE_ID ? { ...camera, kept: { ...DEFAULT_CAMERA_OPTIONS, analyze } } : camera,
    ),
  }));
}

const lines = (): string[] => events.raised.map(({ description, comment }) => `${description} | ${comment}`);

describe("what a camera tells", () => {
  it.each(EVENT_KINDS)("begins and ends as events of its own: %s", (kind) => {
    report(kind, true);
    report(kind, false);
    const [began, ended] = seenTypeNames(kind);
    expect(lines()).toEqual([`${EVENT_TYPES[began].name} | Door`, `${EVENT_TYPES[ended].name} | Door`]);
  });

  it("becomes the reference's type where there is one", () => {
    for (const kind of ["fire", "objectLeft", "face", "plate"] as const) report(kind, undefined);
    const { fireDetected, abandonedItemDetected, faceRecognized, plateRecognized } = EVENT_TYPES;
    const types = [fireDetected, abandonedItemDetected, faceRecognized, plateRecognized];
    expect(events.raised.map(({ typeId }) => typeId)).toEqual(types.map(({ id }) => id));
  });

  it("is no event where the owner does not want its kind", async () => {
    await choose({ marked: ["person"], recorded: null });
    report("person", true);
    report("vehicle", true);
    expect(lines()).toEqual(["Person detected | Door"]);
  });

  it("is reported once, however often it is reported again because it lasts", () => {
    report("person", true);
    report("person", true, { isAgain: true });
    expect(lines()).toHaveLength(1);
  });

  it("is a state as long as it lasts", () => {
    sink.know(GATE_ID, "doorbell");
    report("person", true);
    expect([...seen.of(GATE_ID)]).toEqual([
      ["doorbell", false],
      ["person", true],
    ]);
    sink.forget(GATE_ID);
    expect(seen.of(GATE_ID).get("person")).toBe(false);
  });

  it("leaves what the recorder itself sees alone when nothing more is heard of the camera", async () => {
    await choose(undefined, true);
    const reports = new SightReports({
      ...{ findings, seenMotion, seen, events, site, clock },
      zones: new ZoneStates(),
    });
    const box = { left: 0.1, top: 0.2, width: 0.1, height: 0.3 };
    reports.onBegan({
      ...{
        number: 1,
        channelId: GATE_ID,
        kind: "person",
        label: "person",
        score: 0.8,
        quality: 0.1,
        zones: [],
        box,
        found: box,
      },
      ...{ firstUs: clock.nowUs(), seenUs: clock.nowUs() },
    });
    expect(seenMotion.isActive(GATE_ID)).toBe(true);
    sink.forget(GATE_ID);
    sink.forgetMotion(GATE_ID);
    expect([seenMotion.isActive(GATE_ID), seen.of(GATE_ID).get("person")]).toEqual([true, true]);
    expect(findings.lasting()).toHaveLength(1);
  });
});

describe("a channel is recorded on what its camera tells", () => {
  it("of persons, where motion is left to the camera, and not of its sounds and states", async () => {
    await choose(undefined, true);
    report("sound", true);
    report("relay", true);
    expect(seenMotion.isActive(GATE_ID)).toBe(false);
    report("person", true);
    expect(seenMotion.isActive(GATE_ID)).toBe(true);
    report("person", false);
    expect(seenMotion.isActive(GATE_ID)).toBe(false);
  });

  it("only as the owner chose, where he chose", async () => {
    await choose({ marked: null, recorded: ["doorbell"] });
    report("person", true);
    expect(seenMotion.isActive(GATE_ID)).toBe(false);
    report("doorbell", true);
    expect(seenMotion.isActive(GATE_ID)).toBe(true);
  });

  it("not at all where the recorder looks for motion and the owner chose nothing", async () => {
    await choose(undefined, false);
    report("person", true);
    expect(seenMotion.isActive(GATE_ID)).toBe(false);
  });

  it("of a moment for a moment", async () => {
    await choose(undefined, true);
    report("lineCrossed", undefined);
    expect(seenMotion.isActive(GATE_ID)).toBe(true);
    clock.advance(SEEN_MOMENT_MS);
    expect(seenMotion.isActive(GATE_ID)).toBe(false);
  });

  it("apart from motion, which is reported as motion alone", async () => {
    await choose(undefined, true);
    report("person", true);
    expect(motion.isActive(GATE_ID)).toBe(false);
    report("motion", true);
    expect([motion.isActive(GATE_ID), lines()]).toEqual([true, ["Person detected | Door"]]);
  });
});

describe("findings of cameras", () => {
  function ended(): Finding[] {
    const over: Finding[] = [];
    findings.onChange((finding, change) => {
      if (change === "ended") over.push(finding);
    });
    return over;
  }

  it("last from the begin that the camera tells to its end", () => {
    const over = ended();
    const beginUs = clock.nowUs();
    report("person", true);
    expect(findings.lasting(GATE_ID)).toMatchObject([
      { kind: "person", source: "camera", sourceName: "Door" },
    ]);
    clock.advance(3000);
    report("person", false);
    clock.advance(SEEN_MOMENT_MS);
    expect(over).toMatchObject([{ kind: "person", beginUs, seenUs: beginUs + 3_000_000 }]);
  });

  it("are one where what only happens goes on happening", () => {
    const over = ended();
    for (let time = 0; time < 4; time++) {
      report("lineCrossed", undefined);
      clock.advance(SEEN_MOMENT_MS - 1000);
    }
    clock.advance(SEEN_MOMENT_MS);
    expect(over).toHaveLength(1);
  });

  it("end when nothing more is heard of the camera", () => {
    const over = ended();
    report("person", true);
    sink.forget(GATE_ID);
    clock.advance(SEEN_MOMENT_MS);
    expect(over).toHaveLength(1);
  });

  it("are made of what the owner chose, and of nothing that concerns the device", async () => {
    await choose({ marked: ["person", "storageFailure"], recorded: [] });
    for (const kind of ["vehicle", "person", "storageFailure"] as const) report(kind, true);
    expect(findings.lasting().map(({ kind }) => kind)).toEqual(["person"]);
  });
});
