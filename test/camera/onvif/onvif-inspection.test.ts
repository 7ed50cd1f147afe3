import { afterEach, describe, expect, it } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import { camerasOfDevice, inspectDevice, normalIdentity, readIdentity } from "../../../src/camera/index.js";
import { accessTo, OnvifCameras } from "../../support/camera/onvif-access.js";
import { MAIN_PROFILE, MAKERS, type MakerName, SUB_PROFILE } from "../../support/camera/onvif-camera.js";

const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

describe("a device in the manner of each maker is described", () => {
  it.each(Object.keys(MAKERS) as MakerName[])("%s", async (maker) => {
    const camera = await cameras.start({ maker });
    const device = await inspectDevice(accessTo(camera));
    expect(device).toMatchObject({
      manufacturer: MAKERS[maker].manufacturer,
      model: MAKERS[maker].model,
      firmware: "9.80.1",
      serial: "B8A44F000001",
      identity: camera.identity,
      host: "127.0.0.1",
      readBy: "nvrd",
      ptzNodes: [],
    });
    expect(device.profiles).toHaveLength(2);
    expect(device.profiles[0]).toMatchObject({
      token: "profile_1",
      name: "Main",
      channelNumber: 1,
      codec: "H264",
      width: 1920,
      height: 1080,
      framesPerSecond: 25,
      gopLength: 50,
      audioCodec: "G711",
    });
    expect(device.profiles[1]?.streamUri).toBe(
      `rtsp://127.0.0.1${MAKERS[maker].streamPath.replaceAll("{n}", "2")}`,
    );
    expect(device.profiles[1]?.snapshotUri).toBe(
      `http://${camera.address}${MAKERS[maker].snapshotPath.replaceAll("{n}", "2")}`,
    );
    expect(camera.refusals).toBe(0);
  });
});

describe("what a device has", () => {
  it.each(["unnamed", "none", "bare"] as const)(
    "that Media tells nothing of the encoder's codec is tried: %s",
    async (media1Encoder) => {
      const profiles = [MAIN_PROFILE, SUB_PROFILE].map((profile) => ({ ...profile, media1Encoder }));
      const camera = await cameras.start({ maker: "noname", profiles });
      const device = await inspectDevice(accessTo(camera));
      const [main] = device.profiles;
      expect([device.profiles.length, main?.codec, main?.encoding]).toEqual([2, undefined, ""]);
      expect(main?.streamUri).toMatch(/^rtsp:/);
      expect(device.warnings).toEqual([]);
      const made = camerasOfDevice(device, {
        ownerServerId: newGuid(),
        hostname: camera.address,
        login: "admin",
        password: "Secret#1",
      });
      expect(made[0]?.connection.streams.Main).toMatchObject({ enabled: true, profileToken: main?.token });
    },
  );

  it("H.265 and other codecs are distinguished by Media2, and unknown ones are named", async () => {
    const camera = await cameras.start({
      maker: "hanwha",
      profiles: [
        { ...MAIN_PROFILE, encoding: "H265" },
        { ...SUB_PROFILE, encoding: "JPEG", token: "p2" },
        { ...SUB_PROFILE, encoding: "MPV4-ES", token: "p3" },
        { ...SUB_PROFILE, encoding: "AV1", token: "p4" },
      ],
    });
    const device = await inspectDevice(accessTo(camera));
    expect(device.profiles.map((profile) => profile.codec)).toEqual([
      "Hevc",
      "MJPEG",
      "MPEG4_Part2",
      undefined,
    ]);
    expect(device.profiles[3]?.encoding).toBe("AV1");
    expect(device.warnings.map((warning) => warning.code)).toEqual(["unusable-profile"]);
  });

  it("of both media services, Media2 is believed: Media calls H.265 H.264", async () => {
    const camera = await cameras.start({ maker: "axis", profiles: [{ ...MAIN_PROFILE, encoding: "H265" }] });
    const device = await inspectDevice(accessTo(camera));
    expect(device.profiles[0]?.codec).toBe("Hevc");
    expect(camera.calls).not.toContain("media1 GetProfiles");
  });

  it("where Media2 does not answer, Media does", async () => {
    const camera = await cameras.start({ maker: "dahua" });
    camera.change({ quirks: [], media: "both" });
    const device = await inspectDevice(accessTo(camera));
    expect(device.services.media2).toBeDefined();
    camera.change({ media: "media1" });
    const older = await inspectDevice(accessTo(camera));
    expect(older.services.media2).toBeUndefined();
    expect(older.profiles).toEqual(device.profiles.map((profile) => ({ ...profile, hasAnalytics: false })));
  });

  it("the sources of an encoder are numbered in its order", async () => {
    const camera = await cameras.start({
      maker: "encoder",
      profiles: [1, 2, 3].flatMap((source) => [
        { ...MAIN_PROFILE, source, token: `main${source}` },
        { ...SUB_PROFILE, source, token: `sub${source}` },
      ]),
    });
    const device = await inspectDevice(accessTo(camera));
    expect(device.videoSources.map((source) => [source.token, source.channelNumber, source.width])).toEqual([
      ["source_1", 1, 1920],
      ["source_2", 2, 1920],
      ["source_3", 3, 1920],
    ]);
    expect(device.profiles.map((profile) => profile.channelNumber)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it("PTZ nodes, and the profiles they move", async () => {
    const camera = await cameras.start({ maker: "hikvision", ptz: true });
    const device = await inspectDevice(accessTo(camera));
    expect(device.ptzNodes).toMatchObject([
      { token: "node_1", continuousPanTilt: true, relativeZoom: false, home: true, presetsMax: 100 },
    ]);
    expect(device.profiles.map((profile) => profile.ptzNodeToken)).toEqual(["node_1", "node_1"]);
  });

  it.each([
    ["pull-point", "pull-point"],
    ["base-notification", "base-notification"],
    ["none", "none"],
  ] as const)("events: %s", async (events, kind) => {
    for (const quirks of [[], [{ quirk: "fault-not-supported", on: "GetServices" }]] as const) {
      const camera = await cameras.start({ events, maker: "noname", quirks });
      expect((await inspectDevice(accessTo(camera))).events.kind).toBe(kind);
    }
  });

  it("all questions go over one connection, one after another", async () => {
    const camera = await cameras.start({ maker: "axis" });
    await inspectDevice(accessTo(camera));
    expect([camera.connections, camera.connectionsMax]).toEqual([1, 1]);
  });
});

describe("the identity of a device", () => {
  it("is read without a login", async () => {
    const camera = await cameras.start({ maker: "dahua" });
    expect(await readIdentity(accessTo(camera))).toBe(camera.identity);
    expect(camera.refusals).toBe(0);
  });

  it.each([
    ["urn:uuid:4C1A9B70-0000-4000-8000-B8A44F000001", "urn:uuid:4c1a9b70-0000-4000-8000-b8a44f000001"],
    ["uuid:4c1a9b70-0000-4000-8000-b8a44f000001", "urn:uuid:4c1a9b70-0000-4000-8000-b8a44f000001"],
    ["4c1a9b700000400080 00b8a44f000001", undefined],
    ["4c1a9b70000040008000b8a44f000001", "urn:uuid:4c1a9b70-0000-4000-8000-b8a44f000001"],
    ["urn:uuid:00000000-0000-0000-0000-000000000000", undefined],
    ["urn:maker:SERIAL-17", "urn:maker:serial-17"],
    ["", undefined],
  ])("%s is %s", (text, expected) => {
    expect(normalIdentity(text)).toBe(expected);
  });
});
