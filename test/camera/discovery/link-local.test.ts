import { describe, expect, it } from "vitest";
import { parseDeviceHost } from "../../../src/camera/description/device-host.js";
import { deviceHostname, hostnameHost } from "../../../src/camera/discovery/discovery-address.js";
import {
  type DiscoveryNetwork,
  type LanAddress,
  reachedAt,
} from "../../../src/camera/discovery/discovery-network.js";
import { DeviceTable } from "../../../src/camera/discovery/discovery-table.js";
import { SYSTEM_NETWORK } from "../../../src/camera/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const own = (interfaceName: string, address: string, prefixLength: number): LanAddress => ({
  ...{ interfaceName, address, prefixLength },
  family: address.includes(":") ? "IPv6" : "IPv4",
});
const NETWORK: DiscoveryNetwork = {
  ...SYSTEM_NETWORK,
  addresses: () => [own("eth0", "192.0.2.1", 24), own("eth0", "fe80::1", 64), own("eth1", "fe80::2", 64)],
  ipv6Networks: () => [own("eth0", "2001:db8:0:a::1", 64), own("eth1", "2001:db8:0:b::1", 64)],
};
const heardFrom = { address: "fe80::9%eth0", interfaceName: "eth0" };

describe("a device that answers from a link-local address is reached", () => {
  it.each([
    ["at its IPv4 address in our network", ["http://[fe80::9]/x", "http://192.0.2.9/x"], "192.0.2.9"],
    [
      "at its address in an IPv6 network of that interface",
      ["http://[2001:db8:0:a::9]/x"],
      "2001:db8:0:a::9",
    ],
    ["there, where its other addresses are of other networks", ["http://198.51.100.9/x"], heardFrom.address],
    ["there, where its network is another interface's", ["http://[2001:db8:0:b::9]/x"], heardFrom.address],
    ["there, where it names a link-local address", ["http://[fe80::8]/x"], heardFrom.address],
    ["there, where it names a host", ["http://2001.example/x"], heardFrom.address],
  ])("%s", (_, xaddrs, address) => {
    const other = address === heardFrom.address ? {} : { heardFrom: heardFrom.address };
    expect(reachedAt(heardFrom, xaddrs, NETWORK)).toEqual({ ...heardFrom, address, ...other });
  });

  it("elsewhere nothing that it says of its address is believed", () => {
    const source = { address: "2001:db8:0:a::7", interfaceName: "eth0" };
    expect(reachedAt(source, ["http://192.0.2.9/x"], NETWORK)).toBe(source);
  });
});

describe("an address with its interface", () => {
  const device = { port: 8080, isSecure: false, path: "/onvif/device_service" };

  it.each([
    [{ ...device, address: "fe80::9%eth0" }, "[fe80::9%eth0]:8080"],
    [{ ...device, address: "fe80::9%br-lan.5", port: 80 }, "fe80::9%br-lan.5"],
    [{ ...device, address: "fe80::9%eth0", path: "/x" }, "http://[fe80::9%eth0]:8080/x"],
  ])("is written and read again: %#", (found, text) => {
    const hostname = deviceHostname(found as Parameters<typeof deviceHostname>[0]);
    expect(hostname).toBe(text);
    expect(parseDeviceHost(hostname)?.host).toBe(found.address);
    expect(hostnameHost(hostname)).toBe(found.address);
  });

  it("is the host of a stream's address too", () => {
    expect(hostnameHost("rtsp://user:pass@[FE80::9%eth0]:554/s")).toBe("fe80::9%eth0");
  });

  it.each(["[fe80::9%]:80", "[fe80::9%eth0 ]", "[fe80::9%et/h0]:80", "[%eth0]:80"])(
    "is no address: %s",
    (text) => {
      expect(parseDeviceHost(text)).toBeUndefined();
    },
  );
});

describe("what comes from a link-local address", () => {
  const clock = new SimulatedClock();
  const announcement = { identity: "urn:uuid:1", types: [], scopes: [], xaddrs: ["http://192.0.2.9:81/x"] };
  const claimed = reachedAt(heardFrom, announcement.xaddrs, NETWORK);
  const itself = { address: "192.0.2.9", interfaceName: "eth0" };

  it("changes no entry that its own address has made, nor removes it", () => {
    const table = new DeviceTable(clock);
    table.note(table.deviceOf({ ...announcement, xaddrs: ["http://192.0.2.9:80/x"] }, itself));
    table.note(table.deviceOf(announcement, claimed));
    table.leave("urn:uuid:1", heardFrom.address);
    expect(table.devices()).toMatchObject([{ address: "192.0.2.9", port: 80 }]);
  });

  it("makes one, which it changes, and which its Bye removes, and not that of others", () => {
    const table = new DeviceTable(clock);
    expect(table.note(table.deviceOf(announcement, claimed))).toBe("new");
    table.note(table.deviceOf({ ...announcement, xaddrs: ["http://192.0.2.9:82/x"] }, claimed));
    expect(table.devices()).toMatchObject([{ address: "192.0.2.9", port: 82 }]);
    table.leave("urn:uuid:1", "fe80::8%eth0");
    table.leave("urn:uuid:2", heardFrom.address);
    expect(table.size).toBe(1);
    table.leave("urn:uuid:1", heardFrom.address);
    expect(table.size).toBe(0);
  });
});
