import { describe, expect, it } from "vitest";
import { DatagramBudget } from "../../../src/camera/discovery/discovery-budget.js";
import {
  isOnvifDevice,
  PROBE_TYPES,
  probeMessage,
  readDatagram,
  scopeNames,
} from "../../../src/camera/discovery/discovery-message.js";
import { parseAddressRange, RANGE_ADDRESSES_MAX } from "../../../src/camera/discovery/discovery-range.js";
import {
  DEVICE_AGE_MAX_US,
  DEVICES_PER_SOURCE_MAX,
  DeviceTable,
  serviceOf,
  TABLE_DEVICES_MAX,
} from "../../../src/camera/discovery/discovery-table.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { XML_BOMBS } from "../../support/camera/xml-bombs.js";

const readDiscoveryMessage = (datagram: Buffer) => readDatagram(datagram).message;
const UUID = "00112233-4455-6677-8899-aabbccddeeff";

function announcement(identity: string) {
  return { identity, types: ["NetworkVideoTransmitter"], scopes: [], xaddrs: [] };
}

function hello(change: { address?: string; types?: string; xaddrs?: string; scopes?: string } = {}): Buffer {
  const { address = `urn:uuid:${UUID}`, types = "", xaddrs = "", scopes = "" } = change;
  return Buffer.from(
    `<Envelope><Body><Hello><EndpointReference><Address>${address}</Address></EndpointReference>` +
      `<Types>${types}</Types><Scopes>${scopes}</Scopes><XAddrs>${xaddrs}</XAddrs></Hello></Body></Envelope>`,
  );
}

describe("a range of addresses", () => {
  it.each([
    ["192.168.1.10", ["192.168.1.10"], undefined],
    ["192.168.1.10:8000", ["192.168.1.10"], 8000],
    ["[fe80::1%eth0]:80", ["fe80::1%eth0"], 80],
    ["camera-1.lan", ["camera-1.lan"], undefined],
    ["10.0.0.255-10.0.1.1", ["10.0.0.255", "10.0.1.0", "10.0.1.1"], undefined],
    ["10.0.0.9-11", ["10.0.0.9", "10.0.0.10", "10.0.0.11"], undefined],
    ["10.0.0.7/30", ["10.0.0.5", "10.0.0.6"], undefined],
    ["10.0.0.7/32", ["10.0.0.7"], undefined],
    ["10.0.0.9-7", ["10.0.0.7", "10.0.0.8", "10.0.0.9"], undefined],
  ])("%s", (text, hosts, port) => {
    expect(parseAddressRange(text)).toEqual({ hosts, port });
  });

  it("takes up to 1024 addresses", () => {
    expect(parseAddressRange("10.0.0.0/22").hosts).toHaveLength(RANGE_ADDRESSES_MAX - 2);
    expect(() => parseAddressRange("10.0.0.0/21")).toThrow("2048 addresses");
    expect(() => parseAddressRange("10.0.0.0-10.0.4.0")).toThrow("1025 addresses");
  });

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "0.0.0.0",
    "ff02::c",
    "a b",
    "x:99999",
  ])("refuses '%s'", (text) => {
    expect(() => parseAddressRange(text)).toThrow(/^address: /);
  });
});

