import { expect, test } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  AddressFollower,
  CameraFailure,
  type DevicePlace,
  type DeviceProof,
  type InspectDevice,
  ONVIF_MODEL,
  type PlaceFinder,
} from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { description, IDENTITY, profile } from "../../support/camera/device-description.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const SECOND_US = 1_000_000;
const OTHER = "urn:uuid:99999999-0000-0000-0000-000000000002";
const THIRD = "urn:uuid:99999999-0000-0000-0000-000000000003";

function onvifCamera(hostname: string, deviceIdentity: string | undefined = IDENTITY): Camera {
  const base = testCamera();
  const { deviceIdentity: _none, ...connection } = base.connection;
  const identity = deviceIdentity === "" ? {} : { deviceIdentity };
  const login = { login: "viewer", password: "Secret#1" };
  return { ...base, connection: { ...connection, ...login, modelId: ONVIF_MODEL.id, hostname, ...identity } };
}

/** What a device of the test's network is; text: its endpoint reference, told and announced. */
interface Played extends Partial<Omit<DeviceProof, "mac">> {
  /** Of its network card. */
  readonly mac?: string;
  /** Endpoint reference that it announces; default: the one that it tells. */
  readonly announced?: string;
  readonly refuses?: boolean;
}

/** A network in which only `devices` answer, by address. */
function setUp(cameras: readonly Camera[], devices: Map<string, string | Played>) {
  const site = new MemorySite(cameras);
  const clock = new SimulatedClock();
  const log = createLog({ level: "silent" });
  const loggedIn: string[] = [];
  let looks = 0;
  const played = (address: string): Omit<DeviceProof, "mac"> & Played => {
    const device = devices.get(address);
    if (device === undefined) throw new CameraFailure("unreachable", `${address} cannot be reached`);
    loggedIn.push(address);
    const given: Played = typeof device === "string" ? { identity: device } : device;
    if (given.refuses === true) throw new CameraFailure("unauthorized", "no", { loginTries: 1 });
    const none = { manufacturer: "Maker", model: "One", serial: "", hardwareId: "" };
    return { identity: undefined, tookLogin: true, ...none, ...given };
  };
  const inspect: InspectDevice = async ({ address }) => {
    const { tookLogin, announced: _announced, refuses: _refuses, ...shown } = played(address);
    return description([profile("big")], { ...shown, tookDigest: tookLogin });
  };
  const { devices: known, notes, budgets } = testDevices({ site, clock, log, inspect });
  let announce: (place: DevicePlace) => void = () => undefined;
  const places = (): DevicePlace[] =>
    [...devices].map(([hostname, device]) => {
      const {
        announced,
        identity = "",
        model = "",
      } = typeof device === "string" ? { identity: device } : device;
      return { hostname, host: hostname.replace(/:\d+$/, ""), identity: announced ?? identity, model };
    });
  const finder: PlaceFinder = {
    look: async () => {
      looks += 1;
      return places();
    },
    known: places,
    onSeen: (listener) => {
      announce = listener;
    },
  };
  const prove = async ({ address }: { readonly address: string }): Promise<DeviceProof> => played(address);
  const macOf = async (host: string): Promise<string> => {
    const device = devices.get(host);
    return typeof device === "object" ? (device.mac ?? "") : "";
  };
  const parts = { site, devices: known, notes, budgets, finder, prove, macOf, clock, log };
  const follower = new AddressFollower(parts);
  known.follow(site.current);
  site.onChange("cameras", (now) => known.follow(now));
  known.onChange(() => known.follow(site.current));
  follower.start();
  const hostnames = (): string[] => site.current.cameras.map(({ connection }) => connection.hostname);
  return {
    site,
    clock,
    known,
    looks: () => looks,
    loggedIn,
    follower,
    hostnames,
    announce: (identity: string, at: string) => announce({ identity, hostname: at, host: at, model: "" }),
  };
}

async function later(clock: SimulatedClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(SECOND_US);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a camera that does not answer is looked for by its identity and followed, its port kept", async () => {
  const devices = new Map([["192.0.2.8:8000", IDENTITY]]);
  const { clock, hostnames, loggedIn, follower } = setUp([onvifCamera("192.0.2.7:8000")], devices);
  await later(clock, 60);
  expect(hostnames()).toEqual(["192.0.2.8:8000"]);
  expect(loggedIn).toContain("192.0.2.8:8000");
  await follower.stop();
});

