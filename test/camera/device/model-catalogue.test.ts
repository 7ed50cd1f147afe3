import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { STREAM_TYPES } from "../../../src/base/index.js";
import {
  deviceModel,
  deviceModels,
  extendModels,
  modelFor,
  ONVIF_MODEL,
  RTSP_MODEL,
  snapshotPath,
  streamPath,
} from "../../../src/camera/index.js";

const GATE_ID = "0f0f0f0f-0000-4000-8000-000000000001";

function file(change: object = {}, maker: object = {}): string {
  const model = {
    id: GATE_ID,
    name: "Gate camera",
    matches: ["GC-*"],
    connect: "onvif",
    altStream: true,
    multiChannel: false,
    ptz: false,
    soundReceiving: false,
    ioProcessing: false,
    mainFormats: ["H264"],
    altFormats: ["H264"],
    ports: { http: 80 },
    ...change,
  };
  return JSON.stringify({
    format: 1,
    manufacturers: [{ name: "Gatemaker", aliases: [], models: [model], ...maker }],
  });
}

test("the ids of the general models never change", () => {
  expect(RTSP_MODEL.id).toBe("5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01");
  expect(ONVIF_MODEL.id).toBe("7d0b6f0e-31c4-4f0f-9a52-8c1d7be3a901");
});

test("no id of the bundled catalogue occurs twice", () => {
  const url = new URL("../../../src/camera/device/models.json", import.meta.url);
  const ids = [...readFileSync(url, "utf8").matchAll(/"id": "([^"]+)"/g)].map((match) => match[1]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBe(deviceModels().length);
});

test("manufacturers are sorted by name and hold the known makers", () => {
  const makers = [...new Set(deviceModels().map((model) => model.manufacturer))];
  expect(makers.map((name) => name.toLowerCase())).toEqual(makers.map((name) => name.toLowerCase()).sort());
  expect(makers).toEqual(
    expect.arrayContaining([
      ...["Amcrest", "Axis", "Bosch", "Dahua", "Foscam", "Hanwha", "Hikvision", "ONVIF", "Reolink"],
      ...["RTSP/RTP device", "TP-Link", "Ubiquiti", "Uniview", "VIVOTEK"],
    ]),
  );
});

test("flags say what the service can do with a model", () => {
  for (const model of deviceModels()) {
    const where = `${model.manufacturer} ${model.name}`;
    expect([model.deviceArchiveSupported, model.soundTransmittingSupported], where).toEqual([false, true]);
    if (model.connection !== "onvif")
      expect([model.ptzSupported, model.ioProcessingSupported], where).toEqual([false, false]);
    const streams = STREAM_TYPES.filter((type) => model.paths[type] !== undefined);
    if (model.connection === "path") expect(model.altStreamSupported, where).toBe(streams.length > 1);
    if (model.altStreamSupported) expect(model.altFormats.length, where).toBeGreaterThan(0);
  }
});

describe("a device that names itself", () => {
  test.each([
    ["HIKVISION", "DS-2CD2143G2-I", "Hikvision", "IP camera (ONVIF)"],
    [
      "Hangzhou Hikvision Digital Technology Co., Ltd",
      "DS-7608NI-K2",
      "Hikvision",
      "Recorder or encoder (ONVIF)",
    ],
    ["AXIS", "M1065-L", "Axis", "IP camera (ONVIF)"],
    ["Hanwha Techwin", "XNV-8080R", "Hanwha", "IP camera (ONVIF)"],
    ["tp-link", "Tapo C310", "TP-Link", "IP camera (ONVIF)"],
    ["Ubiquiti", "UVC G3", "ONVIF", "ONVIF device"],
    ["Nobody Knows Ltd", "X1", "ONVIF", "ONVIF device"],
    ["", "", "ONVIF", "ONVIF device"],
  ])("%s %s is %s %s", (manufacturer, model, maker, name) => {
    const found = modelFor(manufacturer, model);
    expect([found.manufacturer, found.name]).toEqual([maker, name]);
  });
});

describe("paths", () => {
  const pathOf = (maker: string, stream: "Main" | "Alternative", channel: number) => {
    const model = deviceModels().find((one) => one.manufacturer === maker && one.connection === "path");
    return model === undefined ? undefined : streamPath(model, stream, { channel, format: "H264" });
  };
  test.each([
    ["Hikvision", "Main", 2, "/Streaming/Channels/201"],
    ["Dahua", "Alternative", 3, "/cam/realmonitor?channel=3&subtype=1"],
    ["Hanwha", "Main", 1, "/0/profile2/media.smp"],
    ["Reolink", "Alternative", 1, "/h264Preview_01_sub"],
    ["Axis", "Main", 1, "/axis-media/media.amp?camera=1&videocodec=h264"],
  ] as const)("%s %s of channel %d is %s", (maker, stream, channel, path) => {
    expect(pathOf(maker, stream, channel)).toBe(path);
  });

  test("of a still picture counts channels too", () => {
    const model = deviceModels().find((one) => one.manufacturer === "Hikvision" && one.connection === "path");
    expect(model && snapshotPath(model, 4)).toBe("/ISAPI/Streaming/channels/401/picture");
    expect(snapshotPath(ONVIF_MODEL, 1)).toBeUndefined();
  });
});

describe("an installer's file", () => {
  test("adds models and is matched before the bundled catalogue", () => {
    expect(extendModels(file())).toBeUndefined();
    expect(deviceModel(GATE_ID)?.manufacturer).toBe("Gatemaker");
    expect(modelFor("GATEMAKER", "gc-100").id).toBe(GATE_ID);
    expect(modelFor("GATEMAKER", "other")).toBe(ONVIF_MODEL);
  });

  test("replaces a model of the same id", () => {
    expect(extendModels(file({ name: "Gate camera 2" }))).toBeUndefined();
    expect(
      deviceModels()
        .filter((model) => model.id === GATE_ID)
        .map((model) => model.name),
    ).toEqual(["Gate camera 2"]);
  });

  test.each([
    ["no JSON", "{", /not JSON/],
    ["a member that is none", file({ colour: "red" }), /colour/],
    ["a GUID that is none", file({ id: "1" }), /GUID/],
    ["a path with a placeholder that is none", file({ paths: { Main: "/{password}" } }), /knows \{channel\}/],
    ["a path without the first slash", file({ paths: { Main: "live" } }), /start with \//],
    ["a path model without its main path", file({ connect: "path" }), /paths.Main is required/],
    ["a port that is none", file({ ports: { http: 70_000 } }), /ports.http/],
    ["more than a megabyte", " ".repeat(1024 * 1024 + 1), /larger than/],
  ])("with %s is refused whole", (_what, text, problem) => {
    const before = deviceModels().length;
    expect(extendModels(text)?.problem).toMatch(problem);
    expect(deviceModels()).toHaveLength(before);
  });
});
