import { afterEach, describe, expect, it, vi } from "vitest";
import { deviceClient } from "../../../src/camera/device/device-client.js";
import { inspectDevice, SoapClient } from "../../../src/camera/index.js";
import { accessTo, failureOf, OnvifCameras } from "../../support/camera/onvif-access.js";
import type { LoginDemand, OnvifCamera } from "../../support/camera/onvif-camera.js";

const YEAR_MS = 365 * 86_400_000;

const cameras = new OnvifCameras();
afterEach(async () => {
  vi.unstubAllEnvs();
  await cameras.stop();
});

const DEMANDS: readonly LoginDemand[] = ["token", "digest", "digest-sha256", "basic", "both"];

describe("a login", () => {
  it.each([...DEMANDS, "none"] as const)("is given as the device asks for it: %s", async (auth) => {
    const camera = await cameras.start({ auth });
    const device = await inspectDevice(accessTo(camera));
    expect(device.profiles).toHaveLength(2);
    expect([camera.refusals, camera.plainPasswords > 0]).toEqual([0, auth === "basic"]);
    const codes = device.warnings.map((warning) => warning.code);
    expect(codes).toEqual(auth === "basic" ? ["plain-password"] : []);
  });

  it.each(DEMANDS)("that is wrong is shown to the device once, whatever it offers: %s", async (auth) => {
    const camera = await cameras.start({ auth });
    const failure = await failureOf({ ...accessTo(camera), password: "wrong#password" });
    expect(failure).toMatchObject({ kind: "unauthorized", lostCause: "unauthorized" });
    expect(failure.message).toMatch(/check user, password and the user's ONVIF rights/);
    expect(failure.message).not.toContain("wrong#password");
    expect([camera.refusals, camera.logins, failure.loginTries]).toEqual([1, 1, 1]);
  });

  it("that was refused by one method is tried by another one the next time", async () => {
    const camera = await cameras.start({ auth: "token", quirks: ["offers-digest"] });
    const failure = await failureOf(accessTo(camera));
    expect([failure.kind, failure.loginMethod, camera.logins]).toEqual(["unauthorized", "http", 1]);
    const device = await inspectDevice(accessTo(camera, { refusedMethod: failure.loginMethod }));
    expect(device.profiles).toHaveLength(2);
  });

  it("is not sent as it is where that is forbidden, whatever the device asks for", async () => {
    const camera = await cameras.start({ auth: "basic" });
    const failure = await failureOf(accessTo(camera, { digestOnly: true }));
    expect([failure.kind, camera.plainPasswords]).toEqual(["unauthorized", 0]);
  });

  it.each(DEMANDS)("that is wrong is shown once to a device that does not say so: %s", async (auth) => {
    const camera = await cameras.start({ auth, quirks: ["unclear-fault"] });
    const failure = await failureOf({ ...accessTo(camera), password: "wrong#password" });
    expect(failure).toMatchObject({ kind: "login-unclear", lostCause: "unauthorized", loginTries: 1 });
    expect(failure.message).toMatch(/internal error 17.*check user and password/);
    expect([camera.refusals, camera.logins]).toEqual([1, 1]);
  });

  it("counts as taken where one operation alone fails without a reason", async () => {
    const camera = await cameras.start({
      auth: "digest",
      quirks: [{ quirk: "fault-internal", on: "GetDeviceInformation" }],
    });
    expect((await inspectDevice(accessTo(camera))).profiles).toHaveLength(2);
  });

  it("that was refused is not sent again by the same client", async () => {
    const camera = await cameras.start({ auth: "both" });
    const client = new SoapClient({ ...accessTo(camera), password: "wrong" });
    const question = deviceQuestion(camera);
    await expect(client.call(question)).rejects.toMatchObject({ kind: "unauthorized" });
    const asked = camera.calls.length;
    await expect(client.call(question)).rejects.toMatchObject({ kind: "unauthorized" });
    expect(camera.calls).toHaveLength(asked);
    client.close();
  });

  it.each(["token", "digest"] as const)(
    "that was changed meanwhile is tried three times, not for ever: %s",
    async (auth) => {
      const camera = await cameras.start({ auth });
      const client = new SoapClient(accessTo(camera));
      await client.call(deviceQuestion(camera));
      camera.change({ password: "Other#2" });
      for (let at = 0; at < 6; at += 1) {
        await expect(client.call(deviceQuestion(camera))).rejects.toMatchObject({ kind: "unauthorized" });
      }
      // Digest's first one is of a nonce that a restarted device may have forgotten.
      expect(camera.refusals).toBe(auth === "digest" ? 4 : 3);
      client.close();
    },
  );

  it("that is missing is asked for", async () => {
    const camera = await cameras.start({ auth: "both" });
    const failure = await failureOf({ ...accessTo(camera), login: "", password: "" });
    expect([failure.kind, failure.message]).toEqual([
      "unauthorized",
      expect.stringMatching(/asks for a login: enter user and password/),
    ]);
    expect(camera.refusals).toBe(0);
  });

  it("goes on where each nonce is good for one request", async () => {
    const camera = await cameras.start({ auth: "digest", quirks: ["one-nonce-a-request"] });
    expect((await inspectDevice(accessTo(camera))).profiles).toHaveLength(2);
  });

  it("goes on where each nonce is good for one request, and operations are missing in between", async () => {
    const quirk = "fault-not-supported";
    const camera = await cameras.start({
      auth: "digest",
      quirks: [
        "one-nonce-a-request",
        { quirk, on: "GetDeviceInformation" },
        { quirk, on: "GetVideoSources" },
        { quirk, on: "GetNodes" },
        { quirk, on: "GetSnapshotUri" },
      ],
      ptz: true,
    });
    expect((await inspectDevice(accessTo(camera))).profiles).toHaveLength(2);
  });

  it("covers the body where the device asks for that", async () => {
    const camera = await cameras.start({ auth: "digest", quirks: ["auth-int"] });
    expect((await inspectDevice(accessTo(camera))).profiles).toHaveLength(2);
    expect(camera.refusals).toBe(0);
  });

  it("with characters that XML and HTTP know otherwise", async () => {
    for (const auth of ["token", "digest"] as const)
      for (const login of ["in<st>&aller", "Админ", "管理员"]) {
        const named = { login, password: `pä"ss\\<&>'密` };
        const camera = await cameras.start({ auth, ...named });
        expect((await inspectDevice({ ...accessTo(camera), ...named })).profiles).toHaveLength(2);
      }
  });

  it("that the device denies, locks or waits for is distinguished without a second try", async () => {
    for (const [quirk, kind] of [
      ["forbidden", "unauthorized"],
      ["locked", "locked"],
      ["not-activated", "not-activated"],
    ] as const) {
      const camera = await cameras.start({ quirks: [{ quirk, on: "GetDeviceInformation" }], auth: "both" });
      expect((await failureOf(accessTo(camera))).kind).toBe(kind);
      expect(camera.calls).not.toContain("media2 GetProfiles");
    }
  });
});

describe("a device's clock", () => {
  it.each([-10 * YEAR_MS, 3 * 3_600_000, -300_000])(
    "off by %d ms keeps no token from being taken",
    async (offset) => {
      const camera = await cameras.start({ auth: "token", clockOffsetMs: offset });
      const device = await inspectDevice(accessTo(camera));
      expect(Math.abs((device.clockOffsetMs ?? 0) - offset)).toBeLessThan(5000);
      expect(camera.refusals).toBe(0);
      expect(device.warnings.map((warning) => warning.code)).toEqual(["clock-off"]);
      expect(device.warnings[0]?.message).toMatch(/10 years behind|3 hours ahead|5 minutes behind/);
    },
  );

  const HOUR_MS = 3_600_000;
  it.each([
    [
      "its local time as UTC, and HTTP's Date is right",
      { reportedTime: { offsetMs: 8 * HOUR_MS }, httpDate: 0 },
      "http",
    ],
    [
      "its local time as UTC, and there is no Date",
      { reportedTime: { offsetMs: -5 * HOUR_MS }, httpDate: "none" },
      "own",
    ],
    [
      "a time of its own, another than the one that it judges by, which its Date has",
      { reportedTime: { offsetMs: 9000 * HOUR_MS }, httpDate: 0, clockOffsetMs: -4000 * HOUR_MS },
      "http",
    ],
    [
      "its UTC and its local time, and judges by the local one",
      {
        reportedTime: { offsetMs: 8 * HOUR_MS, localMs: -8 * HOUR_MS },
        clockOffsetMs: -8 * HOUR_MS,
        httpDate: "none",
      },
      "local",
    ],
    [
      "its local time in summer, and judges by that",
      {
        reportedTime: { offsetMs: -2 * HOUR_MS, localMs: 2 * HOUR_MS, zone: "CET-1CEST" },
        clockOffsetMs: 2 * HOUR_MS,
        httpDate: "none",
      },
      "local",
    ],
  ] as const)("is stamped by the clock that it is judged by: a device tells %s", async (_, clock, source) => {
    const camera = await cameras.start({ auth: "token", ...clock });
    const access = accessTo(camera);
    const device = await inspectDevice(access);
    expect([device.profiles.length, device.loginClock?.source, camera.refusals]).toEqual([2, source, 1]);
    const { address, login, password } = access;
    const question = { address, login, password, secureOnly: false, ipv4Only: true, externalPorts: [] };
    const client = deviceClient({
      question,
      description: device,
      acceptsKey: () => true,
      clock: access.clock,
    });
    await client.call(deviceQuestion(camera));
    client.close();
    expect(camera.refusals).toBe(1);
  });

  it("is taken from a Date without a zone as Greenwich's, wherever the recorder is", async () => {
    vi.stubEnv("TZ", "America/New_York");
    const camera = await cameras.start({
      auth: "token",
      reportedTime: { offsetMs: 9000 * HOUR_MS },
      httpDate: 0,
      httpDateUnzoned: true,
      clockOffsetMs: -4000 * HOUR_MS,
    });
    expect((await inspectDevice(accessTo(camera))).loginClock?.source).toBe("http");
  });

  it("is stamped by what the device tells less its zone, when two others were refused before", async () => {
    const reportedTime = { offsetMs: 8 * HOUR_MS, zone: "CST-8" };
    const camera = await cameras.start({
      auth: "token",
      reportedTime,
      httpDate: "none",
      clockOffsetMs: 30 * HOUR_MS,
    });
    const failure = await failureOf(accessTo(camera));
    expect([failure.loginTries, failure.loginClocks]).toEqual([2, ["told", "own"]]);
    expect(failure.message).toContain("its clock is not the recorder's, which may be the reason");
    const { loginMethod: refusedMethod, loginClocks: refusedClocks } = failure;
    const device = await inspectDevice(accessTo(camera, { refusedMethod, refusedClocks }));
    expect([device.loginClock?.source, camera.refusals]).toEqual(["local", 2]);
  });

  it("that is wrong is shown to a device of many clocks three times in two inspections", async () => {
    const reportedTime = { offsetMs: 8 * HOUR_MS, zone: "CST-8" };
    const clocks = { reportedTime, httpDate: 5 * HOUR_MS, clockOffsetMs: 30 * HOUR_MS };
    const camera = await cameras.start({ auth: "token", ...clocks });
    const access = { ...accessTo(camera), password: "wrong" };
    const { loginMethod: refusedMethod, loginClocks: refusedClocks } = await failureOf(access);
    expect(camera.refusals).toBe(2);
    await failureOf({ ...access, refusedMethod, refusedClocks });
    expect(camera.refusals).toBe(3);
  });

  it("that is set between two calls is read again, once", async () => {
    const camera = await cameras.start({ auth: "token" });
    let reads = 0;
    const client = new SoapClient({
      ...accessTo(camera),
      readClocks: async () => {
        reads += 1;
        return [{ source: "told", offsetMs: 7_200_000 }];
      },
    });
    await client.call(deviceQuestion(camera));
    camera.change({ clockOffsetMs: 7_200_000 });
    const response = await client.call(deviceQuestion(camera));
    expect([response.text("SerialNumber"), reads]).toEqual(["B8A44F000001", 1]);
    client.close();
  });
});

function deviceQuestion(camera: OnvifCamera) {
  const address = `http://${camera.address}/onvif/device_service`;
  return { address, service: "device", operation: "GetDeviceInformation" } as const;
}
