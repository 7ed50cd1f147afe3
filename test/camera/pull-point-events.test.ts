import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/index.js";
import {
  type CameraEvent,
  CameraEvents,
  inspectDevice,
  ONVIF_MODEL,
  REFUSED_WAIT_MS,
} from "../../src/camera/index.js";
import { type Camera, DEFAULT_KEPT_SETTINGS, type KeptMotionDetector } from "../../src/site/index.js";
import { until } from "../support/api-harness.js";
import { testDevices } from "../support/camera-devices.js";
import { ManualClock } from "../support/manual-clock.js";
import { MemorySite, testCamera } from "../support/memory-site.js";
import { MAIN_PROFILE, OnvifCamera, type OnvifCameraOptions } from "../support/onvif-camera.js";

/** The clock of the recorder goes so much faster than the real one: a minute takes one and a half seconds. */
const STEP_MS = 200;
const STEP_REAL_MS = 5;

const CELL_MOTION = {
  topic: "tns1:RuleEngine/CellMotionDetector/Motion",
  source: { VideoSourceConfigurationToken: "vsc_1", VideoAnalyticsConfigurationToken: "an", Rule: "Door" },
};
const GLOBAL_CHANGE = {
  topic: "tns1:VideoSource/GlobalSceneChange/ImagingService",
  source: { Source: "source_1" },
};
const TAMPER = { topic: "tns1:RuleEngine/TamperDetector/Tamper", source: { Rule: "Lens" } };
const INPUT = { topic: "tns1:Device/Trigger/DigitalInput", source: { InputToken: "DI_1" } };
const moving = (on: boolean) => ({ ...CELL_MOTION, data: { IsMotion: String(on) } });
const changed = (on: boolean) => ({ ...GLOBAL_CHANGE, data: { State: on ? "1" : "0" } });
const tampered = (on: boolean) => ({ ...TAMPER, data: { IsTamper: String(on) } });
const input = (on: boolean) => ({ ...INPUT, data: { LogicalState: String(on) } });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const DETECTOR: KeptMotionDetector = {
  cameraDetectorEnabled: true,
  startAndEndEventsEnabled: false,
  independentFramesOnly: false,
  customFrameRateEnabled: false,
  customFrameRate: 0,
  zonesJson: null,
};

function channel(device: OnvifCamera, number: number, options: { taken: boolean; password: string }): Camera {
  const camera = testCamera({ name: `Channel ${number}` });
  const { connection, analyze } = DEFAULT_KEPT_SETTINGS;
  return {
    ...camera,
    connection: {
      ...camera.connection,
      modelId: ONVIF_MODEL.id,
      hostname: device.address,
      login: "admin",
      password: options.password,
    },
    kept: {
      ...DEFAULT_KEPT_SETTINGS,
      connection: {
        ...connection,
        ioProcessingEnabled: options.taken,
        multiChannelServerEnabled: true,
        multiChannelServerChannelNumber: number,
      },
      analyze: { ...analyze, motionDetector: options.taken ? DETECTOR : null },
    },
  };
}

interface StartOptions extends OnvifCameraOptions {
  readonly given?: string;
  readonly channels?: number;
  readonly taken?: boolean;
}

async function start(options: StartOptions = {}) {
  const device = await OnvifCamera.start(options);
  cleanups.push(() => device.stop());
  device.pullPoints.waitMsMax = 20;
  const clock = new ManualClock();
  const logged: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => void logged.push(line) } });
  const { taken = true, given: password = "Secret#1", channels = 1 } = options;
  const cameras = Array.from({ length: channels }, (_, at) => channel(device, at + 1, { taken, password }));
  const site = new MemorySite(cameras);
  const { devices, budgets } = testDevices({
    site,
    clock,
    log,
    inspect: ({ ipv4Only: _, ...access }) => inspectDevice(access),
  });
  cleanups.push(() => devices.stop());
  const events = new CameraEvents({ site, devices, budgets, clock, random: () => 0, log });
  const told: CameraEvent[] = [];
  const forgotten: string[] = [];
  events.start({ tell: (event) => told.push(event), forgetMotion: (id) => forgotten.push(id) });
  devices.follow(site.current);
  const [first] = cameras;
  if (first !== undefined)
    await until("the device to be known", () => devices.inspection(first)?.description !== undefined);
  const timer = setInterval(() => clock.advance(STEP_MS), STEP_REAL_MS);
  cleanups.push(() => clearInterval(timer));
  cleanups.push(() => events.stop());
  const words = (): string[] =>
    told.map(({ channelId, kind, name, active, detail }) => {
      const number = cameras.findIndex(({ id }) => id === channelId) + 1;
      const state = active === undefined ? "happened" : active ? "on" : "off";
      return `${number} ${kind} ${name} ${state}${detail === "" ? "" : ` (${detail})`}`;
    });
  const received = (): number => logged.filter((line) => line.includes("are received")).length;
  const asked = (operation: string): number => device.calls.filter((call) => call.endsWith(operation)).length;
  const pass = async (ms: number): Promise<void> => {
    const endUs = clock.monotonicUs() + ms * 1000;
    await until(`${ms} ms to pass`, () => clock.monotonicUs() >= endUs);
  };
  return { device, clock, site, events, told, words, forgotten, logged, received, asked, pass, cameras };
}

