import { afterEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { inspectDevice, ONVIF_MODEL, RelayControl } from "../../../src/camera/index.js";
import { DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { OnvifCamera, type OnvifCameraOptions } from "../../support/camera/onvif-camera.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const FOREVER = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface StartOptions extends OnvifCameraOptions {
  readonly given?: string;
  readonly off?: boolean;
  readonly refuses?: boolean;
}

async function start(options: StartOptions = {}) {
  const relays = options.refuses === true ? {} : { relays: [["relay_1"], ["door & gate", 5]] as const };
  const device = await OnvifCamera.start({ ...relays, ...options });
  cleanups.push(() => device.stop());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const connection = { ...DEFAULT_CAMERA_OPTIONS.connection, ioProcessingEnabled: options.off !== true };
  const site = new MemorySite([
    {
      ...camera,
      connection: {
        ...camera.connection,
        ...{ modelId: ONVIF_MODEL.id, hostname: device.address },
        ...{ login: "admin", password: options.given ?? "Secret#1" },
      },
      kept: { ...DEFAULT_CAMERA_OPTIONS, connection },
    },
  ]);
  const inspect = testDevices({
    ...{ site, clock, log },
    inspect: ({ ipv4Only: _, ...access }) => inspectDevice(access),
  });
  const { devices, budgets } = inspect;
  cleanups.push(() => devices.stop());
  devices.follow(site.current);
  const control = new RelayControl({ site, devices, budgets, clock, log });
  cleanups.push(() => control.stop());
  await until("the device to be known", () => {
    const [first] = site.current.cameras;
    return first !== undefined && devices.inspection(first)?.description !== undefined;
  });
  const turn = (output: string, isOn: boolean, seconds?: number) =>
    control.switch({ channelId: camera.id, output, isOn, seconds, signal: new AbortController().signal });
  const outputs = () => control.outputs(camera.id, FOREVER);
  return { device, devices, site, clock, relays: control, turn, outputs, channelId: camera.id };
}

it("the outputs of a camera are listed with their pulses, and switched by their names", async () => {
  const { outputs, turn, device } = await start();
  expect(await outputs()).toEqual([
    { token: "relay_1", pulseSeconds: undefined },
    { token: "door & gate", pulseSeconds: 5 },
  ]);
  await turn("relay_1", true);
  await turn("relay_1", false);
  expect(device.relayCommands).toEqual(["relay_1 active", "relay_1 inactive"]);
});

it("a camera that has its outputs in the service DeviceIO alone is asked there", async () => {
  const { turn, device } = await start({ relayService: "deviceio" });
  await turn("relay_1", true);
  expect(device.relayCommands).toEqual(["relay_1 active"]);
});

it("an output that is switched for a time is switched back, and another command takes its place", async () => {
  const { turn, device, clock } = await start();
  await turn("relay_1", true, 10);
  clock.advance(9_999);
  expect(device.relayCommands).toHaveLength(1);
  clock.advance(1);
  await until("the switching back", () => device.relayCommands.length === 2);
  await turn("relay_1", true, 10);
  await turn("relay_1", true);
  clock.advance(60_000);
  expect(device.relayCommands).toEqual([
    ...["relay_1 active", "relay_1 inactive"],
    ...["relay_1 active", "relay_1 active"],
  ]);
});

it("what was switched for a time is switched back when the service stops", async () => {
  const { turn, device, relays } = await start();
  await turn("relay_1", true, 3600);
  await relays.stop();
  expect(device.relayCommands).toEqual(["relay_1 active", "relay_1 inactive"]);
  await expect(turn("relay_1", true)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});

it("an output that the camera does not have is refused with those that it has", async () => {
  const { turn, device } = await start();
  await expect(turn("relay_9", true)).rejects.toMatchObject({
    ...{ code: "NOT_FOUND", hint: "its outputs: relay_1, door & gate" },
  });
  expect(device.relayCommands).toEqual([]);
});

it("a camera without outputs has none, and one whose inputs and outputs are off is refused", async () => {
  const without = await start({ relayService: "deviceio", relays: [] });
  expect(await without.outputs()).toEqual([]);
  const off = await start({ off: true });
  await expect(off.outputs()).rejects.toMatchObject({ code: "CONFLICT", hint: /IoProcessingEnabled/ });
});

it("many requests at once come one after the other, and too many are refused", async () => {
  const { turn, device } = await start();
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => turn("relay_1", true)));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
  expect(device.relayCommands).toHaveLength(8);
});

it("which cameras have outputs is asked of each once, and again when the device has described itself anew", async () => {
  const { relays, device, devices, site, clock, channelId } = await start();
  const outputs = [
    { token: "relay_1", pulseSeconds: undefined },
    { token: "door & gate", pulseSeconds: 5 },
  ];
  const asked = () => device.calls.filter((call) => call === "device GetRelayOutputs").length;
  expect(await relays.known()).toEqual([{ channelId, outputs }]);
  expect(await relays.known()).toEqual([{ channelId, outputs }]);
  expect(asked()).toBe(1);
  const [camera] = site.current.cameras;
  if (camera === undefined) throw new Error("there is one camera");
  const before = devices.described(camera);
  devices.inspection(camera)?.refresh();
  clock.advance(3_600_000);
  await until("it has described itself anew", () => devices.described(camera) !== before);
  expect(await relays.known()).toEqual([{ channelId, outputs }]);
  expect(asked()).toBe(2);
});

it("a camera that refuses to name outputs has none, and one whose inputs and outputs are off is not listed", async () => {
  const without = await start({ refuses: true });
  expect(await without.relays.known()).toEqual([{ channelId: without.channelId, outputs: [] }]);
  const off = await start({ off: true });
  expect(await off.relays.known()).toEqual([]);
});

it("a camera that does not answer has unknown outputs, is not waited for, and is asked again the next time", async () => {
  const { relays, device, clock, channelId } = await start({
    quirks: [{ on: "GetRelayOutputs", quirk: "silent" }],
  });
  const asked = () => device.calls.filter((call) => call === "device GetRelayOutputs").length;
  const known = relays.known();
  await until("the camera is asked", () => asked() === 1);
  clock.advance(2_000);
  expect(await known).toEqual([{ channelId, outputs: undefined }]);
  await until("the camera is asked again", () => {
    void relays.known();
    clock.advance(5_000);
    return asked() > 1;
  });
});
