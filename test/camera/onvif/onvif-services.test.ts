import { afterEach, describe, expect, it } from "vitest";
import { inspectDevice } from "../../../src/camera/index.js";
import { accessTo, OnvifCameras } from "../../support/camera/onvif-access.js";
import type { OnvifCameraOptions } from "../../support/camera/onvif-camera.js";

const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

async function inspected(options: OnvifCameraOptions) {
  const camera = await cameras.start({ ptz: true, ...options });
  return await inspectDevice(accessTo(camera));
}

const DEFAULT_SPACES =
  "<tt:DefaultRelativePanTiltTranslationSpace>http://www.onvif.org/ver10/tptz/PanTiltSpaces/TranslationSpaceFov</tt:DefaultRelativePanTiltTranslationSpace>" +
  "<tt:DefaultContinuousPanTiltVelocitySpace>http://www.onvif.org/ver10/tptz/PanTiltSpaces/VelocityGenericSpace</tt:DefaultContinuousPanTiltVelocitySpace>";

describe("the services of a device", () => {
  it("are those of GetServices and GetCapabilities together", async () => {
    const device = await inspected({ unlisted: ["ptz", "events"], withoutCapability: ["media1", "imaging"] });
    expect(Object.keys(device.services).sort()).toEqual([
      "device",
      "events",
      "imaging",
      "media",
      "media2",
      "ptz",
    ]);
    expect(device.ptzNodes).toHaveLength(1);
    expect(device.events.kind).toBe("pull-point");
    expect(device.warnings).toEqual([]);
  });

  it("are those of GetServices where GetCapabilities is not there, and the other way round", async () => {
    for (const on of ["GetServices", "GetCapabilities"]) {
      const device = await inspected({ quirks: [{ quirk: "fault-not-supported", on }] });
      expect([device.ptzNodes.length, device.events.kind, device.warnings]).toEqual([1, "pull-point", []]);
    }
  });

  it("that profiles need and the device does not name are reported", async () => {
    const device = await inspected({ unlisted: ["ptz"], withoutCapability: ["ptz"] });
    expect(device.profiles[0]?.ptzNodeToken).toBeUndefined();
    expect(device.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/profile Main has PTZ, .* names no PTZ service/),
    ]);
  });
});

describe.each(["media1", "media2"] as const)("a profile of %s whose PTZ node is not there", (media) => {
  it("moves by the default spaces of its own configuration", async () => {
    const device = await inspected({ media, ptzNodeToken: "gone", ptzConfiguration: DEFAULT_SPACES });
    const node = device.ptzNodes.find(({ token }) => token === device.profiles[0]?.ptzNodeToken);
    expect(node).toMatchObject({ token: "gone", continuousPanTilt: true, continuousZoom: false });
    expect(node?.ranges).toMatchObject({
      continuousPanTilt: {
        x: { min: -1, max: 1 },
        space: expect.stringMatching(/VelocityGenericSpace$/),
      },
      fieldOfView: { space: expect.stringMatching(/TranslationSpaceFov$/) },
    });
    expect(device.warnings).toEqual([]);
  });

  it("without default spaces cannot be moved, and that is reported", async () => {
    const device = await inspected({ media, ptzNodeToken: "gone" });
    expect(device.profiles[0]?.ptzNodeToken).toBeUndefined();
    expect(device.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/profile Main names PTZ node gone, .*cannot be moved/),
    ]);
  });
});

it("names sound that cannot be received", async () => {
  const camera = await cameras.start({ audioEncoding: "OPUS" });
  const device = await inspectDevice(accessTo(camera));
  expect(device.warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/profile Main.*sound.*OPUS/),
  ]);
});
