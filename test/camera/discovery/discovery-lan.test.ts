// Own network: it makes interfaces.
import { afterEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import {
  type DiscoveredDevice,
  Discovery,
  type DiscoveryNetwork,
  NetworkAddresses,
  type OpenReader,
} from "../../../src/camera/index.js";
import { until } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { CameraLan, type ResponderDevice } from "../../support/camera/camera-lan.js";

const missing = CameraLan.missing();
/** Seconds of a scan here: devices answer at once. */
const SCAN = 1.2;

const lans: CameraLan[] = [];
const discoveries: Discovery[] = [];

afterEach(async () => {
  for (const discovery of discoveries.splice(0)) await discovery.stop();
  for (const lan of lans.splice(0)) await lan.close();
});

function lanOf(): CameraLan {
  const lan = new CameraLan();
  lans.push(lan);
  return lan;
}

function discoveryOn(network: DiscoveryNetwork, readOpenly: OpenReader = async () => undefined): Discovery {
  const log = createLog({ level: "silent" });
  const discovery = new Discovery({ network, clock: new SystemClock(), log, readOpenly });
  discoveries.push(discovery);
  return discovery;
}

function identity(number: number): string {
  return `urn:uuid:00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

function device(number: number, change: Partial<ResponderDevice> = {}): ResponderDevice {
  return {
    identity: identity(number),
    scopes: [`onvif://www.onvif.org/name/Camera%20${number}`, "onvif://www.onvif.org/hardware/X1"],
    ...change,
  };
}

/** Says it once, and again each second: a datagram may be lost on a busy machine. */
async function sayUntil(
  host: { say(word: "hello" | "bye"): void },
  word: "hello" | "bye",
  holds: () => boolean,
): Promise<void> {
  host.say(word);
  const timer = setInterval(() => host.say(word), 1000);
  await until(word, holds).finally(() => clearInterval(timer));
}

function identities(found: readonly DiscoveredDevice[]): string[] {
  return found.map((each) => each.identity).sort();
}

