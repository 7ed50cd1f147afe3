import { beforeEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/value/guid.js";
import type { RecordingDecision, RecordingState } from "../../../src/recording/recorder.js";
import type { RecordingReason } from "../../../src/recording/recording-reason.js";
import { RecordingEvents } from "../../../src/service/report/recording-events.js";
import { CONFIRM_MS } from "../../../src/service/report/steady-state.js";
import { GATE_ID, MemorySiteStore, YARD_ID } from "../../support/api/api-fakes.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";

const SECOND_US = 1_000_000;
const USER = { userId: "00000000-0000-4000-8000-000000000007", userName: "guard", sinceUs: 0 };
const MOTION: RecordingReason = {
  kind: "motion",
  episode: { source: "camera", zone: "Gate zone", beganUs: 0, untilUs: undefined },
};

let clock: SimulatedClock;
let site: MemorySiteStore;
let events: MemoryEventLog;
let states: Map<Guid, RecordingState>;
let decide: (decision: RecordingDecision) => void;
let recordingEvents: RecordingEvents;

beforeEach(() => {
  clock = new SimulatedClock();
  site = new MemorySiteStore();
  events = new MemoryEventLog(clock);
  states = new Map();
  recordingEvents = new RecordingEvents({
    events,
    site,
    recording: {
      state: (id) => states.get(id) ?? { reason: undefined, isRecording: false, isConnected: true },
      onDecision: (listener) => {
        decide = listener;
      },
    },
    clock,
  });
  recordingEvents.start();
});

function turn(channelId: Guid, reason: RecordingReason | undefined, isConnected = true): void {
  const previous = states.get(channelId)?.reason;
  states.set(channelId, { reason, isRecording: reason !== undefined && isConnected, isConnected });
  decide({ channelId, reason, previous });
}

const lines = (): string[] =>
  events.raised.map((event) => `${event.description} | ${event.channelName} | ${event.comment}`);

async function change(id: Guid, edit: { disabled?: boolean; archivingDisabled?: boolean }): Promise<void> {
  const { disabled, archivingDisabled } = edit;
  await site.change((now) => ({
    ...now,
    cameras: now.cameras.map((camera) =>
      camera.id === id
        ? {
            ...camera,
            disabled: disabled ?? camera.disabled,
            archive: {
              ...camera.archive,
              archivingMode: "MDandManual",
              archivingDisabled: archivingDisabled ?? false,
            },
          }
        : camera,
    ),
  }));
}

describe("a decision", () => {
  it("is reported at once, with the reason, however short the recording", async () => {
    await change(GATE_ID, {});
    turn(GATE_ID, MOTION);
    clock.advance(2 * SECOND_US);
    turn(GATE_ID, undefined);
    clock.advance(60 * SECOND_US);
    expect(lines()).toEqual([
      "Recording started | Gate | motion in Gate zone",
      "Recording stopped | Gate | motion ended",
    ]);
  });

  it.each([
    ["blind", "", "the motion detector cannot see", "the motion detector sees again"],
    ["analysis", "", "an analyser found something", "an analyser finds nothing more"],
    [
      "seen",
      "Person detected (MyRuleDetector)",
      "reported by the camera: Person detected (MyRuleDetector)",
      "no longer reported by the camera: Person detected (MyRuleDetector)",
    ],
  ] as const)("for %s says at its end what has ended", async (source, zone, began, ended) => {
    await change(GATE_ID, {});
    turn(GATE_ID, { kind: "motion", episode: { source, zone, beganUs: 0, untilUs: undefined } });
    turn(GATE_ID, undefined);
    expect(lines()).toEqual([`Recording started | Gate | ${began}`, `Recording stopped | Gate | ${ended}`]);
  });

  it("made before the camera was there is reported with its first frames, and so is its end", async () => {
    await change(GATE_ID, {});
    turn(GATE_ID, MOTION, false);
    clock.advance(30 * SECOND_US);
    expect(lines()).toEqual([]);
    states.set(GATE_ID, { reason: MOTION, isRecording: true, isConnected: true });
    clock.advance(2 * SECOND_US);
    turn(GATE_ID, undefined);
    clock.advance(60 * SECOND_US);
    expect(lines()).toEqual([
      "Recording started | Gate | motion in Gate zone",
      "Recording stopped | Gate | motion ended",
    ]);
  });

  it("made before the camera was there is told however short the recording, and not without one", async () => {
    await change(GATE_ID, {});
    turn(GATE_ID, MOTION, false);
    turn(GATE_ID, undefined, false);
    expect(lines()).toEqual([]);
    turn(GATE_ID, MOTION, false);
    states.set(GATE_ID, { reason: MOTION, isRecording: true, isConnected: true });
    turn(GATE_ID, undefined);
    clock.advance(60 * SECOND_US);
    expect(lines()).toEqual([
      "Recording started | Gate | motion in Gate zone",
      "Recording stopped | Gate | motion ended",
    ]);
  });

  it("of a user names who", () => {
    turn(GATE_ID, { kind: "manual", by: USER });
    expect(events.raised[0]).toMatchObject({
      comment: "started by guard",
      initiator: { type: 1, id: USER.userId, name: "guard" },
    });
  });

  it("for another reason while it is recorded is no start", () => {
    turn(GATE_ID, MOTION);
    turn(GATE_ID, { kind: "manual", by: USER });
    expect(lines()).toEqual(["Recording started | Gate | motion in Gate zone"]);
  });

  it("that ends with a switch in the configuration says which", async () => {
    turn(GATE_ID, { kind: "always" });
    turn(YARD_ID, { kind: "always" });
    events.raised.length = 0;
    await change(GATE_ID, { archivingDisabled: true });
    await change(YARD_ID, { disabled: true });
    turn(GATE_ID, undefined);
    turn(YARD_ID, undefined);
    expect(events.raised.map((event) => event.comment)).toEqual([
      "recording is switched off",
      "the channel is switched off",
    ]);
  });
});

describe("a recording against the decision", () => {
  it("starts when the camera has been there for a while", () => {
    turn(GATE_ID, { kind: "always" }, false);
    clock.advance(60 * SECOND_US);
    expect(lines()).toEqual([]);
    states.set(GATE_ID, { reason: { kind: "always" }, isRecording: true, isConnected: true });
    clock.advance(SECOND_US + CONFIRM_MS * 1000);
    expect(lines()).toEqual(["Recording started | Gate | always recorded"]);
  });

  it.each([
    [false, "the camera sends nothing"],
    [true, "nothing reaches the disk"],
  ])(
    "that is interrupted (camera there: %s) is told when it lasts, and when it is over",
    (isConnected, why) => {
      turn(GATE_ID, { kind: "always" });
      clock.advance(10 * SECOND_US);
      const reason = { kind: "always" } as const;
      states.set(GATE_ID, { reason, isRecording: false, isConnected });
      clock.advance(2 * SECOND_US);
      expect(events.raised).toHaveLength(1);
      clock.advance(CONFIRM_MS * 1000);
      states.set(GATE_ID, { reason, isRecording: true, isConnected: true });
      clock.advance(2 * SECOND_US + CONFIRM_MS * 1000);
      expect(lines()).toEqual([
        "Recording started | Gate | always recorded",
        `Recording stopped | Gate | ${why}`,
        "Recording started | Gate | always recorded",
      ]);
    },
  );

  it("that was reported as stopped is not reported again when it is not wanted any more", () => {
    turn(GATE_ID, MOTION);
    states.set(GATE_ID, { reason: MOTION, isRecording: false, isConnected: false });
    clock.advance(20 * SECOND_US);
    turn(GATE_ID, undefined);
    expect(lines()).toHaveLength(2);
  });
});

it("leaves no timer behind and tells nothing after it has stopped", () => {
  turn(GATE_ID, { kind: "always" }, false);
  clock.advance(10 * SECOND_US);
  recordingEvents.stop();
  turn(GATE_ID, { kind: "schedule" });
  expect([clock.timers, lines()]).toEqual([0, []]);
});
