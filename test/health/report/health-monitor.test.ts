import { afterEach, beforeEach, expect, it } from "vitest";
import type { ClockSet } from "../../../src/base/index.js";
import {
  ARCHIVE_STATUS_UNKNOWN,
  CAMERA_GRACE_US,
  FIGURES_KEPT_US,
  HealthMonitor,
  healthProblems,
  type MachineFigures,
  type RecordingWord,
} from "../../../src/health/index.js";
import { GATE_ID, MemorySiteStore, MemoryStreams, YARD_ID } from "../../support/api/api-fakes.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { healthFigures, volumeStatus } from "../../support/health/health-figures.js";

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;
const MONITOR_WAIT_US = 3 * SECOND_US;

/** What the recorder's parts say, to be changed by a test. */
class Parts {
  readonly clock = new SimulatedClock();
  readonly site = new MemorySiteStore();
  readonly streams = new MemoryStreams(this.site);
  readonly words = new Map<string, RecordingWord>();
  readonly recording = { state: (id: string) => this.words.get(id) ?? WELL };
  machineReads = 0;
  machineHangs = false;
  writtenBytes = 0;
  volumeStatusAsked = 0;
  areTwoDevices = false;
  #stepped: (shiftUs: number) => void = () => undefined;
  readonly knowledge = {
    isKnown: true,
    knownBy: "time-server" as const,
    provisionalOffsetUs: undefined,
    set: undefined as ClockSet | undefined,
    onSet: () => undefined,
    onStepped: (listener: (shiftUs: number) => void) => {
      this.#stepped = listener;
    },
  };
  readonly archive = {
    overload: () => ({ streams: [], volumes: [this.#volume()] }),
    indexStatus: () => healthFigures().index,
    removed: () => ({ segments: 0, bytes: 0 }),
    absentVolumes: () => [],
    volumeStatus: async () => {
      this.volumeStatusAsked += 1;
      return [volumeStatus()];
    },
  };

  step(shiftUs: number): void {
    this.#stepped(shiftUs);
  }

  readonly machine = {
    read: async (): Promise<MachineFigures> => {
      this.machineReads += 1;
      if (this.machineHangs) await new Promise(() => undefined);
      return healthFigures().machine;
    },
  };

  #volume() {
    return {
      directory: "/mnt/one",
      volumeId: undefined,
      usable: true,
      isRetired: false,
      streams: 2,
      heldBytes: 0,
      heldBytesMax: 1,
      level: 0 as const,
      writeStallMs: 0,
      syncStallMs: 0,
      bytesPerSecond: 0,
      freeBytes: 0,
      writtenBytes: this.writtenBytes,
      segmentsFailed: 0,
    };
  }
}

const WELL: RecordingWord = { reason: {}, isRecording: true, isConnected: true };

let parts: Parts;
let monitor: HealthMonitor;

beforeEach(() => {
  parts = new Parts();
  monitor = new HealthMonitor({
    ...parts,
    areTwoDevices: () => parts.areTwoDevices,
    reach: async (volumes) => ({ daysLeft: volumes.length, daysHeld: 7 }),
    archiveHealth: { status: ARCHIVE_STATUS_UNKNOWN },
    events: { status: () => healthFigures().eventLog },
    pool: { allocatedBytes: 0, idleBytes: 0, totalBytesMax: 1024 },
    memory: {
      plan: () => ({ limitBytes: 1e9, limitedBy: "machine", neededBytes: 4e8, shares: {}, leftOut: [] }),
    },
    transcoding: { size: 0 },
    alarms: { states: () => [] },
    away: { states: () => [] },
    eventLoop: { read: () => healthFigures().eventLoop, start: () => undefined, stop: () => undefined },
    runs: { runs: [], crash: undefined },
    clock: parts.clock,
    knowledge: parts.knowledge,
    clockStatus: () => ({
      synchronized: true,
      fromBatteryClock: false,
      fromHostClock: false,
      batteryTimeUs: undefined,
      errorMaxUs: 1500,
    }),
    versions: { release: { version: "1.2.3", commit: "", date: "" }, libav: async () => "5" },
  });
  monitor.start();
});

afterEach(() => {
  monitor.stop();
  expect(parts.clock.timers).toBe(0);
});

const codes = async () => healthProblems(await monitor.figures()).map(({ code }) => code);

/** Lets the clock pass and what waits on promises happen. */
async function pass(us: number): Promise<void> {
  parts.clock.advance(us);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

it("who asks within a second gets the same figures, later ones are new", async () => {
  const first = await monitor.figures();
  expect(await monitor.figures()).toBe(first);
  const reads = parts.machineReads;
  await Promise.all([monitor.figures(), monitor.figures()]);
  expect(parts.machineReads).toBe(reads);
  await pass(FIGURES_KEPT_US);
  expect(await monitor.figures()).not.toBe(first);
});

it("many who ask at once cost one look", async () => {
  await pass(FIGURES_KEPT_US);
  const reads = parts.machineReads;
  const asked = await Promise.all(Array.from({ length: 50 }, () => monitor.figures()));
  expect(new Set(asked).size).toBe(1);
  expect(parts.machineReads - reads).toBeLessThanOrEqual(1);
});

it("a sensor that hangs delays an answer by 2 s at the most, and is not asked again", async () => {
  await monitor.figures();
  parts.machineHangs = true;
  await pass(6 * SECOND_US);
  const asked = monitor.figures();
  const reads = parts.machineReads;
  await pass(MONITOR_WAIT_US);
  expect((await asked).machine.uptimeSeconds).toBe(86_400);
  await pass(180 * SECOND_US);
  expect(parts.machineReads).toBe(reads);
});

it("a camera that sends nothing is reported when it has lasted, and no more when it is back", async () => {
  parts.words.set(GATE_ID, { reason: {}, isRecording: false, isConnected: false });
  await pass(CAMERA_GRACE_US - SECOND_US);
  expect(await codes()).toEqual([]);
  await pass(7 * SECOND_US);
  expect(await codes()).toEqual(["camera-lost"]);
  parts.words.delete(GATE_ID);
  await pass(FIGURES_KEPT_US);
  expect(await codes()).toEqual([]);
});

it("a camera whose stream is lost is reported at once, as the status of its channel is", async () => {
  await pass(FIGURES_KEPT_US);
  expect(await codes()).toEqual([]);
  // Its segment is still open, and is to be.
  parts.words.set(GATE_ID, { reason: {}, isRecording: true, isConnected: false });
  parts.streams.live(GATE_ID).setState({ state: "lost", reason: "it does not answer", cause: "unreachable" });
  await pass(FIGURES_KEPT_US);
  expect(await codes()).toEqual(["camera-lost"]);
});

it("a camera that reconnects again and again within the time is not reported", async () => {
  for (let turn = 0; turn < 10; turn++) {
    parts.words.set(YARD_ID, { reason: {}, isRecording: false, isConnected: false });
    await pass(CAMERA_GRACE_US - 5 * SECOND_US);
    expect(await codes()).toEqual([]);
    parts.words.delete(YARD_ID);
    await pass(5 * SECOND_US);
  }
});

it("the rate is of the last 24 hours, whatever a volume counted before", async () => {
  const rate = async () => (await monitor.figures()).volumes[0]?.bytesPerDay;
  expect(await rate()).toBeUndefined();
  for (let hour = 0; hour < 24; hour++) {
    parts.writtenBytes += 1e9;
    await pass(HOUR_US);
  }
  expect(await rate()).toBeCloseTo(24e9, -9);
  // The volume came back: it counts from 0, and nothing is written by night.
  parts.writtenBytes = 0;
  for (let hour = 0; hour < 12; hour++) await pass(HOUR_US);
  expect(await rate()).toBeCloseTo(12e9, -9);
});

it("two cameras with one identity are one device, unless they were met as two", async () => {
  await parts.site.change((site) => ({
    ...site,
    cameras: site.cameras.map((camera) => ({
      ...camera,
      connection: { ...camera.connection, deviceIdentity: "urn:uuid:1" },
    })),
  }));
  expect(await codes()).toContain("cameras-same-device");
  parts.areTwoDevices = true;
  parts.clock.advance(FIGURES_KEPT_US);
  expect(await codes()).not.toContain("cameras-same-device");
});

it("the days of the archive are those of the forecast for the volumes of the same look", async () => {
  expect((await monitor.figures()).reach).toEqual({ daysLeft: 1, daysHeld: 7 });
});

it("the summary needs no answer of anybody", async () => {
  await pass(59 * SECOND_US);
  const asked = parts.volumeStatusAsked;
  expect(monitor.summary()).toMatch(/^2 of 2 recording/);
  expect(parts.volumeStatusAsked).toBe(asked);
});

it("volumes and sensors are asked for once a minute for those who look at the summary", async () => {
  const asked = parts.volumeStatusAsked;
  for (let looks = 0; looks < 36; looks++) {
    await pass(5 * SECOND_US);
    monitor.summary();
  }
  expect(parts.volumeStatusAsked - asked).toBe(3);
});

it("volumes and sensors are left alone while nobody asks", async () => {
  await pass(5 * SECOND_US);
  const before = [parts.volumeStatusAsked, parts.machineReads];
  await pass(3600 * SECOND_US);
  expect([parts.volumeStatusAsked, parts.machineReads]).toEqual(before);
});

it("steps of the clock are counted", async () => {
  parts.step(-5 * SECOND_US);
  parts.step(2 * SECOND_US);
  expect((await monitor.figures()).clock).toMatchObject({ steps: 2, lastStepMs: 2000, errorMaxMs: 1.5 });
});

it("what the API counts, and parts that come later, are in the figures", async () => {
  const liveSocket = {
    clients: 1,
    liveWatches: 2,
    recordedWatches: 0,
    streams: 1,
    transcodedStreams: 0,
    leftOut: 0,
    waitingBytes: 0,
  };
  const counted = {
    requests: [],
    openStreams: 3,
    viewers: [],
    eventListeners: 0,
    eventsNotSent: 0,
    liveSocket,
  };
  monitor.watchApi(() => counted);
  monitor.watchPart("update", () => ({ state: "idle" }));
  const figures = await monitor.figures();
  expect(figures.api).toBe(counted);
  expect(figures.parts).toEqual({ update: { state: "idle" } });
});
