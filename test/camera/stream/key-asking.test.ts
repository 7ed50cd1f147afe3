import { afterEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { inspectDevice, KeyAsking, ONVIF_MODEL } from "../../../src/camera/index.js";
import { until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { OnvifCamera } from "../../support/camera/onvif-camera.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SYNCHRONIZE = /SetSynchronizationPoint$/;

async function knownCamera() {
  const device = await OnvifCamera.start({});
  cleanups.push(() => device.stop());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const of = { modelId: ONVIF_MODEL.id, hostname: device.address, login: "admin", password: "Secret#1" };
  const site = new MemorySite([{ ...camera, connection: { ...camera.connection, ...of } }]);
  const inspect = ({
    ipv4Only: _,
    ...access
  }: Parameters<typeof inspectDevice>[0] & { ipv4Only?: unknown }) => inspectDevice(access);
  const { devices, budgets } = testDevices({ site, clock, log, inspect });
  cleanups.push(() => devices.stop());
  devices.follow(site.current);
  await until("the device to be known", () => {
    const [first] = site.current.cameras;
    return first !== undefined && devices.inspection(first)?.description !== undefined;
  });
  const asking = new KeyAsking({ site, devices, budgets, clock, log });
  const asked = () => device.calls.filter((call) => SYNCHRONIZE.test(call));
  return { asking, asked, key: { channelId: camera.id, streamType: "Main" } as const };
}

it("an ONVIF camera is asked for a key frame by the service that has the operation", async () => {
  const { asking, asked, key } = await knownCamera();
  await asking.ask(key);
  expect(asked()).toContain("media1 SetSynchronizationPoint");
});

it("questions about one stream at a time are one question", async () => {
  const { asking, asked, key } = await knownCamera();
  await asking.ask(key);
  const once = asked().length;
  await Promise.all([asking.ask(key), asking.ask(key), asking.ask(key)]);
  expect(asked()).toHaveLength(2 * once);
});

it("a channel that is gone, and a camera that cannot, are no error", async () => {
  const { asking, key } = await knownCamera();
  await expect(
    asking.ask({ ...key, channelId: "00000000-0000-4000-8000-00000000dead" }),
  ).resolves.toBeUndefined();
  await expect(asking.ask({ ...key, streamType: "ThirdAlternative" })).resolves.toBeUndefined();
});