async function subscribed(options: StartOptions = {}) {
  const running = await start(options);
  await until("the subscription", () => running.asked("PullMessages") > 0);
  return running;
}

describe("what a camera tells", () => {
  it("is told with its kind, channel and name", async () => {
    const { device, words } = await subscribed();
    device.emit(moving(true));
    device.emit(moving(false));
    device.emit(input(true));
    device.emit(tampered(true));
    device.emit({
      topic: "tns1:RuleEngine/LineDetector/Crossed",
      source: { VideoSourceConfigurationToken: "vsc_1", Rule: "Fence" },
      data: { ObjectId: "17" },
    });
    device.emit({
      topic: "tns1:RuleEngine/FieldDetector/ObjectsInside",
      source: { VideoSource: "source_1", Rule: "Yard" },
      data: { IsInside: "true" },
    });
    device.emit({ topic: "tns1:Device/Trigger/Relay", source: {}, data: { LogicalState: "active" } });
    await until("all events", () => words().length >= 6);
    expect(words()).toEqual([
      "1 motion Door on",
      "1 motion Door off",
      "1 input DI_1 on",
      "1 tampering Lens on",
      "1 rule Fence happened (ObjectId 17)",
      "1 rule Yard on",
    ]);
  });

  it.each(["dahua", "noname", "encoder", "hanwha"] as const)("is read as %s writes it", async (maker) => {
    const { device, words } = await subscribed({ maker });
    device.emit(moving(true));
    await until("the motion", () => words().length > 0);
    expect(words()).toEqual(["1 motion Door on"]);
  });

  it("belongs to the channel of its video source, by each of its tokens", async () => {
    const profiles = [1, 2, 3].map((source) => ({ ...MAIN_PROFILE, token: `p${source}`, source }));
    const { device, words } = await subscribed({ profiles, channels: 3 });
    device.emit({ ...moving(true), source: { VideoSourceConfigurationToken: "vsc_2", Rule: "A" } });
    device.emit({ ...changed(true), source: { Source: "source_3" } });
    device.emit({ ...moving(true), source: { VideoSourceToken: "nobody's", Rule: "B" } });
    device.emit(input(true));
    await until("the input", () => words().length >= 3);
    expect(words()).toEqual(["2 motion A on", "3 tampering GlobalSceneChange on", "1 input DI_1 on"]);
  });

  it("counts as motion and input only where the settings say so", async () => {
    const { device, words, site, cameras, forgotten } = await subscribed({ taken: false });
    device.pullPoints.set(moving(true));
    device.pullPoints.set(input(true));
    device.pullPoints.set(changed(true));
    await until("the tampering", () => words().length > 0);
    expect(words()).toEqual(["1 tampering GlobalSceneChange on"]);
    const [camera] = cameras;
    if (camera === undefined) throw new Error("no camera");
    const analyze = { ...DEFAULT_KEPT_SETTINGS.analyze, motionDetector: DETECTOR };
    await site.setCameras([{ ...camera, kept: { ...DEFAULT_KEPT_SETTINGS, ...camera.kept, analyze } }]);
    expect(words().slice(1)).toEqual(["1 motion Door on"]);
    await site.setCameras([camera]);
    expect(forgotten).toEqual([camera.id]);
  });
});

