import { beforeEach, describe, expect, it } from "vitest";
import { newGuid } from "../../../src/base/value/guid.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import type { MotionSource } from "../../../src/recording/motion/motion-change.js";
import { MotionStates } from "../../../src/recording/motion/motion-states.js";
import { OTHER_CLOCK_OFF_US_MAX } from "../../../src/service/report/event-mapping.js";
import { EXTERNAL_MOTION_MS, MotionEvents } from "../../../src/service/report/motion-events.js";
import { DEFAULT_CAMERA_OPTIONS } from "../../../src/site/model/camera-options.js";
import { GATE_ID, MemorySiteStore, YARD_ID } from "../../support/api/api-fakes.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";

let clock: SimulatedClock;
let site: MemorySiteStore;
let events: MemoryEventLog;
let motion: MotionStates;
let motionEvents: MotionEvents;

beforeEach(() => {
  clock = new SimulatedClock();
  site = new MemorySiteStore();
  events = new MemoryEventLog(clock);
  motion = new MotionStates(clock);
  motionEvents = new MotionEvents({ events, site, motion, clock });
  motionEvents.start();
});

const report = (active: boolean, zone = "", source: MotionSource = "camera", timeUs = clock.nowUs()) =>
  motion.report({ channelId: GATE_ID, source, active, timeUs, zone });
const lines = (): string[] =>
  events.raised.map((event) => `${event.description} | ${event.channelName} | ${event.comment}`);

async function startAndEnd(enabled: boolean): Promise<void> {
  const motionDetector = {
    cameraDetectorEnabled: true,
    startAndEndEventsEnabled: enabled,
    independentFramesOnly: false,
    customFrameRateEnabled: false,
    customFrameRate: 1,
    zonesJson: null,
  };
  const kept = {
    ...DEFAULT_CAMERA_OPTIONS,
    analyze: { ...DEFAULT_CAMERA_OPTIONS.analyze, motionDetector },
  };
  await site.change((now) => ({
    ...now,
    cameras: now.cameras.map((camera) => (camera.id === GATE_ID ? { ...camera, kept } : camera)),
  }));
}

describe("motion", () => {
  it("is reported once, with channel and zone", () => {
    report(true, "Door");
    report(true, "Door", "recorder");
    report(false, "Door", "recorder");
    report(false, "Door");
    expect(lines()).toEqual(["Detected Motion | Gate | Door: reported by the camera"]);
    expect(events.raised[0]).toMatchObject({ channelId: GATE_ID, timeUs: clock.nowUs() });
  });

  it("seen by the recorder is reported with the zone's id and the box, relative, with decimal commas", () => {
    const box = { left: 0.125, top: 1 / 3, width: 0.5, height: 1 };
    const change = { channelId: GATE_ID, source: "recorder", active: true, timeUs: clock.nowUs() } as const;
    motion.report({ ...change, zone: "Door", zoneId: "b1", box });
    expect(lines()).toEqual(["Detected Motion | Gate | Door: seen by the recorder"]);
    expect(events.raised[0]?.fields).toEqual({
      Zoneid: "b1",
      Left: "0,125",
      Top: "0,3333",
      Width: "0,5",
      Height: "1",
    });
  });

  it("in a further zone of the recorder's is reported, too, and a zone that is quiet while another is not", async () => {
    await startAndEnd(true);
    const zone = (active: boolean, name: string): void => report(active, name, "recorder");
    zone(true, "Door");
    zone(true, "Gate");
    zone(true, "Gate");
    zone(false, "Door");
    zone(false, "Gate");
    expect(lines().map((line) => line.replace(" | Gate | ", " "))).toEqual([
      "Detected Motion Door: seen by the recorder",
      "Motion started Door: seen by the recorder",
      "Detected Motion Gate: seen by the recorder",
      "Motion started Gate: seen by the recorder",
      "Motion ended Door: seen by the recorder",
      "Motion ended Gate: seen by the recorder",
    ]);
  });

  it("that counts only because the detector cannot see is not reported, nor its end", async () => {
    await startAndEnd(true);
    report(true, "", "blind");
    report(false, "", "blind");
    expect(lines()).toEqual([]);
  });

  it("is reported with start and end where the settings say so", async () => {
    await startAndEnd(true);
    report(true, "Door", "recorder");
    clock.advance(1_000_000);
    report(false, "Door", "recorder");
    expect(lines()).toEqual([
      "Detected Motion | Gate | Door: seen by the recorder",
      "Motion started | Gate | Door: seen by the recorder",
      "Motion ended | Gate | Door: seen by the recorder",
    ]);
    await startAndEnd(false);
    events.raised.length = 0;
    report(true);
    report(false);
    expect(lines()).toEqual(["Detected Motion | Gate | reported by the camera"]);
  });

  it("in a zone with an id names it in the member that clients read", () => {
    const zone = newGuid();
    report(true, zone);
    expect(events.raised[0]?.fields).toEqual({ Zoneid: zone });
  });

  it("of a camera whose clock is wrong is reported at the recorder's time", () => {
    report(true, "", "camera", 5);
    expect(events.raised[0]?.timeUs).toBe(clock.nowUs());
  });

  it("of a channel that is gone is not reported", () => {
    motion.report({ channelId: newGuid(), source: "camera", active: true, timeUs: clock.nowUs(), zone: "" });
    expect(lines()).toEqual([]);
  });
});

describe("another program's motion event", () => {
  const post = (channelId = GATE_ID, timeUs = clock.nowUs(), type = 8 as 0 | 8) =>
    events.raise({
      typeId: EVENT_TYPES.motionDetected.id,
      channelId,
      timeUs,
      initiator: { type, id: channelId, name: "ExternalEvent" },
    });

  it("is motion of its channel for a while, and is not reported twice", async () => {
    await startAndEnd(true);
    post();
    expect(motion.isActive(GATE_ID)).toBe(true);
    clock.advance(EXTERNAL_MOTION_MS * 1000 - 1);
    post();
    clock.advance(EXTERNAL_MOTION_MS * 1000 - 1);
    expect([motion.isActive(GATE_ID), motion.isActive(YARD_ID)]).toEqual([true, false]);
    clock.advance(1);
    expect(motion.isActive(GATE_ID)).toBe(false);
    expect(lines()).toEqual([
      "Detected Motion |  | ",
      "Motion started | Gate | reported by another program",
      "Detected Motion |  | ",
      "Motion ended | Gate | reported by another program",
    ]);
  });

  it("of another time, of no channel, or of the recorder itself is no motion", () => {
    post(GATE_ID, clock.nowUs() - OTHER_CLOCK_OFF_US_MAX - 1);
    post(newGuid());
    post(GATE_ID, clock.nowUs(), 0);
    expect(motion.isActive(GATE_ID)).toBe(false);
  });
});

it("leaves nothing behind when it has stopped", () => {
  motionEvents.stop();
  report(true);
  report(false);
  expect([clock.timers, lines()]).toEqual([0, []]);
});
