import { afterEach, expect, test } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import { CameraSnapshots, deviceModels, inspectByFamily, ONVIF_MODEL } from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { OnvifCamera } from "../../support/camera/onvif-camera.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const PASSWORD = "Camera-secret-3";
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of running.splice(0)) await part.stop();
});

async function setUp(change: Partial<Camera["connection"]> = {}) {
  const device = await OnvifCamera.start({ login: "viewer", password: PASSWORD, auth: "digest" });
  const base = testCamera();
  const login = { login: "viewer", password: PASSWORD };
  const connection = {
    ...base.connection,
    modelId: ONVIF_MODEL.id,
    hostname: device.address,
    ...login,
    ...change,
  };
  const camera = { ...base, connection };
  const site = new MemorySite([camera]);
  const parts = { site, clock: new SystemClock(), log: createLog({ level: "silent" }) };
  const { devices, budgets } = testDevices({ ...parts, inspect: inspectByFamily });
  const snapshots = new CameraSnapshots({ ...parts, devices, budgets });
  const asked = new Promise<void>((resolve) => devices.onChange(resolve));
  devices.follow(site.current);
  running.push(devices, device);
  const take = () => snapshots.snapshot(camera.id, "Main", AbortSignal.timeout(PATIENCE_MS));
  const gate = budgets.gate({ device: device.address, ...login });
  return { device, asked, gate, take };
}

test("an ONVIF camera's picture comes from where the device says, with its login", async () => {
  const { asked, take } = await setUp();
  await asked;
  const picture = await take();
  expect([...picture.subarray(0, 2)]).toEqual([0xff, 0xd8]);
});

test("a refused password is not tried again for a picture", async () => {
  const { device, asked, take } = await setUp({ password: "wrong" });
  await asked;
  const { refusals } = device;
  await expect(take()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  expect(device.refusals).toBe(refusals);
});

test("a picture that a model's path does not give is reported as not available", async () => {
  const model = deviceModels().find((one) => one.manufacturer === "Hikvision" && one.connection === "path");
  const { device, take } = await setUp({ modelId: model?.id ?? "" });
  await device.stop();
  await expect(take()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});

test("a camera by RTSP addresses has none", async () => {
  const url = deviceModels().find((one) => one.connection === "url");
  const { take } = await setUp({ modelId: url?.id ?? "", hostname: "rtsp://127.0.0.1:9/" });
  await expect(take()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
});

test("a picture's login that the device refuses while it serves a stream is tried once, however often one is wanted", async () => {
  const { device, asked, gate, take } = await setUp();
  await asked;
  const stream = await gate.turn({ signal: AbortSignal.timeout(PATIENCE_MS), onRefused: () => undefined });
  stream?.accepted();
  device.change({ password: "for-pictures-only" });
  for (let wanted = 0; wanted < 4; wanted += 1) {
    await expect(take()).rejects.toMatchObject({ lostCause: "unauthorized" });
  }
  expect(device.refusals).toBe(1);
});
