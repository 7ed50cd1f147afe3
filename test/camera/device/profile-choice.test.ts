import { describe, expect, test } from "vitest";
import type { StreamType } from "../../../src/base/index.js";
import { cameraOfDevice, chooseProfiles, ONVIF_MODEL } from "../../../src/camera/index.js";
import type { Camera, StreamSettings } from "../../../src/site/index.js";
import { description, IDENTITY, profile, SMALL } from "../../support/camera/device-description.js";
import { testCamera } from "../../support/site/memory-site.js";

type Settings = Partial<StreamSettings>;

function streamsOf(given: Partial<Record<StreamType, Settings>>) {
  const of = (type: StreamType): StreamSettings => ({
    enabled: type === "Main" || given[type] !== undefined,
    format: "H264",
    additionalParams: "",
    rotationMode: "None",
    roles: [],
    ...given[type],
  });
  return {
    Main: of("Main"),
    Alternative: of("Alternative"),
    SecondAlternative: of("SecondAlternative"),
    ThirdAlternative: of("ThirdAlternative"),
  };
}

function tokens(
  given: Partial<Record<StreamType, Settings>>,
  profiles: Parameters<typeof chooseProfiles>[1],
) {
  const chosen = chooseProfiles(streamsOf(given), profiles);
  return Object.fromEntries(Object.entries(chosen).map(([type, { token }]) => [type, token]));
}

describe("profiles are chosen", () => {
  const [big, middle, small] = [
    profile("big"),
    profile("middle", { width: 1280, height: 720 }),
    profile("small", SMALL),
  ];
  test("by resolution, whatever the device's order", () => {
    const streams = { Alternative: {}, SecondAlternative: {} };
    expect(tokens(streams, [small, big, middle])).toEqual({
      Main: "big",
      Alternative: "middle",
      SecondAlternative: "small",
    });
  });
  test("by name before all else", () => {
    expect(tokens({ Main: { profileToken: "small" }, Alternative: {} }, [big, small])).toEqual({
      Main: "small",
      Alternative: "big",
    });
  });
  test("by codec among those of one resolution", () => {
    const [mjpeg, hevc] = [profile("mjpeg", { codec: "MJPEG" }), profile("hevc", { codec: "Hevc" })];
    expect(tokens({}, [mjpeg, hevc, big])).toEqual({ Main: "big" });
    expect(tokens({ Main: { format: "Hevc" } }, [mjpeg, big, hevc])).toEqual({ Main: "hevc" });
  });
  test("by a codec that was asked for before a larger picture, and without one of it by size", () => {
    const hevc = profile("hevc", { ...SMALL, codec: "Hevc" });
    expect(tokens({ Main: { format: "Hevc" } }, [big, hevc])).toEqual({ Main: "hevc" });
    expect(tokens({ Main: { format: "Hevc" } }, [small, big])).toEqual({ Main: "big" });
  });
  test("once each: a stream too many gets none, and a second of the same size is better than none", () => {
    const twin = profile("twin", { framesPerSecond: 5 });
    expect(tokens({ Alternative: {}, SecondAlternative: {} }, [twin, big])).toEqual({
      Main: "big",
      Alternative: "twin",
    });
  });
  test("by frame rate among those of one resolution, and in the device's order where rates hardly differ", () => {
    const [main, sub] = [profile("main", { framesPerSecond: 24 }), profile("sub", { framesPerSecond: 25 })];
    expect(tokens({ Alternative: {} }, [main, sub])).toEqual({ Main: "main", Alternative: "sub" });
    const slow = profile("slow", { framesPerSecond: 12 });
    expect(tokens({ Alternative: {} }, [slow, sub])).toEqual({ Main: "sub", Alternative: "slow" });
  });
  test("never where the codec is unknown or there is no address", () => {
    const unknown = profile("av1", { codec: undefined });
    expect(tokens({}, [unknown, profile("mute", { streamUri: undefined }), small])).toEqual({
      Main: "small",
    });
  });
});

describe("a camera that was added by its address alone", () => {
  const base = testCamera();
  const camera: Camera = {
    ...base,
    connection: {
      ...base.connection,
      modelId: ONVIF_MODEL.id,
      hostname: "192.0.2.7",
      findStreams: true,
      streams: streamsOf({ Main: { roles: ["Archive", "VideoAnalysis", "DesktopClient", "MobileClient"] } }),
    },
  };
  const device = description([profile("small", SMALL), profile("big", { codec: "Hevc" })]);

  test("gets the streams, codecs, profiles and identity that its device shows", () => {
    const { connection } = cameraOfDevice(camera, device);
    expect(connection.findStreams).toBeUndefined();
    expect(connection.deviceIdentity).toBe(IDENTITY);
    expect(connection.streams.Main).toMatchObject({ enabled: true, format: "Hevc", profileToken: "big" });
    expect(connection.streams.Alternative).toMatchObject({
      enabled: true,
      format: "H264",
      profileToken: "small",
    });
    expect(connection.streams.SecondAlternative.enabled).toBe(false);
    expect([connection.streams.Main.roles, connection.streams.Alternative.roles]).toEqual([
      ["Archive", "DesktopClient"],
      ["VideoAnalysis", "MobileClient"],
    ]);
  });
  test("is not changed again by what the device says later", () => {
    const once = cameraOfDevice(camera, device);
    expect(cameraOfDevice(once, description([profile("other")], { identity: "urn:uuid:other" }))).toBe(once);
  });
  test("stays open where the device offers nothing yet", () => {
    const { connection } = cameraOfDevice(camera, description([]));
    expect(connection.findStreams).toBe(true);
    expect(connection.streams).toEqual(camera.connection.streams);
  });
  test("whose streams were chosen gets no further ones", () => {
    const { findStreams: _no, ...connection } = camera.connection;
    const changed = cameraOfDevice({ ...camera, connection }, device);
    expect(changed.connection.streams.Alternative.enabled).toBe(false);
    expect(changed.connection.streams.Main.profileToken).toBe("big");
  });
});