describe.skipIf(missing !== undefined)(`devices on a network${notHere(missing)}`, () => {
  it("finds those of each interface, and over one interface only its own", async () => {
    const [front, back] = [lanOf(), lanOf()];
    await front.responder(10, {
      devices: [device(1, { xaddrs: [`http://${front.plain(10)}:8080/onvif/dev`] })],
    });
    await back.responder(10, { devices: [device(2)], manner: "gsoap" });
    const discovery = discoveryOn(front.network(back));
    const [all, one] = await Promise.all([
      discovery.scan({ timeoutSeconds: SCAN }),
      discovery.scan({ timeoutSeconds: SCAN, interface: back.interfaceName }),
    ]);
    expect(identities(all)).toEqual([identity(1), identity(2)]);
    expect(identities(one)).toEqual([identity(2)]);
    expect(all.find((each) => each.identity === identity(1))).toMatchObject({
      address: front.plain(10),
      port: 8080,
      path: "/onvif/dev",
      interfaceName: front.interfaceName,
      names: { name: "Camera 1", model: "X1" },
    });
  });

  it("finds 64 devices that answer at once, each by its own address", async () => {
    const lan = lanOf();
    const hosts = Array.from({ length: 64 }, (_, index) => 100 + index);
    const devices = hosts.map((host) => device(host, { from: lan.plain(host) }));
    await lan.responder(99, { devices }, hosts);
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(found.map(({ address }) => address)).toEqual(hosts.map((host) => lan.plain(host)));
  });

  it("finds 64 devices behind one address in one answer after the other", async () => {
    const lan = lanOf();
    const devices = Array.from({ length: 64 }, (_, index) =>
      device(index, { xaddrs: [`http://${lan.plain(10)}:${9000 + index}/onvif/device_service`] }),
    );
    await lan.responder(10, { devices });
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(found.map(({ port }) => port)).toEqual(devices.map((_, index) => 9000 + index));
  });

  it("takes every device of one answer", async () => {
    const lan = lanOf();
    await lan.responder(10, { devices: [device(1), device(2), device(3)], manner: "together" });
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(identities(found)).toEqual([identity(1), identity(2), identity(3)]);
  });

  it("finds a device that answers a probe for one type alone, whichever that is", async () => {
    const lan = lanOf();
    const types = ["dn:NetworkVideoTransmitter", "tds:Device", ""];
    for (const [index, type] of types.entries()) {
      await lan.responder(10 + index, { devices: [device(index)], onlyTypes: [type], manner: "env" });
    }
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(identities(found)).toEqual([identity(0), identity(1), identity(2)]);
  });

  it("forgets the address that a device has left when the device is heard elsewhere", async () => {
    const lan = lanOf();
    const discovery = discoveryOn(lan.network());
    await lan.responder(10, { devices: [device(1)] });
    await lan.responder(12, { devices: [device(2)] });
    await discovery.scan({ timeoutSeconds: SCAN });
    lan.cut(10);
    lan.cut(12);
    await lan.responder(11, { devices: [device(1)] });
    await discovery.scan({ timeoutSeconds: SCAN });
    const known = discovery.known().map((found) => [found.identity, found.address, found.isIdentityShared]);
    expect(known).toEqual([
      [identity(1), lan.plain(11), false],
      [identity(2), lan.plain(12), false],
    ]);
  });

  it("looks where a device is that says Hello from another address", async () => {
    const lan = lanOf();
    const discovery = discoveryOn(lan.network());
    await discovery.start();
    await lan.responder(10, { devices: [device(1)] });
    await discovery.scan({ timeoutSeconds: SCAN });
    lan.cut(10);
    const moved = await lan.responder(11, { devices: [device(1)] });
    moved.say("hello");
    const places = (): string[] => discovery.known().map(({ address }) => address);
    await until("the old address to be forgotten", () => places().join() === lan.plain(11), {
      timeoutMs: 15_000,
      seen: places,
    });
  });

  it("leaves out what is no ONVIF device", async () => {
    const lan = lanOf();
    const printer = device(1, {
      types: "wsdp:Device pub:Computer",
      scopes: ["ldap:///ou=print"],
      xaddrs: [],
    });
    await lan.responder(10, { devices: [printer] });
    await lan.responder(11, { devices: [device(2)] });
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(identities(found)).toEqual([identity(2)]);
  });

  it("shares a scan that runs, and scans again afterwards", async () => {
    const lan = lanOf();
    await lan.responder(10, { devices: [device(1)] });
    const discovery = discoveryOn(lan.network());
    const first = discovery.scan({ timeoutSeconds: SCAN });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const startMs = performance.now();
    const [one, two] = await Promise.all([first, discovery.scan({ timeoutSeconds: 20 })]);
    expect(identities(two)).toEqual(identities(one));
    // The second one ended with the first, not after its own 20 s.
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(identities(await discovery.scan({ timeoutSeconds: SCAN }))).toEqual([identity(1)]);
  });

  it("finds a device beside others that answer with garbage, bombs and floods", async () => {
    const lan = lanOf();
    const manners = ["garbage", "entity-bomb", "huge", "deep", "flood"] as const;
    for (const [index, manner] of manners.entries()) {
      await lan.responder(60 + index, { devices: [device(60 + index)], manner, answers: 400 });
    }
    await lan.responder(10, { devices: [device(1)] });
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(identities(found)).toContain(identity(1));
    const flood = found.filter(({ address }) => address === lan.plain(64));
    expect(flood.length).toBeGreaterThan(0);
    // Devices of one address are bounded.
    expect(flood.length).toBeLessThanOrEqual(256);
    expect(found).toHaveLength(flood.length + 1);
  });

  it("tells where devices are now, also where two addresses claim one identity", async () => {
    const lan = lanOf();
    await lan.responder(10, {
      devices: [device(1), device(2, { xaddrs: [`http://${lan.plain(10)}:8000/onvif/device_service`] })],
    });
    await lan.responder(66, { devices: [device(1)] });
    const places = await new NetworkAddresses(discoveryOn(lan.network())).look();
    expect(places.map(({ identity: reported, hostname, model }) => [reported, hostname, model])).toEqual([
      [identity(1), lan.plain(10), "X1"],
      [identity(2), `${lan.plain(10)}:8000`, "X1"],
      [identity(1), lan.plain(66), "X1"],
    ]);
  });

  it("keeps an identity apart that two addresses claim, and marks both", async () => {
    const lan = lanOf();
    await lan.responder(10, { devices: [device(1)] });
    await lan.responder(66, {
      devices: [
        device(1, { scopes: ["onvif://www.onvif.org/name/Evil"], xaddrs: [`http://${lan.plain(10)}/x`] }),
      ],
    });
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(
      found.map(({ address, names, isIdentityShared }) => [address, names.name, isIdentityShared]),
    ).toEqual([
      [lan.plain(10), "Camera 1", true],
      [lan.plain(66), "Evil", true],
    ]);
  });

  it("hears a device come, tells where, and hears it go; nobody else can send it away", async () => {
    const lan = lanOf();
    const camera = await lan.responder(10, { devices: [device(1)] });
    const other = await lan.responder(66, { devices: [device(1)] });
    const discovery = discoveryOn(lan.network());
    const seen: string[] = [];
    discovery.onSeen((each) => seen.push(`${each.identity} ${each.address}`));
    await discovery.start();
    await sayUntil(camera, "hello", () => discovery.known().length === 1);
    expect([...new Set(seen)]).toEqual([`${identity(1)} ${lan.plain(10)}`]);
    other.say("bye");
    await sayUntil(other, "hello", () => discovery.known().length === 2);
    await sayUntil(camera, "bye", () => discovery.known().length === 1);
    expect(discovery.known()[0]?.address).toBe(lan.plain(66));
  });

  it("hears announcements on an interface that comes up later", async () => {
    const lan = lanOf();
    let isUp = false;
    const whole = lan.network();
    const clock = new SystemClock();
    // The listener looks for interfaces every 15 s; here every 50 ms.
    const quick = Object.assign(Object.create(clock) as SystemClock, {
      setInterval: (run: () => void) => clock.setInterval(run, 50),
    });
    const network = { ...whole, addresses: () => (isUp ? whole.addresses() : []) };
    const log = createLog({ level: "silent" });
    const discovery = new Discovery({ network, clock: quick, log, readOpenly: async () => undefined });
    discoveries.push(discovery);
    await discovery.start();
    const camera = await lan.responder(10, { devices: [device(1)] });
    isUp = true;
    const timer = setInterval(() => camera.say("hello"), 100);
    await until("hello", () => discovery.known().length === 1, { seen: () => discovery.known() }).finally(
      () => clearInterval(timer),
    );
  });

  it("hears announcements after an interface was replaced under its name, however often", async () => {
    const lan = lanOf();
    const clock = new SystemClock();
    let look = (): void => undefined;
    const byHand = Object.assign(Object.create(clock) as SystemClock, {
      setInterval: (run: () => void) => {
        look = run;
        return clock.setInterval(() => undefined, 60_000);
      },
    });
    const log = createLog({ level: "silent" });
    const network = lan.network();
    const discovery = new Discovery({ network, clock: byHand, log, readOpenly: async () => undefined });
    discoveries.push(discovery);
    await discovery.start();
    const camera = await lan.responder(10, { devices: [device(1)] });
    let heard = 0;
    discovery.onSeen(() => {
      heard += 1;
    });
    // A socket of Linux has at most 20 memberships (igmp_max_memberships), the lost ones among them.
    for (let time = 1; time <= 22; time += 1) {
      lan.replaceOwn(10);
      look();
      const before = heard;
      await sayUntil(camera, "hello", () => heard > before);
    }
    expect(heard).toBeGreaterThanOrEqual(22);
  });

  it("asks the hosts of a network one by one, over HTTP where UDP says nothing", async () => {
    const lan = lanOf();
    await lan.responder(5, { devices: [device(1)] });
    await lan.responder(9, { silent: true, httpPort: 8000 });
    const found = await discoveryOn(lan.network()).scan({
      address: `${lan.plain(0)}/28`,
      timeoutSeconds: 20,
    });
    expect(found.map(({ address, port, identity: each }) => [address, port, each])).toEqual([
      [lan.plain(5), 80, identity(1)],
      [lan.plain(9), 8000, ""],
    ]);
  });

  it("asks one host at the port that is named", async () => {
    const lan = lanOf();
    await lan.responder(9, { silent: true, httpPort: 12345 });
    const discovery = discoveryOn(lan.network(), async () => ({
      manufacturer: "Acme",
      model: "C1",
      identity: identity(9),
      profiles: [],
    }));
    const found = await discovery.scan({ address: `${lan.plain(9)}:12345` });
    expect(found).toEqual([expect.objectContaining({ port: 12345, identity: identity(9) })]);
  });

  it("finds a device that speaks IPv6 alone, by its link-local address", async () => {
    const lan = lanOf();
    // A new address is tentative for a second (RFC 4862, 5.4).
    const namespace = lan.host(10);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await lan.respond(namespace, { devices: [device(1)], ipv6: true });
    const found = await discoveryOn(lan.network()).scan({ timeoutSeconds: SCAN });
    expect(found).toEqual([expect.objectContaining({ identity: identity(1) })]);
    expect(found[0]?.address).toMatch(/^fe80:/);
  });
});
