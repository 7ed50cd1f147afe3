import { expect, it, onTestFinished } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { SoapClient } from "../../../src/camera/index.js";
import { setOutputLevel } from "../../../src/camera/talk/output-level.js";
import { OnvifCamera, type OnvifCameraOptions } from "../../support/camera/onvif-camera.js";

const FOREVER = new AbortController().signal;

async function setUp(loudspeakers: OnvifCameraOptions["loudspeakers"]) {
  const device = await OnvifCamera.start(loudspeakers === undefined ? {} : { loudspeakers });
  onTestFinished(() => device.stop());
  const client = new SoapClient({
    ...{ address: device.address, login: "admin", password: "Secret#1" },
    clock: new SystemClock(),
  });
  onTestFinished(() => client.close());
  const origin = `http://${device.address.replace(/^https?:\/\//, "").replace(/\/.*$/, "")}`;
  const services = { device: `${origin}/onvif/device_service`, media: `${origin}/onvif/media_service` };
  const set = (volume: number) => setOutputLevel(client, services, { volume, signal: FOREVER });
  return { device, set };
}

it("the volume is set as a part of the loudspeaker's own range, with the rest of its configuration as it was", async () => {
  const { device, set } = await setUp({ levels: [10], min: 10, max: 60 });
  expect(await set(50)).toBe(true);
  const [command = ""] = device.loudspeakerCommands;
  expect(command).toContain("<tt:OutputLevel>35</tt:OutputLevel>");
  expect(command).toContain('token="out0"');
  expect(command).toMatch(/<tt:Name>Loud &(?:amp|#38); clear<\/tt:Name>/);
  expect(command).toContain("<tt:OutputToken>o</tt:OutputToken>");
});

it("a level that is right already is not set again", async () => {
  const { device, set } = await setUp({ levels: [60], min: 10, max: 60 });
  expect(await set(100)).toBe(true);
  expect(device.loudspeakerCommands).toEqual([]);
});

it("a device with none, with several, or without the operation leaves it to the samples", async () => {
  for (const levels of [[], [50, 50]]) {
    const { device, set } = await setUp({ levels, min: 0, max: 100 });
    expect(await set(50)).toBe(false);
    expect(device.loudspeakerCommands).toEqual([]);
  }
  const { set } = await setUp(undefined);
  await expect(set(50)).rejects.toMatchObject({ name: "CameraFailure" });
});