describe("a message", () => {
  it.each(PROBE_TYPES)("a probe of ours (%s) is no announcement", (type) => {
    expect(readDiscoveryMessage(probeMessage(type, UUID))).toBeUndefined();
  });

  it.each([`urn:uuid:${UUID}`, `uuid:${UUID.toUpperCase()}`, UUID, ` urn:uuid:${UUID} `])(
    "spells the identity %s one way",
    (address) => {
      expect(readDiscoveryMessage(hello({ address }))?.devices[0]?.identity).toBe(`urn:uuid:${UUID}`);
    },
  );

  it.each([
    ["%B4%F3%C3%C5", "大门"],
    ["%D0%94%D0%B2%D0%B5%D1%80%D1%8C", "Дверь"],
    ["100%", "100%"],
  ])("reads the name %s as it is written", (written, name) => {
    const scopes = `onvif://www.onvif.org/name/${written}`;
    const [device] = readDiscoveryMessage(hello({ scopes }))?.devices ?? [];
    expect(scopeNames(device?.scopes ?? []).name).toBe(name);
  });

  it.each([
    ["commas", "http://10.0.0.5:8899/a,http://[fe80::1]/b", ["http://10.0.0.5:8899/a", "http://[fe80::1]/b"]],
    ["semicolons", "http://10.0.0.5/a; https://10.0.0.5/b", ["http://10.0.0.5/a", "https://10.0.0.5/b"]],
    ["an interface in it", "http://[fe80::1%25eth0]:8899/a", ["http://[fe80::1]:8899/a"]],
    ["no scheme", "10.0.0.5:8080/onvif/device_service", ["http://10.0.0.5:8080/onvif/device_service"]],
  ])("reads addresses with %s", (_, xaddrs, read) => {
    expect(readDiscoveryMessage(hello({ xaddrs }))?.devices[0]?.xaddrs).toEqual(read);
  });

  it.each([
    [
      "blanks",
      "onvif://www.onvif.org/name/Front  Door 2 onvif://www.onvif.org/hardware/B",
      "Front Door 2",
      "B",
    ],
    ["commas", "onvif://www.onvif.org/name/A,onvif://www.onvif.org/hardware/B", "A", "B"],
    [
      "commas in a name",
      "onvif://www.onvif.org/name/Hall,%20left onvif://www.onvif.org/hardware/B",
      "Hall, left",
      "B",
    ],
  ])("reads scopes with %s", (_, scopes, name, model) => {
    const [device] = readDiscoveryMessage(hello({ scopes }))?.devices ?? [];
    expect(scopeNames(device?.scopes ?? [])).toMatchObject({ name, model });
  });

  it("is read where the list around its devices is missing, and by types in any case", () => {
    const types = "dn:networkvideotransmitter";
    const plain = hello({ types, xaddrs: "http://10.0.0.5/x" }).toString().replaceAll("Hello", "ProbeMatch");
    const message = readDiscoveryMessage(Buffer.from(plain));
    expect([message?.kind, message?.devices.map(isOnvifDevice)]).toEqual(["match", [true]]);
  });

  it("leaves out addresses that are none of a device service, and those with a login", () => {
    const xaddrs = "ftp://a/ http://u:p@b/ nonsense http://192.168.1.9/onvif/device_service";
    expect(readDiscoveryMessage(hello({ xaddrs }))?.devices[0]?.xaddrs).toEqual([
      "http://192.168.1.9/onvif/device_service",
    ]);
  });
});

describe("the device service", () => {
  const service = (address: string, ...xaddrs: string[]) => serviceOf({ xaddrs }, address);

  it("is at the announced address that answered", () => {
    const found = service("10.0.0.5", "http://192.168.1.9/a", "https://10.0.0.5/b", "http://10.0.0.5:8080/c");
    expect(found).toEqual({ port: 8080, isSecure: false, path: "/c" });
  });

  it("is at the address that answered where it announces only others", () => {
    expect(service("10.0.0.5", "http://192.168.1.9:8000/onvif")).toEqual({
      port: 8000,
      isSecure: false,
      path: "/onvif",
    });
  });
});

