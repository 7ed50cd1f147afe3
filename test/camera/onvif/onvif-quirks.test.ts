import { afterEach, describe, expect, it } from "vitest";
import { inspectDevice } from "../../../src/camera/index.js";
import { accessTo, failureOf, OnvifCameras } from "../../support/camera/onvif-access.js";
import type { Quirk, ScriptedQuirk } from "../../support/camera/onvif-camera.js";

/** Short, because these devices never answer; long enough for those that answer at all. */
const CALL_MS = 400;

const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

describe("a device that answers rightly in an odd wrapping is described", () => {
  it.each([
    "wrong-content-type",
    "byte-order-mark",
    "chunked",
    "latin-1",
    "bare-ampersand",
    "trailing-zeros",
    "unclear-fault",
    "closes-each-connection",
  ] satisfies Quirk[])("%s", async (quirk) => {
    const camera = await cameras.start({ maker: "dahua", model: "Kamera Süd", quirks: [quirk] });
    const device = await inspectDevice(accessTo(camera));
    expect(device.model).toBe("Kamera Süd");
    expect(device.profiles[0]?.streamUri).toBe(
      "rtsp://127.0.0.1/cam/realmonitor?channel=1&subtype=1&unicast=true&proto=Onvif",
    );
    expect(device.warnings).toEqual([]);
  });

  it("slow, but within the time of a call", async () => {
    const camera = await cameras.start({ quirks: ["slow"], delayMs: 30 });
    expect((await inspectDevice(accessTo(camera))).profiles).toHaveLength(2);
  });
});

describe("what is missing is missing, and nothing else", () => {
  const BROKEN: readonly Quirk[] = [
    "truncated",
    "closes-mid-body",
    "fault-not-supported",
    "fault-internal",
    "garbage",
    "empty",
    "entity-bomb",
    "deep-nesting",
    "huge",
    "web-page",
    "not-found",
    "busy",
  ];
  const OPTIONAL = [
    "GetSystemDateAndTime",
    "GetServices",
    "GetDeviceInformation",
    "GetEndpointReference",
    "GetVideoSources",
    "GetSnapshotUri",
    "GetNodes",
    "GetServiceCapabilities",
  ];
  it.each(BROKEN)("%s on each of the questions that are not needed", async (quirk) => {
    // What no ONVIF device would say to the first question is left to the others.
    const asked =
      quirk === "web-page" || quirk === "not-found" || quirk === "busy" ? OPTIONAL.slice(1) : OPTIONAL;
    const quirks = asked.map((on): ScriptedQuirk => ({ quirk, on }));
    // Media alone: without GetServices nobody learns of Media2.
    const camera = await cameras.start({ maker: "noname", ptz: true, quirks });
    const device = await inspectDevice(accessTo(camera));
    expect(device.readBy).toBe("nvrd");
    expect(device).toMatchObject({ manufacturer: "", model: "", identity: undefined, ptzNodes: [] });
    expect(device.profiles.map((profile) => profile.streamUri)).toEqual([
      "rtsp://127.0.0.1/user=admin_password=_channel=1_stream=1.sdp?real_stream",
      "rtsp://127.0.0.1/user=admin_password=_channel=1_stream=2.sdp?real_stream",
    ]);
    expect(device.profiles[0]).toMatchObject({ snapshotUri: undefined, width: 1920, channelNumber: 1 });
    expect(device.events).toMatchObject({ kind: "pull-point" });
    const missing = device.warnings.map((warning) => warning.message).join("\n");
    // What it does not have is no fault, except that its profiles need it.
    if (quirk === "fault-not-supported")
      expect(missing).toMatch(/^profile Main names PTZ node node_1, which .*$/);
    else expect(missing).toMatch(/name and model could not be read[\s\S]*PTZ[\s\S]*snapshot/);
  });

  it("a profile without a stream address, beside one that has it", async () => {
    const camera = await cameras.start({
      maker: "noname",
      rtspUrl: (p) => (p.name === "Sub" ? "" : "rtsp://h/1"),
    });
    const device = await inspectDevice(accessTo(camera));
    expect(device.profiles.map((profile) => profile.streamUri)).toEqual(["rtsp://127.0.0.1/1", undefined]);
  });

  it("a silent question costs the time of one call", async () => {
    const camera = await cameras.start({ quirks: [{ quirk: "silent", on: "GetSnapshotUri" }] });
    const device = await inspectDevice(accessTo(camera, { callTimeoutMs: CALL_MS }));
    expect(device.profiles.map((profile) => profile.snapshotUri)).toEqual([undefined, undefined]);
    expect(camera.calls.filter((call) => call.endsWith("GetSnapshotUri"))).toHaveLength(1);
  });
});