describe("a subscription", () => {
  it("is renewed before it ends, and not made anew", async () => {
    const { asked, pass, device } = await subscribed();
    await pass(40_000);
    expect([asked("CreatePullPointSubscription"), device.pullPoints.open]).toEqual([1, 1]);
    expect(asked("Renew")).toBe(0);
    device.pullPoints.lifetimeMs = 20_000;
    await until("a renewal", () => asked("Renew") > 0);
    expect(asked("CreatePullPointSubscription")).toBe(1);
  });

  it("outlasts the camera's clock, however wrong, and set while it lasts", async () => {
    const { device, asked, pass, words } = await subscribed({ clockOffsetMs: -20 * 365 * 86_400_000 });
    device.change({ clockOffsetMs: 86_400_000 });
    await pass(20_000);
    device.emit(moving(true));
    await until("the motion", () => words().length > 0);
    expect(asked("CreatePullPointSubscription")).toBe(1);
  });

  it("is given up at the end of the service", async () => {
    const { events, device } = await subscribed();
    await events.stop();
    expect(device.pullPoints.open).toBe(0);
  });

  it("is made anew after a reboot: what changed meanwhile is told, what did not is not", async () => {
    const { device, words, received, told } = await subscribed();
    for (const state of [moving(true), input(true), tampered(true)]) device.pullPoints.set(state);
    await until("all states", () => words().length >= 3 && received() > 0);
    await device.stop();
    device.pullPoints.set(moving(false));
    told.length = 0;
    await device.listen();
    await until("the motion's end", () => words().length > 0);
    device.pullPoints.set(input(false));
    await until("the input's end", () => words().length > 1);
    expect(words()).toEqual(["1 motion Door off", "1 input DI_1 off"]);
  });

  it("that no more tells of a state ends it", async () => {
    const { device, words, received } = await subscribed();
    device.emit(changed(true));
    await until("the tampering", () => words().length > 0 && received() > 0);
    await device.stop();
    await device.listen();
    await until("its end", () => words().length > 1);
    expect(words()[1]).toBe("1 tampering GlobalSceneChange off");
  });

  it("that the camera refuses is said, and asked for seldom", async () => {
    const quirks = [{ quirk: "fault-not-supported", on: "CreatePullPointSubscription" }] as const;
    const { logged, asked, pass } = await start({ quirks });
    await until("the words", () => logged.some((line) => line.includes("are not received")));
    await pass(60_000);
    expect(asked("CreatePullPointSubscription")).toBe(1);
  });
});

it("motion that lasts is told again, within the ten minutes that a claim stands", async () => {
  const { device, words, pass } = await subscribed();
  device.emit(moving(true));
  await pass(125_000);
  expect(words().length).toBeGreaterThan(1);
  expect(new Set(words())).toEqual(new Set(["1 motion Door on"]));
});

it("two detectors that the picture was changed are one tampering", async () => {
  const { device, words } = await subscribed();
  const other = { ...changed(true), topic: "tns1:VideoSource/GlobalSceneChange/AnalyticsService" };
  for (const event of [changed(true), other, changed(false), { ...other, data: { State: "false" } }])
    device.emit(event);
  device.emit(input(true));
  await until("the input", () => words().some((word) => word.includes("input")));
  expect(words()).toEqual([
    "1 tampering GlobalSceneChange on",
    "1 tampering GlobalSceneChange off",
    "1 input DI_1 on",
  ]);
});

it("a flood of messages becomes a bounded number of events", async () => {
  const { device, words, told } = await subscribed();
  for (let count = 0; count < 400; count += 1) {
    const source = { VideoSource: "source_1", Rule: `Rule ${count}` };
    device.emit({ topic: "tns1:RuleEngine/LineDetector/Crossed", source, data: {} });
  }
  device.emit(moving(true));
  await until("the motion behind it", () => words().at(-1) === "1 motion Door on");
  expect(told.length).toBe(121);
});

it("a wrong password is not tried again for events", async () => {
  const { device, pass } = await subscribed({ auth: "digest" });
  device.change({ password: "Another#2" });
  const before = device.refusals;
  await pass(50_000);
  // One that was under way, and one that counts.
  expect(device.refusals - before).toBeLessThanOrEqual(2);
  expect(REFUSED_WAIT_MS).toBeGreaterThan(50_000);
});
