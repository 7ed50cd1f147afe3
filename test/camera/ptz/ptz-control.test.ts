import { afterEach, expect, it } from "vitest";
import { createLog, newGuid } from "../../../src/base/index.js";
import {
  inspectDevice,
  ONVIF_MODEL,
  PTZ_AXES,
  PTZ_HOLD_MS,
  type PtzCommand,
  PtzControl,
  type PtzDone,
  type PtzUser,
  ptzRank,
} from "../../../src/camera/index.js";
import { until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { OnvifCamera, type OnvifCameraOptions } from "../../support/camera/onvif-camera.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const PASSWORD = "Secret#1";
const GUARD: PtzUser = { id: newGuid(), name: "guard", priority: "Low" };
const CHIEF: PtzUser = { id: newGuid(), name: "chief", priority: "High" };
const STOP: PtzCommand = { kind: "stop", axes: PTZ_AXES };
const FOREVER = new AbortController().signal;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: OnvifCameraOptions & { given?: string; off?: boolean } = {}) {
  const device = await OnvifCamera.start({ ptz: true, ...options });
  cleanups.push(() => device.stop());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const site = new MemorySite([
    {
      ...camera,
      connection: {
        ...camera.connection,
        modelId: ONVIF_MODEL.id,
        hostname: device.address,
        login: "admin",
        password: options.given ?? PASSWORD,
        ptzEnabled: options.off !== true,
      },
    },
  ]);
  const { devices, budgets } = testDevices({
    site,
    clock,
    log,
    inspect: ({ ipv4Only: _, ...access }) => inspectDevice(access),
  });
  cleanups.push(() => devices.stop());
  devices.follow(site.current);
  const ptz = new PtzControl({ site, devices, budgets, clock, log });
  cleanups.push(() => ptz.stop());
  const inspection = () => site.current.cameras.slice(0, 1).map((first) => devices.inspection(first))[0];
  const isKnown = (): boolean => inspection()?.description !== undefined;
  if (options.given === undefined) await until("the device to be known", isKnown, { seen: inspection });
  const perform = (command: PtzCommand, user = GUARD, signal = FOREVER): Promise<PtzDone> =>
    ptz.perform({ channelId: camera.id, command, user, signal });
  const operations = (): string[] => device.ptzCommands.map(({ operation }) => operation);
  const last = (): string => device.ptzCommands.at(-1)?.body ?? "";
  /** Its owner enters another password. */
  const enter = async (password: string): Promise<void> => {
    const changed = ({ connection, ...rest }: typeof camera) => ({
      ...rest,
      connection: { ...connection, password },
    });
    await site.change((current) => ({ ...current, cameras: current.cameras.map(changed) }));
    devices.follow(site.current);
  };
  return { device, clock, site, channelId: camera.id, ptz, perform, operations, last, enter };
}

const move = (pan: number, tilt = 0, forMs = 5000): PtzCommand => ({ kind: "move", pan, tilt, forMs });

it("a movement is stopped when its time is over, with no client there", async () => {
  const { perform, clock, operations, last } = await start();
  await perform(move(0.5, -1, 2000));
  expect(last()).toMatch(/<tt:PanTilt x="0\.5" y="-1"/);
  expect(last()).toContain("<m:Timeout>PT3S</m:Timeout>");
  clock.advance(1999);
  expect(operations()).toEqual(["ContinuousMove"]);
  clock.advance(1);
  await until("the stop", () => operations().length === 2);
  expect(operations()).toEqual(["ContinuousMove", "Stop"]);
  expect(last()).toContain("<m:PanTilt>true</m:PanTilt><m:Zoom>false</m:Zoom>");
});

it("says when a camera begins to move, and for how long what it shows moves", async () => {
  const { ptz, perform, channelId } = await start();
  const moves: [string, number][] = [];
  ptz.onMove((moved, forMs) => moves.push([moved, forMs]));
  await perform(move(0.5, -1, 2000));
  await perform(STOP);
  await perform({ kind: "autofocus" }).catch(() => undefined);
  expect(moves).toEqual([
    [channelId, 5000],
    [channelId, 3000],
  ]);
});

