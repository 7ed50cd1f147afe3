import { afterEach, describe, expect, it } from "vitest";
import { inspectDevice } from "../../../src/camera/index.js";
import { AddressCorrection } from "../../../src/camera/onvif/address-correction.js";
import { deviceCandidates } from "../../../src/camera/onvif/device-candidates.js";
import { type DeviceUrl, deviceUrlText, parseDeviceUrl } from "../../../src/camera/soap/device-url.js";
import { accessTo, failureOf, OnvifCameras } from "../../support/camera/onvif-access.js";

const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

describe("a device behind NAT", () => {
  it("that names its inner addresses is asked where it was reached", async () => {
    const camera = await cameras.start({ maker: "hikvision", quirks: ["wrong-addresses"] });
    const device = await inspectDevice(accessTo(camera));
    expect(device.services.media2).toBe(`http://${camera.address}/onvif/media2_service`);
    expect(device.profiles[0]?.streamUri).toMatch(/^rtsp:\/\/127\.0\.0\.1\/Streaming/);
    expect(device.warnings.map((warning) => [warning.code, warning.message])).toEqual([
      ["addresses-corrected", expect.stringContaining("192.168.0.64")],
    ]);
  });

  it("with mapped ports: the web port is learned, the stream's is configured", async () => {
    const advertised = { host: "10.1.1.9", port: 80, rtspPort: 554 };
    const camera = await cameras.start({ maker: "axis", advertised });
    const externalPorts = [{ integratedPort: 554, externalPort: 10_554 }];
    const device = await inspectDevice(accessTo(camera, { externalPorts }));
    expect(device.services.events).toBe(`http://${camera.address}/onvif/events_service`);
    expect(device.profiles[0]?.streamUri).toMatch(/^rtsp:\/\/127\.0\.0\.1:10554\/onvif-media/);
    expect(device.profiles[0]?.snapshotUri).toMatch(new RegExp(`^http://${camera.address}/onvif-cgi`));
  });

  it("is looked for at the external port of its web port", () => {
    const externalPorts = [{ integratedPort: 80, externalPort: 8001 }];
    expect(deviceCandidates({ address: "nat.example", externalPorts }).map((url) => url.port)).toEqual([
      8001, 443, 8000, 8080, 2020, 8899,
    ]);
  });
});

describe("a device over TLS", () => {
  it("is described, with a certificate of its own, and asked for nothing in clear", async () => {
    const camera = await cameras.start({
      tls: true,
      auth: "basic",
      advertised: { host: "127.0.0.1", port: 1 },
    });
    const device = await inspectDevice(accessTo(camera, { secureOnly: true }));
    expect(device.services.device).toMatch(/^https:/);
    expect(device.services.media).toMatch(/^https:/);
    expect(device.profiles[0]?.snapshotUri).toMatch(/^https:/);
    expect(device.warnings.map((warning) => warning.code)).toEqual(["addresses-corrected"]);
  });

  it("is found at a port that speaks TLS only", async () => {
    const camera = await cameras.start({ tls: true });
    expect((await inspectDevice(accessTo(camera))).services.device).toMatch(/^https:/);
  });

  it("is refused when certificates must be signed by a known authority", async () => {
    const camera = await cameras.start({ tls: true });
    const failure = await failureOf(accessTo(camera, { secureOnly: true, verifyCertificate: true }));
    expect([failure.kind, failure.message]).toEqual([
      "insecure",
      expect.stringMatching(/SELF_SIGNED|UNABLE_TO/),
    ]);
    expect(camera.calls).toEqual([]);
  });

  it("that has none is not asked where a secure connection is wanted", async () => {
    const camera = await cameras.start();
    const access = accessTo(camera, { secureOnly: true });
    expect((await failureOf(access)).kind).toBe("insecure");
    expect((await failureOf({ ...access, address: `http://${camera.address}` })).kind).toBe("insecure");
    expect(camera.calls).toEqual([]);
  });
});

describe("the key of a device's certificate", () => {
  it("that is not the expected one: the device is told nothing", async () => {
    const camera = await cameras.start({ tls: true });
    const access = accessTo(camera, { secureOnly: true, acceptsKey: () => false });
    const failure = await failureOf(access);
    expect([failure.kind, failure.message]).toEqual([
      "certificate-changed",
      expect.stringContaining(`${camera.address} shows another certificate than before`),
    ]);
    expect(camera.calls).toEqual([]);
  });

  it("is asked about once for each connection, with its port", async () => {
    const camera = await cameras.start({ tls: true });
    const asked = new Set<string>();
    const acceptsKey = (port: number, { sha256 }: { readonly sha256: string }): boolean =>
      asked.add(`${port} ${sha256.length}`).size > 0;
    await inspectDevice(accessTo(camera, { secureOnly: true, acceptsKey }));
    expect([...asked]).toEqual([`${camera.address.split(":")[1]} 64`]);
  });
});

