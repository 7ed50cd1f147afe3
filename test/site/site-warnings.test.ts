import { expect, it } from "vitest";
import { ONVIF_MODEL } from "../../src/camera/index.js";
import { type AreTwoDevices, type Camera, siteWarnings } from "../../src/site/index.js";
import { testCamera } from "../support/site/memory-site.js";

function camera(name: string, hostname: string, deviceIdentity?: string): Camera {
  const base = testCamera();
  const identity = deviceIdentity === undefined ? {} : { deviceIdentity };
  const connection = { ...base.connection, modelId: ONVIF_MODEL.id, hostname, ...identity };
  return { ...base, id: name, name, connection };
}

function twice(cameras: readonly Camera[], areTwo?: AreTwoDevices): string[] {
  return siteWarnings({ cameras }, areTwo)
    .filter(({ kind }) => kind === "same-device")
    .map(({ names }) => names.join(" "));
}

it.each([
  ["192.0.2.7:80"],
  ["http://192.0.2.7/onvif/device_service"],
  ["HTTP://192.0.2.7:80"],
  ["https://192.0.2.7"],
  [" 192.0.2.7"],
  ["192.0.2.7"],
])("a device that is also written as %s is the same one", (written) => {
  expect(twice([camera("A", "192.0.2.7"), camera("B", written), camera("C", "192.0.2.8")])).toEqual(["A B"]);
});

it.each([["192.0.2.7:8080"], ["192.0.2.77"], ["https://192.0.2.7:8443"], ["rtsp://192.0.2.7/one"]])(
  "%s is another place",
  (written) => {
    expect(twice([camera("A", "192.0.2.7"), camera("B", written)])).toEqual([]);
  },
);

it("a device whose identity one camera knows and another does not is one by its address", () => {
  const cameras = [camera("A", "192.0.2.7", "urn:uuid:1"), camera("B", "192.0.2.7")];
  expect(twice(cameras)).toEqual(["A B"]);
});

it("three cameras, two by address and two by identity, are one device", () => {
  const cameras = [
    camera("A", "192.0.2.7"),
    camera("B", "192.0.2.7", "urn:uuid:1"),
    camera("C", "192.0.2.9", "URN:uuid:1"),
  ];
  expect(twice(cameras)).toEqual(["A B C"]);
});

it("two devices of a maker that gives all of them one identity are two, where they were met as two", () => {
  const cameras = ["A", "B", "C"].map((name, at) => camera(name, `192.0.2.${at}`, "urn:uuid:1"));
  const device: Readonly<Record<string, number>> = { A: 1, B: 2, C: 1 };
  expect(twice(cameras)).toEqual(["A B C"]);
  expect(twice(cameras, (one, other) => device[one.name] !== device[other.name])).toEqual(["A C"]);
});