it("a movement that is renewed is stopped once, after the last one", async () => {
  const { perform, clock, operations } = await start();
  await perform(move(1, 0, 2000));
  clock.advance(1500);
  await perform(move(1, 0, 2000));
  clock.advance(1500);
  expect(operations()).toEqual(["ContinuousMove", "ContinuousMove"]);
  clock.advance(500);
  await until("the stop", () => operations().length === 3);
});

it("zoom and movement end each at its own time", async () => {
  const { perform, clock, operations, last } = await start();
  await perform(move(1, 0, 4000));
  await perform({ kind: "zoom", speed: -0.25, forMs: 1000 });
  expect(last()).toMatch(/<m:Velocity><tt:Zoom x="-0\.25"[^>]*\/><\/m:Velocity>/);
  clock.advance(1000);
  await until("the zoom's stop", () => operations().length === 3);
  expect(last()).toContain("<m:PanTilt>false</m:PanTilt><m:Zoom>true</m:Zoom>");
});

it("speeds are scaled to what the node can", async () => {
  const kind = "ContinuousPanTiltVelocity";
  const { perform, last } = await start({ ptzSpaces: [{ kind, x: [-0.5, 0.8], y: [-100, 100] }] });
  await perform(move(-1, 0.5));
  expect(last()).toMatch(/<tt:PanTilt x="-0\.5" y="50"/);
  await expect(perform({ kind: "zoom", speed: 1, forMs: 1000 })).rejects.toMatchObject({ status: 501 });
});

it("a camera that refuses a time limit is moved without one, and stopped all the same", async () => {
  const { perform, clock, operations, last } = await start({ ptzRefusesTimeout: true });
  await perform(move(1));
  expect(last()).not.toContain("Timeout");
  clock.advance(5000);
  await until("the stop", () => operations().includes("Stop"));
  expect(operations().filter((one) => one === "Stop")).toHaveLength(1);
});

it("of movements that wait only the newest is done, and a stop is never left out", async () => {
  const { device, perform, operations, last } = await start();
  device.change({ quirks: [{ quirk: "slow", on: "ContinuousMove" }], delayMs: 200 });
  const all = [perform(move(0.1)), perform(move(0.2)), perform(move(0.3)), perform(STOP), perform(move(0.4))];
  all.push(perform(move(0.5)));
  await Promise.all(all);
  expect(operations().at(0)).toBe("ContinuousMove");
  expect(operations().slice(-2)).toEqual(["Stop", "ContinuousMove"]);
  expect(operations().length).toBeLessThanOrEqual(3);
  expect(last()).toContain('x="0.5"');
});

it("a client that is gone before the answer leaves no movement behind", async () => {
  const { device, perform, operations } = await start();
  device.change({ quirks: [{ quirk: "slow", on: "ContinuousMove" }], delayMs: 200 });
  const client = new AbortController();
  const moved = perform(move(1), GUARD, client.signal);
  await until("the movement to begin", () => operations().length === 1, { seen: operations });
  client.abort();
  await moved;
  await until("the stop", () => operations().includes("Stop"), { seen: operations });
});

it("the end of the service stops what moves", async () => {
  const { ptz, perform, operations } = await start();
  await perform(move(1));
  await ptz.stop();
  expect(operations()).toEqual(["ContinuousMove", "Stop"]);
});

it("PTZ that is switched off while the camera moves stops it", async () => {
  const { site, perform, operations } = await start();
  await perform(move(1));
  const [camera] = site.current.cameras;
  if (camera === undefined) throw new Error("no camera");
  await site.setCameras([{ ...camera, connection: { ...camera.connection, ptzEnabled: false } }]);
  await until("the stop", () => operations().includes("Stop"));
  expect(operations().filter((one) => one === "Stop")).toHaveLength(1);
  await expect(perform(move(1))).rejects.toMatchObject({ code: "CONFLICT" });
});