test("a camera that is away for a moment is not looked for", async () => {
  const devices = new Map<string, string>();
  const { clock, looks, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 20);
  devices.set("192.0.2.7", IDENTITY);
  await later(clock, 60);
  expect(looks()).toBe(0);
  await follower.stop();
});

test("an announcement moves no camera that answers where it is", async () => {
  const devices = new Map([
    ["192.0.2.7", IDENTITY],
    ["192.0.2.66", IDENTITY],
  ]);
  const { clock, hostnames, announce, loggedIn, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 2);
  announce(IDENTITY, "192.0.2.66");
  await later(clock, 5);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(loggedIn).toEqual(["192.0.2.7"]);
  await follower.stop();
});

test("no password goes to a device that says Hello by another identity", async () => {
  const devices = new Map([["192.0.2.66", OTHER]]);
  const { clock, hostnames, announce, loggedIn, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 2);
  announce(OTHER, "192.0.2.66");
  await later(clock, 100);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(loggedIn).toEqual([]);
  await follower.stop();
});

test("a device that announces the camera's identity and shows another one is asked once, and left", async () => {
  const devices = new Map([["192.0.2.66", { identity: OTHER, announced: IDENTITY }]]);
  const { clock, hostnames, announce, loggedIn, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 2);
  announce(IDENTITY, "192.0.2.66");
  await later(clock, 300);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(loggedIn).toHaveLength(1);
  await follower.stop();
});

test("a camera of which nothing is known is never followed, and one that stays away is sought once a minute", async () => {
  const { clock, looks, follower } = setUp(
    [onvifCamera("192.0.2.7", ""), onvifCamera("192.0.2.9")],
    new Map(),
  );
  await later(clock, 200);
  expect(looks()).toBeGreaterThan(0);
  expect(looks()).toBeLessThanOrEqual(3);
  await follower.stop();
});

test("two cameras that were given each other's address are found again", async () => {
  const devices = new Map([
    ["192.0.2.7", OTHER],
    ["192.0.2.8", IDENTITY],
  ]);
  const cameras = [onvifCamera("192.0.2.7"), onvifCamera("192.0.2.8", OTHER)];
  const { clock, hostnames, follower } = setUp(cameras, devices);
  await later(clock, 15);
  expect(hostnames()).toEqual(["192.0.2.8", "192.0.2.7"]);
  await later(clock, 120);
  expect(hostnames()).toEqual(["192.0.2.8", "192.0.2.7"]);
  await follower.stop();
});

test("a device that gave itself another identity stays the camera that it was", async () => {
  const { clock, hostnames, looks, follower } = setUp(
    [onvifCamera("192.0.2.7")],
    new Map([["192.0.2.7", OTHER]]),
  );
  await later(clock, 130);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(looks()).toBeLessThanOrEqual(3);
  await follower.stop();
});

/** A camera that is met at 192.0.2.7, and then moves. */
async function moved(before: Played, after: Played, others: readonly [string, Played][] = []) {
  const devices = new Map<string, string | Played>([["192.0.2.7", before], ...others]);
  const net = setUp([onvifCamera("192.0.2.7", before.identity ?? before.announced ?? "")], devices);
  const camera = net.site.current.cameras[0];
  if (camera === undefined) throw new Error("there is no camera");
  const streams = {
    ...camera.connection.streams,
    Main: { ...camera.connection.streams.Main, profileToken: "big" },
  };
  const connection = { ...camera.connection, streams };
  await net.site.change((site) => ({ ...site, cameras: [{ ...camera, connection }] }));
  await later(net.clock, 15);
  devices.delete("192.0.2.7");
  devices.set("192.0.2.8", after);
  // As its streams do when they are lost.
  const now = net.site.current.cameras[0];
  if (now !== undefined) net.known.inspection(now)?.refresh();
  return { ...net, devices };
}

const SERIAL = { serial: "B8A44F000001" };

test.each<[string, Played, Played]>([
  [
    "by its serial number, with another identity everywhere",
    { identity: IDENTITY, ...SERIAL },
    { identity: OTHER, ...SERIAL },
  ],
  ["by its serial number, without any identity", SERIAL, SERIAL],
  [
    "by what it announces, the rest being the same",
    { announced: IDENTITY, hardwareId: "7" },
    { announced: IDENTITY, hardwareId: "7" },
  ],
  ["by its model, its login and nothing else", {}, {}],
])("a camera is found again %s", async (_name, before, after) => {
  const { clock, hostnames, follower } = await moved(before, after);
  await later(clock, 100);
  expect(hostnames()).toEqual(["192.0.2.8"]);
  await follower.stop();
});

