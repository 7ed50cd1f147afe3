import { afterEach, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import {
  type DeviceInspector,
  type DeviceReading,
  inspectDevice,
  RefusedLogins,
  readDevices,
} from "../../../src/camera/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { OnvifCamera, type OnvifCameraOptions } from "../../support/camera/onvif-camera.js";

const log = createLog({ level: "silent" });
const clock = new SystemClock();
const cameras: OnvifCamera[] = [];
let refused = new RefusedLogins();

afterEach(async () => {
  refused = new RefusedLogins();
  for (const camera of cameras.splice(0)) await camera.stop();
});

async function cameraOf(options: OnvifCameraOptions = {}): Promise<OnvifCamera> {
  const camera = await OnvifCamera.start({ login: "admin", password: "Secret#1", ...options });
  cameras.push(camera);
  return camera;
}

async function read(addresses: readonly string[], password = "Secret#1"): Promise<DeviceReading[]> {
  const logins = addresses.map((address) => ({ address, login: "admin", password }));
  return await readDevices(logins, { inspect: inspectDevice, refused, clock, log });
}

it("reads several devices beside each other, each with its own outcome", async () => {
  const good = await cameraOf();
  const other = await cameraOf({ password: "another" });
  const late = await cameraOf({ maker: "dahua", clockOffsetMs: -3 * 3_600_000 });
  const gone = await cameraOf();
  await gone.stop();
  const readings = await read([good, other, late, gone].map(({ address }) => address));
  expect(readings.map(({ result }) => result)).toEqual([
    "Readable",
    "LoginRefused",
    "Readable",
    "Unreachable",
  ]);
  expect(readings[0]?.description?.identity).toBe(good.identity);
  expect(readings[2]?.warnings.join()).toContain("3 hours behind");
  expect(readings[1]?.reason).not.toContain("Secret#1");
});

it.each(["digest", "token", "basic", "both"] as const)(
  "shows a wrong password to a device once an add, whatever it offers: %s",
  async (auth) => {
    const camera = await cameraOf({ auth });
    for (const adds of [1, 2]) {
      const [reading] = await read([camera.address], "wrong");
      expect([reading?.result, camera.logins]).toEqual(["LoginRefused", adds]);
    }
  },
);

it("reads a device that offers what it does not take when it is added again", async () => {
  const camera = await cameraOf({ auth: "token", quirks: ["offers-digest"] });
  const results = [await read([camera.address]), await read([camera.address])].flat();
  expect(results.map(({ result }) => result)).toEqual(["LoginRefused", "Readable"]);
});

it("gives up a device whose reading hangs, and answers for the others", async () => {
  const manual = new ManualClock();
  const inspect: DeviceInspector = ({ address }) =>
    address === "hangs"
      ? new Promise(() => undefined)
      : Promise.reject(new Error("of no kind that is foreseen"));
  const logins = ["hangs", "breaks"].map((address) => ({ address, login: "", password: "" }));
  const readings = readDevices(logins, { inspect, refused, clock: manual, log });
  await new Promise((resolve) => setImmediate(resolve));
  manual.advance(60_000);
  expect((await readings).map(({ result }) => result)).toEqual(["Unreachable", "Failed"]);
});
