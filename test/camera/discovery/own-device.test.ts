import { afterEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import {
  Discovery,
  type DiscoveryNetwork,
  inspectDevice,
  NetworkDevices,
  OwnDevices,
  openReader,
  recorderIdentity,
  SYSTEM_NETWORK,
} from "../../../src/camera/index.js";
import { OnvifCameras } from "../../support/camera/onvif-access.js";
import type { OnvifCamera } from "../../support/camera/onvif-camera.js";

const SERVER_ID = "11111111-0000-4000-8000-000000000001";
const clock = new SystemClock();
const log = createLog({ level: "silent" });
const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

const lan = (address: string, prefixLength: number, family: "IPv4" | "IPv6") => ({
  ...{ interfaceName: "eth0", address, family, prefixLength },
});
const NETWORK: DiscoveryNetwork = {
  ...SYSTEM_NETWORK,
  addresses: () => [
    lan("192.0.2.5", 24, "IPv4"),
    lan("198.51.100.5", 24, "IPv4"),
    lan("fe80::5", 64, "IPv6"),
  ],
  ipv6Networks: () => [lan("2001:db8::5", 64, "IPv6")],
};

function ownDevices(ports: readonly number[] = []): OwnDevices {
  const own = { identity: recorderIdentity({ id: SERVER_ID.toUpperCase() }), ports };
  const names = new Map([["recorder.lan", ["203.0.113.1", "2001:db8::5"]]]);
  const resolve = async (name: string) => names.get(name) ?? [];
  return new OwnDevices({ own: () => own, network: NETWORK, clock, resolve });
}

describe("the recorder is known", () => {
  it.each([
    ["by what it announces, at any address", `urn:uuid:${SERVER_ID}`, "203.0.113.9", 9999, true],
    ["at an address of its first interface", "", "192.0.2.5", 8080, true],
    ["at an address of its second interface", "", "198.51.100.5", 8080, true],
    ["at its link-local address", "", "fe80::5%eth0", 8080, true],
    ["at its IPv6 address", "", "2001:db8::5", 8443, true],
    ["at an IPv4 address written as IPv6", "", "::ffff:192.0.2.5", 8080, true],
    ["and not another server of its machine", "", "192.0.2.5", 8081, false],
    ["and not a camera of its machine at its port", "urn:uuid:other", "127.0.0.9", 8080, false],
    ["and not another machine at its port", "", "192.0.2.6", 8080, false],
  ])("%s", (_, identity, address, port, isItself) => {
    expect(ownDevices([8080, 8443]).isFound({ identity, address, port })).toBe(isItself);
  });

  it.each([
    ["recorder.lan", true],
    ["recorder.lan:8080", true],
    ["http://[2001:db8::5]:8080/onvif/device_service", true],
    ["127.9.9.9", true],
    ["[2001:DB8:0:0::5]", true],
    ["[::ffff:c000:205]", true],
    ["[::ffff:127.0.0.1]:8080", true],
    ["0.0.0.0:8080", true],
    ["[::]", true],
    ["camera.lan", false],
    ["192.0.2.6", false],
  ])("by where %s leads", async (address, isHere) => {
    expect(await ownDevices().isHere(address)).toBe(isHere);
  });
});

describe("the recorder is not added", () => {
  async function read(camera: OnvifCamera, isFarAway = false) {
    const real = ownDevices();
    const far = {
      hasIdentity: (identity: string | undefined) => real.hasIdentity(identity),
      isHere: async () => false,
      answersAt: (address: string, signal: AbortSignal) => real.answersAt(address, signal),
    };
    const discovery = new Discovery({ network: NETWORK, clock, log, readOpenly: async () => undefined });
    const own = isFarAway ? far : real;
    const devices = new NetworkDevices({ discovery, inspect: inspectDevice, ownDevices: own, clock, log });
    return await devices.read([{ address: camera.address, login: "admin", password: "Secret#1" }]);
  }

  it("at an address of its own, and is told no login", async () => {
    const itself = await cameras.start({ uuid: SERVER_ID });
    const [reading] = await read(itself);
    expect([reading?.result, itself.logins]).toEqual(["Itself", 0]);
    expect(reading?.reason).toContain("the recorder itself answers there");
  });

  it.each([
    ["takes the camera's login", "Secret#1"],
    ["refuses the camera's login", "another"],
  ])("behind a forwarded port, where it %s", async (_, password) => {
    const itself = await cameras.start({ uuid: SERVER_ID, password });
    expect((await read(itself, true)).map(({ result }) => result)).toEqual(["Itself"]);
  });

  it("and a camera of its machine is", async () => {
    expect((await read(await cameras.start())).map(({ result }) => result)).toEqual(["Readable"]);
  });
});

describe("the recorder is not listed", () => {
  async function found(camera: OnvifCamera, ports: readonly number[]) {
    const readOpenly = openReader(inspectDevice, clock);
    const own = ownDevices(ports);
    const discovery = new Discovery({ network: NETWORK, clock, log, readOpenly, ownDevices: own });
    const devices = await discovery.scan({ address: camera.address, timeoutSeconds: 10 });
    await discovery.stop();
    return devices.map(({ port }) => port);
  }

  it("when its own address is scanned", async () => {
    const itself = await cameras.start({ uuid: SERVER_ID });
    expect(await found(itself, [itself.port])).toEqual([]);
  });

  it("when it is found behind a forwarded port", async () => {
    const itself = await cameras.start({ uuid: SERVER_ID });
    expect(await found(itself, [8080])).toEqual([]);
  });

  it("and a camera of its machine is", async () => {
    const camera = await cameras.start();
    expect(await found(camera, [8080])).toEqual([camera.port]);
  });
});
