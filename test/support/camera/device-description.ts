import type { DeviceDescription, DeviceProfile } from "../../../src/camera/index.js";

/** A profile of the first video source, H.264. */
export function profile(token: string, change: Partial<DeviceProfile> = {}): DeviceProfile {
  return {
    token,
    name: token,
    videoSourceToken: "source",
    channelNumber: 1,
    codec: "H264",
    encoding: "H264",
    width: 1920,
    height: 1080,
    framesPerSecond: 25,
    gopLength: 50,
    bitrateLimit: 4096,
    streamUri: `rtsp://192.0.2.7/${token}`,
    snapshotUri: undefined,
    audioCodec: undefined,
    ptzNodeToken: undefined,
    hasAnalytics: false,
    ...change,
  };
}

export const SMALL = { width: 640, height: 360 };
export const IDENTITY = "urn:uuid:11111111-2222-3333-4444-555555555555";

/** A device with these profiles. */
export function description(
  profiles: readonly DeviceProfile[],
  change: Partial<DeviceDescription> = {},
): DeviceDescription {
  return {
    manufacturer: "Maker",
    model: "One",
    firmware: "1",
    serial: "1",
    hardwareId: "",
    tookDigest: false,
    identity: IDENTITY,
    host: "192.0.2.7",
    services: { device: "http://192.0.2.7/onvif/device_service" },
    videoSources: [],
    profiles,
    ptzNodes: [],
    events: { kind: "none" },
    clockOffsetMs: 0,
    readBy: "nvrd",
    warnings: [],
    ...change,
  };
}
