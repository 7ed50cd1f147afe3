import { afterEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { inspectDevice, OfferedEvents, ONVIF_MODEL, TOPICS_MAX } from "../../../src/camera/index.js";
import { DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { DETECTOR } from "../../support/camera/camera-events-harness.js";
import { OnvifCamera, type OnvifCameraOptions } from "../../support/camera/onvif-camera.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const FOREVER = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A topic of the tree, as cameras write it. */
function message(isProperty: boolean, source: string, data: string): string {
  const item = (name: string) => `<tt:SimpleItemDescription Name="${name}" Type="xs:string"/>`;
  return `<tt:MessageDescription IsProperty="${isProperty}"><tt:Source>${item(source)}</tt:Source><tt:Data>${item(data)}</tt:Data></tt:MessageDescription>`;
}

const TOPIC_SET = `
  <tns1:RuleEngine wstop:topic="true">
    <CellMotionDetector><Motion wstop:topic="true">${message(true, "Rule", "IsMotion")}</Motion></CellMotionDetector>
    <LineDetector><Crossed wstop:topic="true">${message(false, "Rule", "ObjectId")}</Crossed></LineDetector>
  </tns1:RuleEngine>
  <tns1:VideoSource><GlobalSceneChange><ImagingService wstop:topic="true">${message(true, "Source", "State")}</ImagingService></GlobalSceneChange></tns1:VideoSource>
  <tns1:Device><Trigger><DigitalInput>${message(true, "InputToken", "LogicalState")}</DigitalInput></Trigger>
    <HardwareFailure><FanFailure>${message(true, "Token", "Failed")}</FanFailure></HardwareFailure></tns1:Device>`;

type Taken = "motion" | "inputs";

async function offered(options: OnvifCameraOptions & { takes?: readonly Taken[]; rtsp?: boolean } = {}) {
  const { takes = [], rtsp = false, ...scripted } = options;
  const device = await OnvifCamera.start({ topicSet: TOPIC_SET, events: "pull-point", ...scripted });
  cleanups.push(() => device.stop());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const { connection, analyze } = DEFAULT_CAMERA_OPTIONS;
  const kept = {
    ...DEFAULT_CAMERA_OPTIONS,
    connection: { ...connection, ioProcessingEnabled: takes.includes("inputs") },
    analyze: { ...analyze, motionDetector: takes.includes("motion") ? DETECTOR : null },
  };
  const of = { modelId: ONVIF_MODEL.id, hostname: device.address, login: "admin", password: "Secret#1" };
  const site = new MemorySite([
    { ...camera, kept, connection: { ...camera.connection, ...(rtsp ? {} : of) } },
  ]);
  const { devices, budgets } = testDevices({
    ...{ site, clock, log },
    inspect: ({ ipv4Only: _, ...access }) => inspectDevice(access),
  });
  cleanups.push(() => devices.stop());
  devices.follow(site.current);
  if (!rtsp)
    await until("the device to be known", () => {
      const [first] = site.current.cameras;
      return first !== undefined && devices.inspection(first)?.description !== undefined;
    });
  return { ask: () => new OfferedEvents({ site, devices, budgets, clock }).of(camera.id, FOREVER), device };
}

const rows = (events: Awaited<ReturnType<OfferedEvents["of"]>>) =>
  events.map(({ topic, kinds, isUsed, setting }) => [topic, kinds.join(), isUsed, setting]);

it("the events that a camera offers are listed with what the recorder uses of them, and what keeps it from using them", async () => {
  const { ask } = await offered();
  const events = await ask();
  expect(rows(events)).toEqual([
    ["RuleEngine", "rule", true, undefined],
    ["RuleEngine/CellMotionDetector/Motion", "motion", false, "BuildInCameraDetectorEnabled"],
    ["RuleEngine/LineDetector/Crossed", "lineCrossed", true, undefined],
    ["VideoSource/GlobalSceneChange/ImagingService", "tampering", true, undefined],
    ["Device/Trigger/DigitalInput", "input", false, "IoProcessingEnabled"],
    ["Device/HardwareFailure/FanFailure", "other", true, undefined],
  ]);
  expect(events[1]).toMatchObject({ isState: true, source: ["Rule"], data: ["IsMotion"] });
  expect(events[2]).toMatchObject({ isState: false, data: ["ObjectId"] });
});

it("motion and inputs are used where the camera's settings take them", async () => {
  const { ask } = await offered({ takes: ["motion", "inputs"] });
  const used = (await ask()).filter(({ isUsed }) => isUsed).flatMap(({ kinds }) => kinds);
  expect(used).toEqual(["rule", "motion", "lineCrossed", "tampering", "input", "other"]);
});

it("a tree of topics that never ends is read to its bounds", async () => {
  const many = Array.from({ length: TOPICS_MAX * 3 }, (_, n) => `<T${n} wstop:topic="true"/>`).join("");
  const deep = `${"<Deep>".repeat(60)}<End wstop:topic="true"/>${"</Deep>".repeat(60)}`;
  const { ask } = await offered({ topicSet: `${deep}${many}` });
  const events = await ask();
  expect(events).toHaveLength(TOPICS_MAX);
  expect(events[0]?.topic).toBe("T0");
});

it("a camera that lists no events, and one without ONVIF, are said to have none", async () => {
  const silent = await offered({ topicSet: undefined });
  await expect(silent.ask()).rejects.toMatchObject({ code: "NOT_SUPPORTED", message: /does not list/ });
  const rtsp = await offered({ rtsp: true });
  await expect(rtsp.ask()).rejects.toMatchObject({ code: "NOT_SUPPORTED", message: /only ONVIF/ });
});

it("a camera that has gone away is said not to answer", async () => {
  const { ask, device } = await offered();
  await device.stop();
  await expect(ask()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});
