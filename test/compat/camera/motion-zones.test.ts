import { describe, expect, it } from "vitest";
import { DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { changeOf, type Json, sendJson } from "../../support/api/camera-requests.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

const withZones = (zones: unknown): Json => ({
  AnalyzeSettings: { MotionDetectorSettings: { Zones: zones } },
});
const put = (zones: unknown) =>
  sendJson(api, "PUT", "/configure/channels", [changeOf(GATE_ID, withZones(zones))]);

async function given(): Promise<unknown> {
  const { json } = await sendJson(api, "GET", `/configure/channels/${GATE_ID}`);
  return (json as { AnalyzeSettings: { MotionDetectorSettings: { Zones: unknown } } }).AnalyzeSettings
    .MotionDetectorSettings.Zones;
}

const DOOR = {
  Name: "Door",
  Points: [
    { X: 0.1, Y: 0.2, Label: "hinge" },
    { X: 0.3, Y: 0.2 },
    { X: 0.3, Y: 0.9 },
  ],
  Sensitivity: 70.5,
  Colour: "#ff0000",
};

describe("Zones", () => {
  it("null clears them, and left out they stay", async () => {
    await put([DOOR]);
    await sendJson(api, "PUT", "/configure/channels", [
      changeOf(GATE_ID, { AnalyzeSettings: { MotionDetectorSettings: { CustomFpsValue: 3 } } }),
    ]);
    expect(await given()).toEqual([DOOR]);
    expect((await put(null)).status).toBe(200);
    expect(await given()).toBeNull();
  });

  it.each([
    ["polygons and grids, with members nobody knows", [DOOR, { Grid: { Columns: 2, Rows: 1, Cells: "10" } }]],
    ["none", []],
    ["another program's", { Version: 2, Rectangles: ["0,0,1,1"] }],
  ])("are given back as they were sent: %s", async (_name, zones) => {
    expect((await put(zones)).status).toBe(200);
    expect(JSON.stringify(await given())).toBe(JSON.stringify(zones));
  });

  it("that are wrong are refused by path, and change nothing", async () => {
    const before = api.site.current;
    const { status, json } = await put([DOOR, { ...DOOR, Name: "Gate", Sensitivity: 0, Points: [] }]);
    const at = "[0].AnalyzeSettings.MotionDetectorSettings.Zones[1]";
    expect(status).toBe(400);
    expect(json.ErrorMessage).toBe(`${at}.Sensitivity: 1 to 100; ${at}.Points: 3 to 64 points`);
    expect(api.site.current).toBe(before);
  });

  it("of an older version pass when they are sent back as they are", async () => {
    const zones = [{ Points: [{ X: 0.1, Y: 0.25 }], Name: "gate" }];
    const { analyze } = DEFAULT_CAMERA_OPTIONS;
    const motionDetector = {
      cameraDetectorEnabled: false,
      startAndEndEventsEnabled: false,
      independentFramesOnly: false,
      customFrameRateEnabled: false,
      customFrameRate: 0,
      zonesJson: JSON.stringify(zones),
    };
    const kept = { ...DEFAULT_CAMERA_OPTIONS, analyze: { ...analyze, motionDetector } };
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => (camera.id === GATE_ID ? { ...camera, kept } : camera)),
    }));
    expect((await put(zones)).status).toBe(200);
    expect(await given()).toEqual(zones);
  });
});
