import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  camera,
  cameraAnalysis,
  cameraArchive,
  cameraConnection,
  cameraPosition,
  cameraServers,
  cameraStream,
  defaultsOf,
  firstOf,
  keptOnlyOf,
  laterOf,
  motionDetector,
  shown,
} from "../../src/contract/index.js";
import { storedEntries } from "../../src/contract/reading/index.js";

const schemaOf = (members: Parameters<typeof storedEntries>[0]) => v.strictObject(storedEntries(members));

describe("what is kept of a resource", () => {
  it("has the names that the contract says, in the object that it says", () => {
    const archive = ["archivingDisabled", "archivingMode", "minDays", "maxDays", "archivingSoundDisabled"];
    expect(Object.keys(storedEntries(firstOf(cameraArchive)))).toEqual([...archive, "schedule"]);
    expect(Object.keys(storedEntries(laterOf(cameraArchive)))).toContain("preMotionSeconds");
    expect(Object.keys(storedEntries(laterOf(cameraServers)))).not.toContain("ownerServerId");
  });

  it("is by default what the contract says, and nothing that is kept only where it is another value", () => {
    const connection = defaultsOf(laterOf(cameraConnection));
    expect(connection).toMatchObject({ soundVolume: 100, externalPorts: [], secureConnectionOnly: false });
    expect(connection).not.toHaveProperty("redirectsAnywhere");
    expect(defaultsOf(laterOf(cameraAnalysis))).toMatchObject({
      ...{ motionDetector: null, faceDetectorMode: "Basic", interactiveSearchJson: null },
    });
    expect(v.is(schemaOf(laterOf(cameraConnection)), connection)).toBe(true);
  });

  it("may lack what earlier versions did not have, and nothing else", () => {
    const position = schemaOf(cameraPosition);
    expect(v.is(position, { latitude: null, longitude: null })).toBe(true);
    expect(v.is(position, { latitude: null })).toBe(false);
    expect(v.is(position, { latitude: null, longitude: null, azimuth: null })).toBe(false);
    expect(v.is(position, { latitude: null, longitude: 180.5 })).toBe(false);
  });

  it("has what the recorder keeps for itself, which no answer has", () => {
    const stream = { ...defaultsOf(cameraStream), enabled: true, profileToken: "main" };
    expect(v.is(schemaOf(cameraStream), stream)).toBe(true);
    expect(shown(cameraStream, stream)).toEqual({
      ...{ VideoStreamEnabled: true, VideoFormat: "H264", VideoAdditionalParams: "" },
      ...{ RotationMode: "None", Roles: [] },
    });
  });

  it("is JSON as a text, and a week in minutes", () => {
    const detector = { ...defaultsOf(motionDetector), zonesJson: '[{"Name":"door"}]' };
    expect(shown(motionDetector, detector).Zones).toEqual([{ Name: "door" }]);
    expect(v.is(schemaOf(motionDetector), detector)).toBe(true);
    expect(v.is(schemaOf(motionDetector), { ...detector, zonesJson: "[" })).toBe(false);
    const monday = (fromMinute: number, toMinute: number) => ({ Monday: [{ fromMinute, toMinute }] });
    const archive = { ...defaultsOf(firstOf(cameraArchive)), schedule: monday(480, 1440) };
    const { Schedule } = shown(firstOf(cameraArchive), { ...archive, archivingVideoStreamType: "Main" });
    expect(Schedule).toEqual({ Monday: [{ From: "08:00", To: "24:00" }] });
    expect(v.is(schemaOf(firstOf(cameraArchive)), archive)).toBe(true);
    expect(v.is(schemaOf(firstOf(cameraArchive)), { ...archive, schedule: monday(480, 480) })).toBe(false);
  });
});

it("settings that are only kept are listed by their paths, with the reason, once", () => {
  expect(keptOnlyOf(cameraConnection)).toContainEqual({
    ...{ path: "AlternativeVideoDecoderEnabled", why: "for clients" },
  });
  const paths = keptOnlyOf(camera, new Set([cameraConnection])).map(({ path }) => path);
  expect(paths).toEqual([]);
});
