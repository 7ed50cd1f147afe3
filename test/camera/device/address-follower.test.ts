import { expect, test } from "vitest";
import { createLog } from "../../../src/base/index.js";
import {
  type AddressFinder,
  AddressFollower,
  CameraFailure,
  type InspectDevice,
  ONVIF_MODEL,
} from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { description, IDENTITY, profile } from "../../support/camera/device-description.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const SECOND_US = 1_000_000;

function onvifCamera(hostname: string, deviceIdentity: string | undefined = IDENTITY): Camera {
  const base = testCamera();
  const { deviceIdentity: _none, ...connection } = base.connection;
  const identity = deviceIdentity === "" ? {} : { deviceIdentity };
  const login = { login: "viewer", password: "Secret#1" };
  return { ...base, connection: { ...connection, ...login, modelId: ONVIF_MODEL.id, hostname, ...identity } };
}

/** A network in which only `devices` answer, by address. */
function setUp(cameras: readonly Camera[], devices: Map<string, string>) {
  const site = new MemorySite(cameras);
  const clock = new SimulatedClock();
  const log = createLog({ level: "silent" });
  const loggedIn: string[] = [];
  const sought: string[] = [];
  const inspect: InspectDevice = async ({ address }) => {
    if (!devices.has(address)) throw new CameraFailure("unreachable", `${address} cannot be reached`);
    loggedIn.push(address);
    return description([profile("big")], { identity: devices.get(address) });
  };
  const { devices: known } = testDevices({ site, clock, log, inspect });
  let tell: Parameters<AddressFinder["onMoved"]>[0] = () => undefined;
  const finder: AddressFinder = {
    find: async (identity) => {
      sought.push(identity);
      return [...devices].find(([, has]) => has === identity)?.[0];
    },
    onMoved: (listener) => {
      tell = listener;
    },
  };
  const readIdentity = async ({ address }: { readonly address: string }): Promise<string | undefined> => {
    return devices.get(address);
  };
  const follower = new AddressFollower({ site, devices: known, finder, readIdentity, clock, log });
  known.follow(site.current);
  site.onChange("cameras", (now) => known.follow(now));
  follower.start();
  const hostnames = (): string[] => site.current.cameras.map(({ connection }) => connection.hostname);
  return { clock, sought, loggedIn, follower, hostnames, tell: (id: string, at: string) => tell(id, at) };
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
  const { clock, sought, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 20);
  devices.set("192.0.2.7", IDENTITY);
  await later(clock, 60);
  expect(sought).toEqual([]);
  await follower.stop();
});

test("an announcement moves no camera that answers where it is", async () => {
  const devices = new Map([
    ["192.0.2.7", IDENTITY],
    ["192.0.2.66", IDENTITY],
  ]);
  const { clock, hostnames, tell, loggedIn, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 2);
  tell(IDENTITY, "192.0.2.66");
  await later(clock, 5);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(loggedIn).toEqual(["192.0.2.7"]);
  await follower.stop();
});

test("no password goes to a device of another identity at the address told", async () => {
  const devices = new Map([["192.0.2.66", "urn:uuid:99999999-0000-0000-0000-000000000001"]]);
  const { clock, hostnames, tell, loggedIn, follower } = setUp([onvifCamera("192.0.2.7")], devices);
  await later(clock, 2);
  tell(IDENTITY, "192.0.2.66");
  await later(clock, 5);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(loggedIn).toEqual([]);
  await follower.stop();
});

test("a camera without an identity is never followed, and one that stays away is sought once a minute", async () => {
  const { clock, sought, follower } = setUp(
    [onvifCamera("192.0.2.7", ""), onvifCamera("192.0.2.9")],
    new Map(),
  );
  await later(clock, 200);
  expect(sought.length).toBeGreaterThan(0);
  expect(sought.length).toBeLessThanOrEqual(3);
  expect(new Set(sought)).toEqual(new Set([IDENTITY]));
  await follower.stop();
});

const OTHER = "urn:uuid:99999999-0000-0000-0000-000000000002";

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
  const { clock, hostnames, sought, follower } = setUp(
    [onvifCamera("192.0.2.7")],
    new Map([["192.0.2.7", OTHER]]),
  );
  await later(clock, 130);
  expect(hostnames()).toEqual(["192.0.2.7"]);
  expect(sought.length).toBeLessThanOrEqual(3);
  await follower.stop();
});
