import { afterEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { inspectDevice, MaskControl, ONVIF_MODEL } from "../../../src/camera/index.js";
import { until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import { OnvifCamera, type OnvifCameraOptions } from "../../support/camera/onvif-camera.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const FOREVER = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: OnvifCameraOptions = { masks: {} }) {
  const device = await OnvifCamera.start(options);
  cleanups.push(() => device.stop());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const connection = { ...camera.connection, modelId: ONVIF_MODEL.id, hostname: device.address };
  const site = new MemorySite([
    { ...camera, connection: { ...connection, login: "admin", password: "Secret#1" } },
  ]);
  const inspect = testDevices({
    ...{ site, clock, log },
    inspect: ({ ipv4Only: _, ...access }) => inspectDevice(access),
  });
  const { devices, budgets } = inspect;
  cleanups.push(() => devices.stop());
  devices.follow(site.current);
  await until("the device to be known", () => {
    const [first] = site.current.cameras;
    return first !== undefined && devices.inspection(first)?.description !== undefined;
  });
  const masks = new MaskControl({ site, devices, budgets, clock });
  return {
    device,
    read: () => masks.of(camera.id, FOREVER),
    replace: (wanted: Parameters<MaskControl["replace"]>[1]) => masks.replace(camera.id, wanted, FOREVER),
  };
}

/** A rectangle by its upper left corner and its sides. */
const rectangle = (x: number, y: number, width: number, height: number) => [
  { x, y },
  { x: x + width, y },
  { x: x + width, y: y + height },
  { x, y: y + height },
];
const wanted = (token: string | undefined, points = rectangle(0, 0, 0.5, 0.5)) => ({
  ...{ token, points, isEnabled: true },
});

it("masks of a camera are read in parts of its picture, with what it takes", async () => {
  const { device, read } = await start({ masks: { masksMax: 3, isRectangleOnly: true } });
  device.masks.put("door & gate", [
    [-1, 1],
    [0, 1],
    [0, 0],
    [-1, 0],
  ]);
  const { offer, masks } = await read();
  expect(offer).toEqual({ masksMax: 3, pointsMax: 8, isRectangleOnly: true, types: ["Color"] });
  expect(masks).toMatchObject([{ points: rectangle(0, 0, 0.5, 0.5), isEnabled: true }]);
});

it("a new mask is made of the type that the camera has, and read back", async () => {
  const { device, replace } = await start({ masks: { types: ["Blurred", "Pixelated"] } });
  const { masks } = await replace([wanted(undefined, rectangle(0.25, 0.5, 0.5, 0.25))]);
  expect(device.masks.commands).toEqual(["CreateMask mask_1"]);
  expect(masks).toMatchObject([
    { token: "mask_1", type: "Blurred", points: rectangle(0.25, 0.5, 0.5, 0.25), isEnabled: true },
  ]);
});

it("only what is another is sent, and a mask keeps its colour", async () => {
  const { device, replace } = await start();
  for (const token of ["a", "b", "c"])
    device.masks.put(token, [
      [-1, 1],
      [0, 1],
      [0, 0],
      [-1, 0],
    ]);
  await replace([wanted("a"), wanted("b", rectangle(0, 0, 0.25, 0.25))]);
  expect(device.masks.commands).toEqual(["SetMask b", "DeleteMask c"]);
  expect(device.masks.kept.get("b")).toContain('<tr2:Color X="16" Y="128" Z="128"');
});

it("what is hidden is hidden by the new mask before the former one goes, where there is room", async () => {
  const { device, replace } = await start({ masks: { masksMax: 2 } });
  await replace([wanted(undefined)]);
  await replace([wanted(undefined, rectangle(0, 0, 1, 1))]);
  expect(device.masks.commands).toEqual(["CreateMask mask_1", "CreateMask mask_2", "DeleteMask mask_1"]);
  await replace([wanted(undefined), wanted(undefined)]);
  expect(device.masks.commands.slice(3)).toEqual([
    "DeleteMask mask_2",
    "CreateMask mask_3",
    "CreateMask mask_4",
  ]);
});

it.each([
  ["more than it takes", [wanted(undefined), wanted(undefined), wanted(undefined)], "at most 2 masks"],
  ["two corners", [wanted(undefined, rectangle(0, 0, 1, 1).slice(0, 2))], "3 to 8 corners"],
  ["no rectangle", [wanted(undefined, rectangle(0, 0, 1, 1).slice(0, 3))], "rectangles alone"],
])("%s is refused before anything is changed", async (_, list, reason) => {
  const { device, replace } = await start({ masks: { masksMax: 2, isRectangleOnly: true } });
  await expect(replace(list)).rejects.toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining(reason),
  });
  expect(device.masks.commands).toEqual([]);
});

it("a list with a mask that somebody removed meanwhile is refused", async () => {
  const { replace } = await start();
  await expect(replace([wanted("gone")])).rejects.toMatchObject({ code: "CONFLICT" });
});

it.each(["axis", "hikvision"] as const)("a camera of %s without masks says so", async (maker) => {
  const { read } = await start({ maker });
  await expect(read()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
});
