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

async function start(options: OnvifCameraOptions & { given?: string; off?: boolean } = {}) {
  const device = await OnvifCamera.start({ relays: [["relay_1"], ["door & gate", 5]], ...options });
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
  const relays = new RelayControl({ site, devices, budgets, clock, log });
  cleanups.push(() => relays.stop());
  await until("the device to be known", () => {
    const [first] = site.current.cameras;
    return first !== undefined && devices.inspection(first)?.description !== undefined;
  });
  const turn = (output: string, isOn: boolean, seconds?: number) =>
    relays.switch({ channelId: camera.id, output, isOn, seconds, signal: new AbortController().signal });
  const outputs = () => relays.outputs(camera.id, FOREVER);
  return { device, clock, relays, turn, outputs, channelId: camera.id };
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