describe("a device whose streams go through HTTP alone", () => {
  it.each(["hikvision", "axis"] as const)("is asked for that at last: %s", async (maker) => {
    const camera = await cameras.start({ maker, onlyTunnels: true });
    const device = await inspectDevice(accessTo(camera));
    expect(device.profiles.length).toBeGreaterThan(0);
    for (const { streamUri } of device.profiles)
      expect(streamUri).toContain(`rtsp+http://${camera.address}/`);
  });

  it.each<[string, DeviceUrl["scheme"], string]>([
    ["http://10.9.9.9:8080/live", "http", "rtsp+http://192.0.2.4:8080/live"],
    ["https://10.9.9.9/live", "http", "rtsp+https://192.0.2.4/live"],
    ["rtsp://10.9.9.9:554/live", "http", "rtsp+http://192.0.2.4:81/live"],
    ["http://10.9.9.9/live", "https", "rtsp+https://192.0.2.4:81/live"],
    ["rtsp://10.9.9.9/live", "https", "rtsp+https://192.0.2.4:81/live"],
  ])("names %s, reached over %s: %s", (named, scheme, corrected) => {
    const reached = { scheme, host: "192.0.2.4", port: 81, target: "/onvif/device_service" };
    expect(new AddressCorrection({ reached, externalPorts: [] }).tunnel(named)).toBe(corrected);
  });
});

describe("an address as it is entered", () => {
  it.each([
    ["192.168.1.64", "http://192.168.1.64/onvif/device_service"],
    ["cam.local:8899", "http://cam.local:8899/onvif/device_service"],
    ["2001:db8::7", "http://[2001:db8::7]/onvif/device_service"],
    ["[fe80::1%eth0]:8080", "http://[fe80::1%eth0]:8080/onvif/device_service"],
    [" https://10.0.0.5:8443/ ", "https://10.0.0.5:8443/onvif/device_service"],
    ["http://10.0.0.5/other/path", "http://10.0.0.5/other/path"],
    ["http://user:pw@10.0.0.5", "http://10.0.0.5/onvif/device_service"],
  ])("%s", (address, first) => {
    const [candidate] = deviceCandidates({ address });
    expect(candidate && deviceUrlText(candidate)).toBe(first);
  });

  it.each(["", "a b", "rtsp://10.0.0.5/", "host:0", "host:70000", "http://", "10.0.0.5/path", "a\nb"])(
    "%j is none",
    (address) => {
      expect(() => deviceCandidates({ address })).toThrow(/address cannot be used/);
    },
  );
});

describe("addresses that a device names", () => {
  const REACHED: DeviceUrl = { scheme: "http", host: "cam", port: 8001, target: "/onvif/device_service" };
  const correction = (scheme: "http" | "https" = "http") =>
    new AddressCorrection({
      reached: { ...REACHED, scheme },
      externalPorts: [{ integratedPort: 554, externalPort: 1554 }],
    });

  it("keep odd paths and lose credentials", () => {
    expect(correction().rtsp("rtsp://admin:pw@10.0.0.5/a|b/{c}?x=1&y=ü#f")).toBe(
      "rtsp://cam:1554/a|b/{c}?x=1&y=%C3%BC",
    );
  });

  it("may be bare paths", () => {
    expect(correction().http("/onvif/media")).toBe("http://cam:8001/onvif/media");
  });

  it("in clear become secure where the device was reached over TLS", () => {
    expect(correction("https").http("http://10.0.0.5:80/snap.jpg")).toBe("https://cam:8001/snap.jpg");
  });

  it.each([
    "",
    "ftp://x/",
    "file:///etc/passwd",
    "rtsp://",
    "http://a b/",
    "javascript:1",
    `http://x/${"a".repeat(3000)}`,
  ])("%j is none", (address) => {
    expect([correction().rtsp(address), correction().http(address)]).toEqual([undefined, undefined]);
  });

  it("survive being parsed and written again", () => {
    for (const text of ["http://a/", "https://a:8443/x?y=1", "rtsp://[::1]:8554/s", "rtsps://b/"]) {
      const url = parseDeviceUrl(text, ["http", "https", "rtsp", "rtsps"]);
      expect(url && deviceUrlText(url)).toBe(text);
    }
  });
});