test.each<[string, Played, Played]>([
  [
    "has another serial number",
    { identity: IDENTITY, ...SERIAL },
    { identity: IDENTITY, serial: "B8A44F000002" },
  ],
  ["is another model", { announced: IDENTITY }, { announced: IDENTITY, model: "Two" }],
  ["refuses the login", { identity: IDENTITY }, { identity: IDENTITY, refuses: true }],
  ["tells an identity where the camera reports none", {}, { identity: OTHER }],
])("a device that %s is not followed", async (_name, before, after) => {
  const { clock, hostnames, follower } = await moved(before, after);
  await later(clock, 150);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  await follower.stop();
});

const OPEN: Played = { tookLogin: false };
test.each<[string, Played, Played]>([
  ["serial number", { ...OPEN, ...SERIAL }, { ...OPEN, ...SERIAL }],
  ["network card", { ...OPEN, mac: "02:00:00:00:00:01" }, { ...OPEN, mac: "02:00:00:00:00:01" }],
  [
    "hardware id, and the identity that it announces",
    { ...OPEN, announced: IDENTITY, hardwareId: "HW-7" },
    { ...OPEN, announced: IDENTITY, hardwareId: "HW-7" },
  ],
])(
  "a camera that asks for a login at its streams alone is followed by its %s",
  async (_name, before, after) => {
    const { clock, hostnames, follower } = await moved(before, after);
    await later(clock, 100);
    expect(hostnames()).toEqual(["192.0.2.8"]);
    await follower.stop();
  },
);

test.each<[string, Played, Played]>([
  ["has the camera's serial number, where the camera asked for one", SERIAL, { ...OPEN, ...SERIAL }],
  ["shows the camera's identity alone", { ...OPEN, identity: IDENTITY }, { ...OPEN, identity: IDENTITY }],
  [
    "has another network card",
    { ...OPEN, identity: IDENTITY, mac: "02:00:00:00:00:01" },
    { ...OPEN, identity: IDENTITY, mac: "02:00:00:00:00:02" },
  ],
])("a device that asks for no login, and %s, is not followed", async (_name, before, after) => {
  const { clock, hostnames, follower } = await moved(before, after);
  await later(clock, 150);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  await follower.stop();
});

test("of two cameras with one identity the one with the camera's network card is followed", async () => {
  const [own, other] = ["02:00:00:00:00:01", "02:00:00:00:00:02"];
  const before = { identity: IDENTITY, mac: own };
  const { clock, hostnames, follower } = await moved(before, { identity: IDENTITY, mac: other }, [
    ["192.0.2.9", before],
  ]);
  await later(clock, 150);
  expect(hostnames()).toEqual(["192.0.2.9"]);
  await follower.stop();
});

test("of two devices that could both be the camera none is taken", async () => {
  const { clock, hostnames, follower } = await moved({}, {}, [["192.0.2.9", {}]]);
  await later(clock, 150);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  await follower.stop();
});

test("another device at the camera's old address is not taken for it, and the camera is found", async () => {
  const net = await moved({ identity: IDENTITY, ...SERIAL }, { identity: OTHER, ...SERIAL });
  net.devices.set("192.0.2.7", { identity: THIRD, serial: "B8A44F000009" });
  await later(net.clock, 40);
  expect(net.hostnames()).toEqual(["192.0.2.8"]);
  await net.follower.stop();
});

test("a camera that was replaced by another one stays lost until its owner says so", async () => {
  const net = await moved({ identity: IDENTITY, ...SERIAL }, {});
  net.devices.delete("192.0.2.8");
  net.devices.set("192.0.2.7", { identity: THIRD, serial: "B8A44F000009" });
  const camera = (): Camera => net.site.current.cameras[0] ?? onvifCamera("none");
  await later(net.clock, 100);
  expect(net.known.isReplaced(camera())).toBe(true);
  expect(net.known.knowledge(camera())).toMatchObject({
    profiles: undefined,
    failure: { cause: "no-stream", reason: expect.stringMatching(/another device answers/) },
  });
  // As `AcceptDevice` leaves it.
  const { deviceIdentity: _identity, ...connection } = camera().connection;
  const { profileToken: _token, ...main } = connection.streams.Main;
  const accepted = {
    ...camera(),
    connection: { ...connection, streams: { ...connection.streams, Main: main } },
  };
  await net.site.change((site) => ({ ...site, cameras: [accepted] }));
  expect(net.known.isReplaced(camera())).toBe(false);
  expect(net.known.knowledge(camera()).profiles).toHaveLength(1);
  await net.follower.stop();
});
