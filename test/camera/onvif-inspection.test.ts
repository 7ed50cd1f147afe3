import { afterEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../src/base/index.js";
import { inspectDevice } from "../../src/camera/index.js";
import { MAKERS, type MakerName, OnvifCamera } from "../support/onvif-camera.js";

const cameras: OnvifCamera[] = [];
afterEach(async () => {
  for (const camera of cameras.splice(0)) await camera.stop();
});
async function start(options: Parameters<typeof OnvifCamera.start>[0]): Promise<OnvifCamera> {
  const camera = await OnvifCamera.start(options);
  cameras.push(camera);
  return camera;
}
const access = (camera: OnvifCamera) => ({
  address: camera.address,
  login: "admin",
  password: "Secret#1",
  clock: new SystemClock(),
});

describe("a device of each maker is described", () => {
  it.each(Object.keys(MAKERS) as MakerName[])("%s", async (maker) => {
    const camera = await start({ maker, ptz: true });
    const d = await inspectDevice(access(camera));
    expect(d.manufacturer).toBe(MAKERS[maker].manufacturer);
  });
});
