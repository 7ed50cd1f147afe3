import { afterEach, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import { traitsOf } from "../../../src/camera/description/device-traits.js";
import { DeviceSearch, type LostCamera } from "../../../src/camera/device/device-search.js";
import { LoginBudgets, ONVIF_MODEL, proveDevice } from "../../../src/camera/index.js";
import { accessTo, OnvifCameras } from "../../support/camera/onvif-access.js";
import type { OnvifCamera, OnvifCameraOptions } from "../../support/camera/onvif-camera.js";
import { testCamera } from "../../support/site/memory-site.js";

const clock = new SystemClock();
const log = createLog({ level: "silent" });
const OTHER_UUID = "4c1a9b70-0000-4000-8000-b8a44f00ffff";

const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

/** What the devices do differently that were tried, one of each kind. */
const KINDS: readonly (readonly [string, OnvifCameraOptions])[] = [
  ["tells its identity to everybody", { auth: "both" }],
  ["refuses its identity with 400 until somebody logs in", { auth: "digest", endpointReference: "user" }],
  ["tells it to a user, by a token alone", { auth: "token", endpointReference: "user" }],
  ["tells no identity, and has a serial number", { auth: "digest-sha256", endpointReference: "none" }],
  ["tells no identity, takes tokens alone", { auth: "token", endpointReference: "none" }],
  ["tells neither identity nor serial number", { auth: "digest", endpointReference: "none", serial: "" }],
  ["the same, takes tokens alone", { auth: "token", endpointReference: "none", serial: "" }],
];

/** A camera as it was met, and lost since. */
async function met(device: OnvifCamera): Promise<LostCamera> {
  const proof = await proveDevice(accessTo(device));
  const base = testCamera();
  const login = { login: "admin", password: "Secret#1", modelId: ONVIF_MODEL.id };
  const camera = { ...base, connection: { ...base.connection, ...login, hostname: "192.0.2.7" } };
  const identities = new Set([proof.identity ?? "", device.identity].filter((identity) => identity !== ""));
  return { camera, identities, traits: traitsOf(proof, device.identity), takesLogin: proof.tookLogin };
}

async function foundAt(lost: LostCamera, device: OnvifCamera, announced = device.identity) {
  const search = new DeviceSearch({
    prove: proveDevice,
    macOf: async () => "",
    budgets: new LoginBudgets({ clock, random: () => 0 }),
    clock,
    log,
  });
  const place = { identity: announced, host: "127.0.0.1", hostname: device.address, model: "" };
  const { signal } = new AbortController();
  return await search.find(lost, [place], { isAlone: true, signal });
}

it.each(KINDS)("a device that %s is found where it went", async (_kind, options) => {
  const before = await cameras.start(options);
  const lost = await met(before);
  const after = await cameras.start(options);
  expect(await foundAt(lost, after)).toBe(after.address);
  expect([after.refusals, after.plainPasswords]).toEqual([0, 0]);
});

it.each(KINDS.filter(([, { serial }]) => serial === undefined))(
  "a device that %s is found where it went with another identity everywhere",
  async (_kind, options) => {
    const lost = await met(await cameras.start(options));
    const after = await cameras.start({ ...options, uuid: OTHER_UUID });
    expect(await foundAt(lost, after)).toBe(after.address);
  },
);

it.each(KINDS)(
  "another device, of which the camera's kind %s, is not taken for it",
  async (_kind, options) => {
    const lost = await met(await cameras.start(options));
    const other = await cameras.start({
      ...options,
      uuid: OTHER_UUID,
      serial: "00D0C9000002",
      model: "Another",
    });
    expect(await foundAt(lost, other)).toBeUndefined();
  },
);

it("a device that imitates the identity gets no password by Basic, and is not followed", async () => {
  const lost = await met(await cameras.start({ auth: "digest" }));
  const rogue = await cameras.start({ auth: "basic" });
  expect(await foundAt(lost, rogue)).toBeUndefined();
  expect(rogue.plainPasswords).toBe(0);
});

it("a device that imitates the identity and takes any login is not followed without the serial number", async () => {
  const lost = await met(await cameras.start({ auth: "digest" }));
  const rogue = await cameras.start({ auth: "none", serial: "" });
  expect(await foundAt(lost, rogue)).toBeUndefined();
});
