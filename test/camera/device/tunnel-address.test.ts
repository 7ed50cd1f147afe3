import { expect, test } from "vitest";
import { streamTarget } from "../../../src/camera/device/stream-address.js";
import { type DeviceProfile, ONVIF_MODEL } from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { sampleSite } from "../../support/api/api-fakes.js";

/** Where the tunnel of a camera is that names `streamUri` by ONVIF, or that is known by its address. */
function tunnelOf(hostname: string, streamUri: string | undefined, modelId: string = ONVIF_MODEL.id) {
  const [sample] = sampleSite().cameras;
  if (sample === undefined) throw new Error("the sample has cameras");
  const { connection } = sample;
  const streams = { ...connection.streams, Main: { ...connection.streams.Main, enabled: true } };
  const camera: Camera = {
    ...sample,
    disabled: false,
    connection: { ...connection, hostname, modelId, streams },
  };
  const profile: DeviceProfile = {
    ...{ token: "1", name: "1", videoSourceToken: "1", channelNumber: 1, codec: "H264", encoding: "H264" },
    ...{ width: 640, height: 480, framesPerSecond: 25, gopLength: 50, bitrateLimit: 1000, streamUri },
    ...{ snapshotUri: undefined, audioCodec: undefined, ptzNodeToken: undefined, hasAnalytics: false },
  };
  const target = streamTarget(camera, "Main", () => ({ profiles: [profile], failure: undefined }));
  return target?.kind === "address" ? target.address.tunnelUrl : target;
}

test.each([
  ["192.0.2.1", "rtsp://192.0.2.1/live?a=1", "rtsp+http://192.0.2.1:80/live?a=1"],
  ["192.0.2.1:8080", "rtsp://192.0.2.1:8554/live", "rtsp+http://192.0.2.1:8080/live"],
  ["https://192.0.2.1:8443", "rtsp://192.0.2.1/live", "rtsp+https://192.0.2.1:8443/live"],
  ["192.0.2.1:8080", "rtsps://192.0.2.1/live", "rtsp+https://192.0.2.1:443/live"],
  ["[2001:db8::1]", "rtsp://[2001:db8::1]/live", "rtsp+http://[2001:db8::1]:80/live"],
  ["192.0.2.1", "rtsp+http://192.0.2.1/live", undefined],
])("the tunnel of %s with %s is at %s", (hostname, streamUri, tunnel) => {
  expect(tunnelOf(hostname, streamUri)).toBe(tunnel);
});

test("a whole address that the owner gave has none", () => {
  const [sample] = sampleSite().cameras;
  expect(tunnelOf("rtsp://192.0.2.1/live", undefined, sample?.connection.modelId)).toBeUndefined();
});