it("a stop that does not reach the camera is tried again", async () => {
  const { device, perform, clock, operations } = await start();
  await perform(move(1, 0, 1000));
  const { address } = device;
  await device.stop();
  clock.advance(1000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await device.listen();
  expect(device.address).toBe(address);
  clock.advance(1000);
  await until("the stop", () => operations().includes("Stop"));
  expect(operations().filter((one) => one === "Stop")).toHaveLength(1);
});

it("presets are gone to by the camera's own numbers, and listed", async () => {
  const { ptz, channelId, perform, last } = await start();
  expect(await ptz.capabilities(channelId)).toEqual({
    panTilt: true,
    zoom: true,
    zoomStep: true,
    center: true,
    autofocus: true,
    home: true,
    absolutePanTilt: true,
    absoluteZoom: true,
    presets: [
      { index: 1, name: "Gate" },
      { index: 3, name: "Yard" },
    ],
    presetsMax: 100,
  });
  await perform({ kind: "preset", index: 3 });
  expect(last()).toContain("<m:PresetToken>3</m:PresetToken>");
  await expect(perform({ kind: "preset", index: 2 })).rejects.toMatchObject({
    code: "NOT_FOUND",
    hint: "use one of 1, 3",
  });
});

it("a position is saved as a new preset or in place of one, and removed", async () => {
  const { device, perform, last } = await start();
  const saved = await perform({ kind: "save-preset", index: undefined, name: "Ramp <1>" });
  expect(saved).toEqual({ presetIndex: 102 });
  expect(last()).toContain("<m:PresetName>Ramp &#60;1&#62;</m:PresetName>");
  expect(last()).not.toContain("PresetToken");
  await perform({ kind: "save-preset", index: 1, name: "Entrance" });
  expect(device.presets.get("1")).toBe("Entrance");
  await perform({ kind: "remove-preset", index: 3 });
  expect(device.presets.has("3")).toBe(false);
  await expect(perform({ kind: "remove-preset", index: 9 })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("a camera goes to its home position, and one that knows none says so", async () => {
  const { perform, operations } = await start();
  await perform({ kind: "home" });
  expect(operations()).toEqual(["GotoHomePosition"]);
  const other = await start({ ptzHome: false });
  expect((await other.ptz.capabilities(other.channelId)).home).toBe(false);
  await expect(other.perform({ kind: "home" })).rejects.toMatchObject({
    code: "NOT_SUPPORTED",
    message: "the camera has no home position",
  });
});

it("autofocus is switched on at the channel's video source", async () => {
  const { perform, last } = await start();
  await perform({ kind: "autofocus" });
  expect(last()).toMatch(/<m:VideoSourceToken>source_1<.*<tt:AutoFocusMode>AUTO</);
});

it.each([
  ["by its picture", "RelativePanTiltTranslation", "RelativeMove", 'x="0.5" y="-0.2"'],
  ["by its position", "AbsolutePanTiltPosition", "AbsoluteMove", 'x="0.5833" y="-0.2833"'],
])("a camera that moves %s brings a point to the middle", async (_how, kind, operation, words) => {
  const uri = `http://www.onvif.org/ver10/tptz/PanTiltSpaces/${kind.startsWith("Rel") ? "TranslationSpaceFov" : "PositionGenericSpace"}`;
  const { perform, operations, last } = await start({ ptzSpaces: [{ kind, uri }] });
  await perform({ kind: "center", x: 0.5, y: -0.2 });
  expect(operations().at(-1)).toBe(operation);
  expect(last()).toContain(words);
});

it("a position is gone to within the ranges of the node, by axis", async () => {
  const { perform, operations, last } = await start({
    ptzSpaces: [
      { kind: "AbsolutePanTiltPosition", x: [-180, 180], y: [0, 90] },
      { kind: "AbsoluteZoomPosition", x: [1, 31] },
    ],
  });
  await perform({ kind: "position", target: { panTilt: { pan: 0.5, tilt: -1 }, zoom: 0.5 } });
  expect(operations()).toEqual(["AbsoluteMove"]);
  expect(last()).toMatch(/<m:Position><tt:PanTilt x="90" y="0"[^>]*\/><tt:Zoom x="16"[^>]*\/><\/m:Position>/);
  await perform({ kind: "position", target: { zoom: 0 } });
  expect(last()).toMatch(/<m:Position><tt:Zoom x="1"[^>]*\/><\/m:Position>/);
});

it("a camera without positions is not asked to go to one", async () => {
  const { perform, operations } = await start({ ptzSpaces: [{ kind: "ContinuousZoomVelocity" }] });
  const refused = { code: "NOT_SUPPORTED", message: "the camera cannot be turned to a position" };
  const goal: PtzCommand = { kind: "position", target: { panTilt: { pan: 0, tilt: 0 } } };
  await expect(perform(goal)).rejects.toMatchObject(refused);
  expect(operations()).toEqual([]);
});

it("where a camera looks is told in fractions of its range, and not in another space", async () => {
  const spaces = [{ kind: "AbsolutePanTiltPosition", x: [0, 1], y: [-1, 0] }] as const;
  const { ptz, channelId, device } = await start({ ptzSpaces: spaces });
  expect(await ptz.position(channelId)).toEqual({ panTilt: { pan: 0, tilt: 0.5 } });
  device.change({ quirks: [{ quirk: "forbidden", on: "GetStatus" }] });
  await expect(ptz.position(channelId)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  const other = await start({ ptzSpaces: [{ kind: "ContinuousZoomVelocity" }] });
  expect(await other.ptz.position(other.channelId)).toEqual({});
});

it("a user of higher priority takes over, a lower one is told who has it", async () => {
  const { perform, clock, operations } = await start();
  await perform(move(1), GUARD);
  clock.advance(3000);
  await perform({ kind: "zoom", speed: 1, forMs: 1000 }, CHIEF);
  expect(operations()).toEqual(["ContinuousMove", "Stop", "ContinuousMove"]);
  clock.advance(2000);
  const refused = { code: "IN_USE", message: "chief (priority High) has moved this camera for 2 s" };
  await expect(perform(STOP, GUARD)).rejects.toMatchObject(refused);
  clock.advance(1000 + PTZ_HOLD_MS);
  await perform(move(-1), GUARD);
});

it("a movement that is refused because somebody else moves the camera is not said", async () => {
  const { ptz, perform } = await start();
  await perform(move(1), CHIEF);
  const moves: number[] = [];
  ptz.onMove((_, forMs) => moves.push(forMs));
  await expect(perform(move(-1), GUARD)).rejects.toMatchObject({ code: "IN_USE" });
  expect(moves).toEqual([]);
});

it("priorities are ranked by word or number, unknown ones low", () => {
  const words = ["Lowest", "Low", "Middle", "High", "Highest"];
  expect(words.map(ptzRank)).toEqual([0, 1, 2, 3, 4]);
  expect(["5", "Boss", ""].map(ptzRank)).toEqual([5, 1, 1]);
});

it("a wrong password is tried no more for PTZ, and said", async () => {
  const { device, perform } = await start({ given: "wrong", auth: "digest" });
  await until("the refusal", () => device.refusals > 0);
  const { refusals } = device;
  await expect(perform(move(1))).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  expect(device.refusals).toBe(refusals);
});

it.each(["digest", "token"] as const)(
  "a changed password is used at once, and before it says what it can: %s",
  async (auth) => {
    const { device, perform, operations, enter } = await start({ auth });
    await perform(move(1));
    await perform(STOP);
    device.change({ password: "Other#2" });
    await expect(perform(move(1))).rejects.toThrow(/refuses the login/);
    await enter("Other#2");
    await perform(move(-1));
    expect(operations()).toEqual(["ContinuousMove", "Stop", "ContinuousMove"]);
  },
);

it("a camera that moves while its password is changed is stopped with the new one", async () => {
  const { device, perform, operations, enter } = await start({ auth: "digest" });
  await perform(move(1, 0, 60_000));
  device.change({ password: "Other#2" });
  await enter("Other#2");
  await perform({ kind: "home" });
  await until("the stop", () => operations().includes("Stop"));
  expect(operations().filter((one) => one === "Stop")).toHaveLength(1);
});

it("a camera that denies PTZ to the user costs no try of the password", async () => {
  const { device, perform } = await start({ auth: "digest" });
  device.change({ quirks: [{ quirk: "forbidden", on: "ContinuousMove" }] });
  for (let tries = 0; tries < 3; tries += 1)
    await expect(perform(move(1))).rejects.toThrow(/refuses the login for ContinuousMove/);
  device.change({ quirks: [] });
  await perform(move(1));
  expect(device.refusals).toBe(0);
});
