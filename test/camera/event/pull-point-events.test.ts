import { afterEach, describe, expect, it } from "vitest";
import { SILENT_MS_MAX } from "../../../src/camera/event/camera-event-feed.js";
import { OWN_EVENTS_PER_MINUTE_MAX } from "../../../src/camera/event/event-rate.js";
import { REFUSED_WAIT_MS } from "../../../src/camera/index.js";
import { DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { until } from "../../support/api/api-harness.js";
import {
  changed,
  DETECTOR,
  endCameraEvents,
  input,
  moving,
  type StartOptions,
  startCameraEvents as start,
  tampered,
} from "../../support/camera/camera-events-harness.js";
import { MAIN_PROFILE } from "../../support/camera/onvif-camera.js";

afterEach(endCameraEvents);

async function subscribed(options: StartOptions = {}) {
  const running = await start(options);
  await until("the subscription", () => running.asked("PullMessages") > 0, {
    seen: () => running.device.calls,
  });
  return running;
}

describe("what a camera tells", () => {
  it("is reported with its kind, channel and name", async () => {
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
    await until("all events", () => words().length >= 7);
    expect(words()).toEqual([
      "1 motion Door on",
      "1 motion Door off",
      "1 input DI_1 on",
      "1 tampering Lens on",
      "1 lineCrossed Fence happened (ObjectId 17)",
      "1 zoneEntered Yard on",
      "1 relay Trigger on",
    ]);
  });

  it.each(["dahua", "noname", "encoder", "hanwha"] as const)("is read as %s writes it", async (maker) => {
    const { device, words } = await subscribed({ maker });
    device.emit(moving(true));
    await until("the motion", () => words().length > 0);
    expect(words()).toEqual(["1 motion Door on"]);
  });

  it.each(["forbidden", "fault-not-supported", "fault-internal", "not-found"] as const)(
    "comes where GetServices lists the events, and GetCapabilities is refused: %s",
    async (quirk) => {
      const quirks = [{ quirk, on: "GetCapabilities" }];
      const { device, words } = await subscribed({ quirks });
      device.emit(moving(true));
      await until("the motion", () => words().length > 0);
      expect([words(), device.refusals]).toEqual([["1 motion Door on"], 0]);
    },
  );

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

  it("belongs to the channel whose number the topic or the source names", async () => {
    const profiles = [1, 2, 3].map((source) => ({ ...MAIN_PROFILE, token: `p${source}`, source }));
    const { device, words } = await subscribed({ profiles, channels: 3 });
    const guard = (camera: number) =>
      `tnsaxis:CameraApplicationPlatform/MotionGuard/Camera${camera}ProfileANY`;
    for (const camera of [2, 9]) device.emit({ topic: guard(camera), source: {}, data: { active: "1" } });
    const tampering = { topic: "tns1:VideoSource/tnsaxis:Tampering", data: { tampering: "1" } };
    device.emit({ ...tampering, source: { channel: "3" } });
    device.emit(input(true));
    await until("the input", () => words().length >= 3, { seen: words });
    expect(words()).toEqual(["2 motion MotionGuard on", "3 tampering Tampering on", "1 input DI_1 on"]);
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
    const analyze = { ...DEFAULT_CAMERA_OPTIONS.analyze, motionDetector: DETECTOR };
    await site.setCameras([{ ...camera, kept: { ...DEFAULT_CAMERA_OPTIONS, ...camera.kept, analyze } }]);
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

  it("is made anew after a reboot: what changed meanwhile is reported, what did not is not", async () => {
    const { device, words, received, reported } = await subscribed();
    for (const state of [moving(true), input(true), tampered(true)]) device.pullPoints.set(state);
    await until("all states", () => words().length >= 3 && received() > 0);
    await device.stop();
    device.pullPoints.set(moving(false));
    reported.length = 0;
    await device.listen();
    await until("the motion's end", () => words().length > 0);
    device.pullPoints.set(input(false));
    await until("the input's end", () => words().length > 1);
    expect(words()).toEqual(["1 motion Door off", "1 input DI_1 off"]);
  });

  it("that no longer reports a state ends it", async () => {
    const { device, words, received } = await subscribed();
    device.emit(changed(true));
    await until("the tampering", () => words().length > 0 && received() > 0);
    await device.stop();
    await device.listen();
    await until("its end", () => words().length > 1);
    expect(words()[1]).toBe("1 tampering GlobalSceneChange off");
  });

  it("that the camera has forgotten without a word is made anew, and what is so then is reported", async () => {
    const { device, clock, words, asked } = await subscribed();
    device.pullPoints.isDeaf = true;
    device.pullPoints.set(moving(true));
    for (let passedMs = 0; asked("CreatePullPointSubscription") < 2; passedMs += 10_000) {
      expect(passedMs).toBeLessThan(2 * SILENT_MS_MAX);
      clock.advance(10_000);
      const pulls = asked("PullMessages");
      await until("the next pull", () => asked("PullMessages") > pulls);
    }
    await until("the motion", () => words().length > 0);
    // A new subscription says at first what is so, and once more because it is asked to (SetSynchronizationPoint).
    expect([...new Set(words())]).toEqual(["1 motion Door on"]);
  });

  it("whose answers take a minute is waited for", async () => {
    const { device, pass, words, asked } = await subscribed();
    let answer: () => void = () => undefined;
    device.pullPoints.held = new Promise((resolve) => {
      answer = resolve;
    });
    await until("the second subscription", () => asked("CreatePullPointSubscription") > 1);
    const pulls = asked("PullMessages");
    await until("its first pull", () => asked("PullMessages") > pulls);
    const subscriptions = asked("CreatePullPointSubscription");
    device.emit(moving(true));
    await pass(60_000);
    expect(asked("CreatePullPointSubscription")).toBe(subscriptions);
    answer();
    await until("the motion", () => words().length > 0);
  });

  it("whose renewal is refused lasts as long as messages are pulled", async () => {
    const { device, asked, pass, words } = await subscribed({
      quirks: [{ quirk: "fault-internal", on: "Renew" }],
    });
    device.pullPoints.lifetimeMs = 20_000;
    await until("a renewal", () => asked("Renew") > 0);
    await pass(60_000);
    device.emit(moving(true));
    await until("the motion", () => words().length > 0);
    expect([asked("Renew"), asked("CreatePullPointSubscription")]).toEqual([1, 1]);
  });

  it("that the camera refuses is said, and asked for seldom", async () => {
    const quirks = [{ quirk: "fault-not-supported", on: "CreatePullPointSubscription" }] as const;
    const { logged, asked, pass } = await start({ quirks });
    await until("the words", () => logged.some((line) => line.includes("are not received")));
    await pass(60_000);
    expect([asked("CreatePullPointSubscription"), asked("Subscribe")]).toEqual([1, 1]);
  });
});

it("motion that lasts is reported again, within the ten minutes that a claim stands", async () => {
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

it("of a recorder that answers with the states of all its channels at once none is lost", async () => {
  const { device, words, known } = await subscribed();
  device.pullPoints.obeysLimit = false;
  for (let count = 0; count < 400; count += 1)
    device.emit({ ...moving(false), source: { VideoSource: "source_1", Rule: `Rule ${count}` } });
  device.emit(input(true));
  await until("the last of them", () => words().at(-1) === "1 input DI_1 on", { seen: () => known.length });
});

it("a flood of messages becomes a bounded number of events", async () => {
  const { device, words, reported } = await subscribed();
  for (let count = 0; count < 400; count += 1) {
    const source = { VideoSource: "source_1", Rule: `Rule ${count}` };
    device.emit({ topic: "tns1:RuleEngine/LineDetector/Crossed", source, data: {} });
  }
  device.emit(moving(true));
  await until("the motion behind it", () => words().at(-1) === "1 motion Door on");
  expect(reported.length).toBe(121);
});

it("a flood in the camera's own words does not crowd out a person, and is counted and named", async () => {
  const { device, words, reported, logged, cameras, pass } = await subscribed();
  for (let count = 0; count < 300; count += 1)
    device.emit({ topic: `tns1:UserAlarm/Thing${count}`, source: {}, data: { State: "true" } });
  const person = { topic: "tns1:UserAlarm/IVA/HumanShapeDetect", source: { VideoSource: "source_1" } };
  device.emit({ ...person, data: { State: "true" } });
  await until("the person behind it", () => words().at(-1) === "1 person IVA on");
  expect(reported.length).toBe(OWN_EVENTS_PER_MINUTE_MAX + 1);
  await pass(60_000);
  device.emit({ ...person, data: { State: "false" } });
  device.emit({ ...person, data: { State: "true" } });
  await until(
    "the next person",
    () => words().at(-1) === "1 person IVA on" && words().length > reported.length - 1,
  );
  await until("the count", () => logged.some((line) => line.includes("were ignored")));
  const line = logged.find((text) => text.includes("were ignored")) ?? "";
  expect(JSON.parse(line)).toMatchObject({
    camera: cameras[0]?.id,
    ignored: 300 - OWN_EVENTS_PER_MINUTE_MAX,
  });
});

it("a flood of one channel of a recorder crowds out no other channel, and is named by its own", async () => {
  const profiles = [1, 2].map((source) => ({ ...MAIN_PROFILE, token: `p${source}`, source }));
  const { device, words, reported, logged, cameras } = await subscribed({ profiles, channels: 2 });
  const crossed = (source: string, Rule: string) => ({
    topic: "tns1:RuleEngine/LineDetector/Crossed",
    source: { VideoSource: source, Rule },
    data: {},
  });
  for (let count = 0; count < 200; count += 1) device.emit(crossed("source_1", `Rule ${count}`));
  device.emit(crossed("source_2", "Gate"));
  await until("the other channel's event", () => words().at(-1) === "2 lineCrossed Gate happened", {
    seen: () => words().length,
  });
  expect(reported.length).toBe(121);
  const lines = logged.filter((line) => line.includes("too many events"));
  const named = lines.map((line) => JSON.parse(line) as { camera: string; name: string });
  expect(named.map(({ camera, name }) => [camera, name])).toEqual([[cameras[0]?.id, cameras[0]?.name]]);
});

it("what began before a flood ends after it", async () => {
  const { device, words } = await subscribed();
  device.emit(input(true));
  for (let count = 0; count < 200; count += 1) {
    const source = { VideoSource: "source_1", Rule: `Rule ${count}` };
    device.emit({ topic: "tns1:RuleEngine/LineDetector/Crossed", source, data: {} });
  }
  device.emit(input(false));
  await until("the input's end", () => words().at(-1) === "1 input DI_1 off", { seen: words });
});

it("what the owner wants neither as an event nor recorded is not reported", async () => {
  const { device, words, site, cameras } = await subscribed();
  const [camera] = cameras;
  if (camera?.kept === undefined) throw new Error("no camera");
  const cameraEvents = { marked: ["relay"], recorded: ["person"] } as const;
  await site.setCameras([
    { ...camera, kept: { ...camera.kept, analyze: { ...camera.kept.analyze, cameraEvents } } },
  ]);
  const detect = (name: string) =>
    device.emit({ topic: `tns1:RuleEngine/MyRuleDetector/${name}`, source: {}, data: { State: "true" } });
  for (const name of ["VehicleDetect", "PeopleDetect"]) detect(name);
  device.emit({ topic: "tns1:Device/Trigger/Relay", source: {}, data: { LogicalState: "active" } });
  await until("the relay", () => words().length >= 2);
  expect(words()).toEqual(["1 person MyRuleDetector on", "1 relay Trigger on"]);
});

it("what lasts is reported again when the channel is recorded on it from now on", async () => {
  const { device, reported, words, site, cameras, forgotten } = await subscribed({ taken: false });
  device.emit({ topic: "tns1:RuleEngine/MyRuleDetector/Visitor", source: {}, data: { State: "true" } });
  await until("the visitor", () => words().length > 0);
  const [camera] = cameras;
  if (camera?.kept === undefined) throw new Error("no camera");
  const cameraEvents = { marked: null, recorded: ["doorbell"] } as const;
  await site.setCameras([
    { ...camera, kept: { ...camera.kept, analyze: { ...camera.kept.analyze, cameraEvents } } },
  ]);
  expect(reported.slice(1)).toMatchObject([{ kind: "doorbell", active: true, isAgain: true }]);
  await site.setCameras([camera]);
  expect(forgotten).toEqual([camera.id]);
});

it("what began before its kind was switched off ends, and what then begins is not reported", async () => {
  const { device, words, site, cameras } = await subscribed();
  const visit = (on: boolean) =>
    device.emit({ topic: "tns1:RuleEngine/MyRuleDetector/Visitor", source: {}, data: { State: String(on) } });
  visit(true);
  await until("the visitor", () => words().length > 0);
  const [camera] = cameras;
  if (camera?.kept === undefined) throw new Error("no camera");
  const analyze = { ...camera.kept.analyze, cameraEvents: { marked: ["person"], recorded: [] } } as const;
  await site.setCameras([{ ...camera, kept: { ...camera.kept, analyze } }]);
  for (const on of [false, true, false]) visit(on);
  device.emit(input(true));
  device.emit(moving(true));
  await until("the motion", () => words().some((word) => word.includes("motion")));
  expect(words()).toEqual([
    "1 doorbell MyRuleDetector on",
    "1 doorbell MyRuleDetector off",
    "1 motion Door on",
  ]);
});

it("a channel that is switched off is not heard any more, though its device is", async () => {
  const profiles = [1, 2].map((source) => ({ ...MAIN_PROFILE, token: `p${source}`, source }));
  const { site, cameras, gone } = await subscribed({ profiles, channels: 2 });
  const [first, second] = cameras;
  if (first === undefined || second === undefined) throw new Error("no cameras");
  await site.setCameras([first, { ...second, disabled: true }]);
  expect(gone).toEqual([second.id]);
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