describe("the table of devices", () => {
  const source = (number: number) => ({
    address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    interfaceName: "eth0",
  });

  it("takes a bounded number of devices from one address", () => {
    const table = new DeviceTable(new ManualClock());
    for (let index = 0; index < DEVICES_PER_SOURCE_MAX + 50; index += 1) {
      table.note(table.deviceOf(announcement(`urn:x${index}`), source(1)));
    }
    expect(table.size).toBe(DEVICES_PER_SOURCE_MAX);
    expect(table.note(table.deviceOf(announcement("urn:other"), source(2)))).toBe("new");
  });

  it("when full gives up the device that was not heard for longest, and no fresh one", () => {
    const clock = new ManualClock();
    const table = new DeviceTable(clock);
    for (let index = 0; index < TABLE_DEVICES_MAX; index += 1) {
      table.note(table.deviceOf(announcement(`urn:x${index}`), source(index)));
    }
    const late = () => table.note(table.deviceOf(announcement("urn:late"), source(60_000)));
    expect(late()).toBe("refused");
    clock.advance(61_000);
    expect(late()).toBe("new");
    expect(table.size).toBe(TABLE_DEVICES_MAX);
  });

  it("forgets a device after a day", () => {
    const clock = new ManualClock();
    const table = new DeviceTable(clock);
    table.note(table.deviceOf(announcement("urn:x"), source(1)));
    clock.advance(DEVICE_AGE_MAX_US / 1000 - 1000);
    expect(table.devices()).toHaveLength(1);
    clock.advance(2000);
    expect(table.devices()).toEqual([]);
  });

  it("does not take a device that moved for two", () => {
    const clock = new ManualClock();
    const table = new DeviceTable(clock);
    table.note(table.deviceOf(announcement("urn:x"), source(1)));
    clock.advance(60_000);
    table.note(table.deviceOf(announcement("urn:x"), source(2)));
    expect(table.devices().map(({ isIdentityShared }) => isIdentityShared)).toEqual([false, false]);
  });
});

describe("a flood of datagrams", () => {
  /** What of it is looked at in ten seconds, as elements and attributes. */
  function lookedAt(budget: DatagramBudget, clock: ManualClock, flood: (n: number) => [string, Buffer]) {
    let [datagrams, tokens] = [0, 0];
    const readings = new Map<Buffer, ReturnType<typeof readDatagram>>();
    for (let second = 0; second < 10; second += 1) {
      for (let n = 0; n < 1000; n += 1) {
        const [address, datagram] = flood(second * 1000 + n);
        if (!budget.takes(address, datagram.length)) continue;
        const read = readings.get(datagram) ?? readDatagram(datagram);
        readings.set(datagram, read);
        budget.charge(address, { tokens: read.tokens, devices: read.message?.devices.length ?? 0 });
        datagrams += 1;
        tokens += read.tokens;
      }
      clock.advance(1000);
    }
    return { datagrams, tokens };
  }

  const one = (bomb: Buffer) => (): [string, Buffer] => ["10.0.0.66", bomb];
  const many =
    (bomb: Buffer) =>
    (n: number): [string, Buffer] => [`10.1.${n >> 8}.${n & 255}`, bomb];

  it.each(Object.entries(XML_BOMBS))("of %s costs little, from one address and from many", (_name, bomb) => {
    // A megabyte a second.
    const datagram = Buffer.from(bomb(1000));
    for (const [flood, tokensMax] of [
      [one(datagram), 150_000],
      [many(datagram), 1_400_000],
    ] as const) {
      const clock = new ManualClock();
      expect(lookedAt(new DatagramBudget(clock), clock, flood).tokens).toBeLessThan(tokensMax);
    }
  });

  it("of one address leaves the others theirs", () => {
    const clock = new ManualClock();
    const budget = new DatagramBudget(clock);
    const { datagrams } = lookedAt(budget, clock, one(Buffer.alloc(500)));
    expect(datagrams).toBeLessThan(5000);
    expect(budget.takes("10.0.0.1", 500)).toBe(true);
  });

  it("of many addresses is looked at in part, and over when it is over", () => {
    const clock = new ManualClock();
    const budget = new DatagramBudget(clock);
    lookedAt(budget, clock, many(hello({ scopes: "onvif://www.onvif.org/name/x ".repeat(30) })));
    clock.advance(1000);
    expect(budget.takes("10.0.0.1", 500)).toBe(true);
  });

  it("takes all answers of a gateway with 64 devices to a scan", () => {
    const budget = new DatagramBudget(new ManualClock());
    for (let n = 0; n < 3 * 64; n += 1) {
      const datagram = hello({ scopes: "onvif://www.onvif.org/Profile/Streaming ".repeat(10) });
      expect(budget.takes("10.0.0.5", datagram.length)).toBe(true);
      budget.charge("10.0.0.5", { tokens: 60, devices: 1 });
    }
  });
});

it("an envelope of more elements than sixteen devices need is not read", () => {
  expect(readDatagram(Buffer.from(`<a>${"<b/>".repeat(2000)}</a>`)).message).toBeUndefined();
});