describe("a device that cannot be described is distinguished in words", () => {
  it.each([
    ["silent", "unreachable", /did not answer within 0\.4 s/],
    ["drip-fed", "unreachable", /did not answer within 0\.4 s/],
    ["truncated", "bad-answer", /cut short|incomplete/],
    ["closes-mid-body", "interrupted", /in the middle of its answer/],
    ["huge", "bad-answer", /more than 1048576 bytes/],
    ["entity-bomb", "bad-answer", /document type/],
    ["deep-nesting", "bad-answer", /nested too deep/],
    ["garbage", "bad-answer", /it is not XML/],
    ["empty", "bad-answer", /cannot be read|nothing/],
    ["web-page", "not-onvif", /web page instead of ONVIF/],
    ["not-found", "not-onvif", /is ONVIF enabled/],
    ["busy", "busy", /busy \(503\)/],
    ["not-activated", "not-activated", /set its first password/],
    ["redirects-to-set-up", "not-activated", /set its first password/],
    ["redirects-elsewhere", "not-onvif", /redirects to another host/],
    ["redirects-in-circles", "not-onvif", /redirects too often/],
    ["locked", "locked", /has locked the account/],
    ["fault-internal", "refused", /GetProfiles \(action: internal error 17\)/],
  ] as const)("%s: %s", async (quirk, kind, words) => {
    const camera = await cameras.start({ maker: "hanwha", quirks: [quirk] });
    const failure = await failureOf(accessTo(camera, { callTimeoutMs: CALL_MS }));
    expect([failure.kind, failure.message]).toEqual([kind, expect.stringMatching(words)]);
    expect(failure.message).not.toContain("Secret#1");
    expect(camera.refusals).toBe(0);
  });

  it("without what it echoes of the login", async () => {
    const camera = await cameras.start({
      auth: "basic",
      quirks: [{ quirk: "echoes-login", on: "GetProfiles" }],
    });
    const { message } = await failureOf(accessTo(camera));
    expect(message).toMatch(/you sent Basic \*\*\* for \*\*\*/);
    expect(message).not.toMatch(/Secret#1|YWRtaW46/);
  });

  it("profiles without any stream address", async () => {
    const camera = await cameras.start({ quirks: [{ quirk: "fault-internal", on: "GetStreamUri" }] });
    const failure = await failureOf(accessTo(camera));
    expect([failure.kind, failure.message]).toEqual([
      "no-stream",
      expect.stringMatching(/stream address of profile Main/),
    ]);
  });

  it("a closed port, with the ports that were tried", async () => {
    const failure = await failureOf({ ...accessTo(await cameras.start()), address: "127.0.0.2" });
    expect([failure.kind, failure.message]).toEqual([
      "unreachable",
      expect.stringMatching(/ports 80, 443, 8000/),
    ]);
  });

  it("an unknown name", async () => {
    const failure = await failureOf({
      ...accessTo(await cameras.start()),
      address: "no-such-camera.invalid",
    });
    expect([failure.kind, failure.message]).toEqual([
      "unreachable",
      expect.stringMatching(/name of .* is unknown/),
    ]);
  });

  it("being given up by who asked", async () => {
    const camera = await cameras.start({ quirks: [{ quirk: "silent", on: "GetProfiles" }] });
    const options = { ...accessTo(camera), signal: AbortSignal.timeout(CALL_MS) };
    await expect(inspectDevice(options)).rejects.toMatchObject({ kind: "interrupted" });
  });
});

describe("node-onvif", () => {
  it("reads once what our own client does not take", async () => {
    const camera = await cameras.start({ maker: "noname", quirks: [{ quirk: "huge", on: "GetProfiles" }] });
    const device = await inspectDevice(accessTo(camera));
    expect(device).toMatchObject({ readBy: "node-onvif", manufacturer: "IPCamera" });
    expect(device.profiles[0]).toMatchObject({
      token: "profile_1",
      codec: "H264",
      width: 1920,
      framesPerSecond: 25,
      audioCodec: "G711",
      streamUri: "rtsp://127.0.0.1/user=admin_password=_channel=1_stream=1.sdp?real_stream",
    });
    expect(camera.refusals).toBe(0);
  });

  it("is not asked where the device wants Digest, which it does not know", async () => {
    const camera = await cameras.start({ maker: "axis", quirks: [{ quirk: "huge", on: "GetProfiles" }] });
    expect((await failureOf(accessTo(camera))).kind).toBe("bad-answer");
    expect(camera.calls.filter((call) => call.endsWith("GetSystemDateAndTime"))).toHaveLength(1);
  });

  it("that never ends is killed with its caller's patience", async () => {
    const quirks = [
      { quirk: "huge", on: "GetProfiles" },
      { quirk: "closes-mid-body", on: "GetCapabilities" },
    ] as const;
    const camera = await cameras.start({ maker: "noname", quirks });
    const options = { ...accessTo(camera), signal: AbortSignal.timeout(3000) };
    await expect(inspectDevice(options)).rejects.toMatchObject({ kind: "bad-answer" });
    expect(camera.calls).toContain("device GetCapabilities");
  });
});
