import { describe, expect, it } from "vitest";
import { copiedChange } from "../../../../src/page/settings/cameras/copy/copied.js";
import type { Camera } from "../../../../src/page/settings/cameras/model.js";
import {
  boxOf,
  outlineOf,
  settingOf,
  shapeOfBox,
  zonesOf,
} from "../../../../src/page/settings/cameras/motion/zones.js";
import { ownPage } from "../../../../src/page/settings/cameras/own-page.js";

describe("a camera's own page", () => {
  it.each([
    ["192.168.7.10", "http://192.168.7.10/"],
    ["192.168.7.10:8000", "http://192.168.7.10:8000/"],
    ["https://door.lan/onvif/device_service", "https://door.lan/"],
    ["rtsp://192.168.7.10:554/stream1", "http://192.168.7.10/"],
    ["rtsp://[2001:db8::7]:554/x", "http://[2001:db8::7]/"],
    ["", undefined],
  ])("of %s is %s", (address, page) => {
    expect(ownPage(address)).toBe(page);
  });
});

describe("motion zones", () => {
  it("are a rectangle as drawn, and the rectangle around another shape", () => {
    const box = { left: 0.1, top: 0.2, width: 0.3, height: 0.4 };
    expect(boxOf(shapeOfBox(box))).toEqual(box);
    const [zone] = zonesOf([{ Grid: { Columns: 4, Rows: 2, Cells: "00000110" } }]);
    expect(zone && boxOf(zone.shape)).toEqual({ left: 0.25, top: 0.5, width: 0.5, height: 0.5 });
    expect(zone && outlineOf(zone.shape)).toContain("M0.25 0.5L0.5 0.5");
  });

  it("are read whatever the case of their members, and those of another program are none", () => {
    const [zone] = zonesOf([{ name: "Door", points: [{ x: 0, y: 0 }], sensitivity: 7, Id: "1" }]);
    expect(zone).toMatchObject({ name: "Door", sensitivity: 7, minSize: 0.2, rest: { Id: "1" } });
    expect(zonesOf({ areas: [1] })).toEqual([]);
    expect(zonesOf([{ mask: "0101" }])).toEqual([]);
  });

  it("are the whole picture where there is none", () => {
    expect(settingOf([])).toBeNull();
  });
});

describe("settings that are copied", () => {
  const camera = {
    ConnectionSettings: { SoundReceivingEnabled: false },
    ArchiveSettings: { ArchivingMode: "BySchedule", ArchivingDisabled: false, Schedule: {} },
    AnalyzeSettings: { MotionDetectorEnabled: true, MotionDetectorSettings: null },
  } as unknown as Camera;

  it("are those that were chosen, and no member of another one", () => {
    expect(copiedChange(camera, new Set(["mode"]))).toEqual({
      ConnectionSettings: {},
      ArchiveSettings: { ArchivingDisabled: false, ArchivingMode: "BySchedule" },
    });
    expect(copiedChange(camera, new Set(["zones"]))).toEqual({
      ConnectionSettings: {},
      ArchiveSettings: {},
      AnalyzeSettings: { MotionDetectorSettings: { Zones: null } },
    });
    // Where nobody chose who detects, nobody has there.
    expect(copiedChange(camera, new Set(["detector"]))).toMatchObject({
      AnalyzeSettings: { MotionDetectorEnabled: true, MotionDetectorSettings: null },
    });
  });
});
