import { describe, expect, it } from "vitest";
import { RTSP_MODEL } from "../../../src/camera/index.js";
import { GATE_ID, OUTSIDE_FOLDER_ID, SERVER_ID, STORE_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { changeOf, type Json, memberAt, nested, sendJson } from "../../support/api/camera-requests.js";
import { forAllTests } from "../../support/base/for-tests.js";

/** Every member of the camera object, by itself: what PUT takes and GET then gives, and what it refuses with which words. */

const api = forAllTests(() => startApi());

const OTHER_SERVER = "99999999-0000-4000-8000-000000000001";
const ALTERNATIVE = "ConnectionSettings.StreamSettings.AlternativeStreamSettings";
const MAIN = "ConnectionSettings.StreamSettings.MainStreamSettings";
const THIRD = "ConnectionSettings.StreamSettings.ThirdAlternativeStreamSettings";

interface Rule {
  readonly valid: readonly unknown[];
  readonly invalid: readonly (readonly [value: unknown, text: string])[];
}

const FLAG: Rule = {
  valid: [true, false],
  invalid: [
    ["true", "true or false"],
    [1, "true or false"],
    [{}, "true or false"],
  ],
};

const text = (lengthMax: number, valid: readonly string[]): Rule => ({
  valid,
  invalid: [
    [5, "must be a text"],
    [["a"], "must be a text"],
    ["x".repeat(lengthMax + 1), `at most ${lengthMax} characters`],
    ["a\u0000b", "must not have control characters"],
    ["a\ud800b", "must not have broken characters"],
  ],
});

const integer = (min: number, max: number): Rule => ({
  valid: [min, max, Math.floor((min + max) / 2)],
  invalid: [
    [min - 1, `${min} to ${max}`],
    [max + 1, `${min} to ${max}`],
    [min + 0.5, "must be a whole number"],
    [1e308, `${min} to ${max}`],
    [`${max}`, `${min} to ${max}`],
    ["NaN", `${min} to ${max}`],
    [true, `${min} to ${max}`],
    [[], `${min} to ${max}`],
  ],
});

const number = (min: number, max: number): Rule => ({
  valid: [min, max, (min + max) / 2 + 0.25],
  invalid: [
    [min - 0.001, `${min} to ${max}`],
    [max + 0.001, `${min} to ${max}`],
    ["1", `${min} to ${max}`],
  ],
});

const oneOf = (...values: readonly string[]): Rule => ({
  valid: values,
  invalid: [
    ["", `one of ${values.join(", ")}`],
    ["Other", `one of ${values.join(", ")}`],
    [0, `one of ${values.join(", ")}`],
  ],
});

const TRIANGLE = [
  { X: 0.5, Y: 1 },
  { X: 0, Y: 0 },
  { X: 1, Y: 0.25 },
];
const json: Rule = {
  valid: [[], { a: [1, { b: null }] }, "text", 5, false, [{ Points: TRIANGLE }]],
  invalid: [["x".repeat(4095), "at most 4096 characters of JSON"]],
};

const FORMATS = oneOf("MJPEG", "MPEG4_Part2", "H264", "Hevc");
const ROTATIONS = oneOf("None", "By90ClockwiseDegree", "By90AntiClockwiseDegree", "By180Degree");
const ROLES_TEXT = "a list of Archive, VideoAnalysis, DesktopClient, MobileClient, each once";
/** Tried by camera-schedule.test.ts. */
const SCHEDULE = "ArchiveSettings.Schedule";
const DETECTOR = "AnalyzeSettings.MotionDetectorSettings";
const REQUIRED_SERVER = `is not a server of this configuration: use ${SERVER_ID}`;
const SERVER: Rule = {
  valid: [OTHER_SERVER, null],
  invalid: [
    [SERVER_ID, "is this server: send another one, or null"],
    ["x", "must be a server's id, or null"],
    [5, "must be a text"],
  ],
};
const URL_RULE: Rule["invalid"] = [
  [5, "must be a text"],
  ["192.0.2.1", "must be a complete rtsp://, rtsps://, rtsp+http:// or rtsp+https:// URL"],
  ["http://192.0.2.1/", "must be a complete rtsp://, rtsps://, rtsp+http:// or rtsp+https:// URL"],
  ["rtsp://a b/", "must not have blanks: write them as %20"],
  [`rtsp://192.0.2.1/${"x".repeat(2048)}`, "at most 2048 characters"],
  ["rtsp://a/\r\nX: y", "must not have control characters"],
  ["rtsp://192.0.2.1:99999/", "is not a URL that can be connected to"],
];

const MEMBERS: Readonly<Record<string, Rule>> = {
  Name: { ...text(128, ["Ramp", "Двор <&>", "x".repeat(128)]) },
  Description: text(1024, ["", "two\r\nlines\tand a tab", "x".repeat(1024)]),
  Disabled: FLAG,
  "ServerBindingsSettings.OwnerServerId": {
    valid: [SERVER_ID],
    invalid: [
      [OTHER_SERVER, REQUIRED_SERVER],
      ["", REQUIRED_SERVER],
      [7, "must be a text"],
    ],
  },
  "ServerBindingsSettings.ReservedServerId": SERVER,
  "ServerBindingsSettings.ReplicationServerId": SERVER,
  ParentSecObjectId: {
    valid: [OUTSIDE_FOLDER_ID, "33333333-0000-4000-8000-000000000001"],
    invalid: [
      [OTHER_SERVER, "names no security object"],
      ["x", "names no security object"],
      [1, "must be a text"],
    ],
  },
  "ConnectionSettings.ModelId": {
    valid: [RTSP_MODEL.id],
    invalid: [
      [OTHER_SERVER, "is not a known model: see GET /configure/devicemanufacturers"],
      [null, "is required: see GET /configure/devicemanufacturers"],
      [3, "must be a text"],
    ],
  },
  "ConnectionSettings.Hostname": {
    valid: ["rtsp://192.0.2.77:8554/x?a=b", "rtsps://camera.example/"],
    invalid: [
      ...URL_RULE,
      ["", "must be a complete rtsp://, rtsps://, rtsp+http:// or rtsp+https:// URL"],
      ["rtsp://viewer:%0a@192.0.2.1/", "has control characters in its credentials"],
      ["rtsp://%zz:x@192.0.2.1/", "has a broken percent escape in its credentials"],
    ],
  },
  "ConnectionSettings.Login": text(256, ["", "admin", "viewer"]),
  "ConnectionSettings.Password": { valid: [null, ""], invalid: text(256, []).invalid },
  "ConnectionSettings.ClearPassword": { valid: [], invalid: FLAG.invalid },
  "ConnectionSettings.MainVideoStreamFormat": FORMATS,
  "ConnectionSettings.AltVideoStreamEnabled": FLAG,
  "ConnectionSettings.AltVideoStreamFormat": FORMATS,
  "ConnectionSettings.SoundReceivingEnabled": FLAG,
  "ConnectionSettings.PtzEnabled": FLAG,
  "ConnectionSettings.Ipv6Enabled": FLAG,
  "ConnectionSettings.MultiChannelServerEnabled": FLAG,
  "ConnectionSettings.MultiChannelServerChannelNum": integer(0, 1024),
  "ConnectionSettings.IoProcessingEnabled": FLAG,
  "ConnectionSettings.SoundTransmittingEnabled": FLAG,
  "ConnectionSettings.ExternalNetworkPorts": {
    valid: [
      [],
      [{ DefaultPortValue: 80, PortValue: 8080 }],
      [
        { DefaultPortValue: 1, PortValue: 65535 },
        { DefaultPortValue: 2, PortValue: 65535 },
      ],
    ],
    invalid: [
      [5, "a list of at most 16 objects"],
      [Array(17).fill({ DefaultPortValue: 80, PortValue: 80 }), "a list of at most 16 objects"],
    ],
  },
  "ConnectionSettings.SoundVolume": integer(0, 100),
  "ConnectionSettings.MainVideoAdditionalParams": {
    valid: [""],
    invalid: [["rtsp://192.0.2.1/", "must be empty: the main stream's URL is Hostname"]],
  },
  "ConnectionSettings.AltVideoAdditionalParams": {
    valid: ["rtsp://192.0.2.77/alt", "rtsps://192.0.2.77/alt"],
    invalid: URL_RULE,
  },
  "ConnectionSettings.MainStreamRotationMode": ROTATIONS,
  "ConnectionSettings.AltStreamRotationMode": ROTATIONS,
  "ConnectionSettings.DirectNetworkConnectionToCameraEnabled": FLAG,
  "ConnectionSettings.GpuClientVideoDecodingEnabled": FLAG,
  "ConnectionSettings.AlternativeVideoDecoderEnabled": FLAG,
  "ConnectionSettings.IsSecureConnectionEnabled": {
    valid: [false],
    invalid: [
      [true, "contradicts an rtsp:// or rtsp+http:// URL: use rtsps:// or rtsp+https://"],
      ...FLAG.invalid,
    ],
  },
  "ConnectionSettings.RedirectToOtherHostsEnabled": FLAG,
  [`${MAIN}.VideoStreamEnabled`]: {
    valid: [true],
    invalid: [[false, "the main stream cannot be disabled"], ...FLAG.invalid],
  },
  [`${MAIN}.VideoFormat`]: FORMATS,
  [`${MAIN}.VideoAdditionalParams`]: {
    valid: [""],
    invalid: [["rtsp://192.0.2.1/", "must be empty: the main stream's URL is Hostname"]],
  },
  [`${MAIN}.RotationMode`]: ROTATIONS,
  [`${MAIN}.Roles`]: {
    valid: [["Archive"], [], ["Archive", "VideoAnalysis", "DesktopClient", "MobileClient"]],
    invalid: [
      ["Archive", ROLES_TEXT],
      [["Archive", "Archive"], ROLES_TEXT],
      [["Other"], ROLES_TEXT],
      [[null], ROLES_TEXT],
      [Array(10_000).fill("Archive"), ROLES_TEXT],
    ],
  },
  [`${ALTERNATIVE}.VideoStreamEnabled`]: FLAG,
  [`${ALTERNATIVE}.VideoFormat`]: FORMATS,
  [`${ALTERNATIVE}.VideoAdditionalParams`]: {
    valid: ["rtsp://192.0.2.77/alt", ""],
    invalid: [
      ...URL_RULE,
      ["rtsp://else:x@192.0.2.1/", "has a different login: all streams use Login and Password"],
      ["rtsp://viewer:x@192.0.2.1/", "has a different password: all streams use Login and Password"],
    ],
  },
  [`${ALTERNATIVE}.RotationMode`]: ROTATIONS,
  [`${THIRD}.VideoStreamEnabled`]: { valid: [false], invalid: FLAG.invalid },
  [`${THIRD}.VideoFormat`]: FORMATS,
  [`${THIRD}.VideoAdditionalParams`]: { valid: ["rtsp://192.0.2.77/third"], invalid: URL_RULE },
  [`${THIRD}.RotationMode`]: ROTATIONS,
  [`${THIRD}.Roles`]: {
    valid: [["MobileClient"], []],
    invalid: [[["Archive"], "a stream that is switched off cannot have Archive"]],
  },
  "ArchiveSettings.ArchivingDisabled": FLAG,
  "ArchiveSettings.ArchivingMode": oneOf("AlwaysOn", "OnlyManual", "BySchedule", "MDandManual"),
  "ArchiveSettings.ArchivingVideoStreamType": {
    valid: ["Main", "Alternative"],
    invalid: [
      ["ThirdAlternative", "that stream is switched off"],
      ["Second", "one of Main, Alternative, SecondAlternative, ThirdAlternative"],
    ],
  },
  "ArchiveSettings.ArchivingMinDeepnessInDays": {
    valid: [0, 30],
    invalid: [
      [-1, "0 to 36500"],
      [31, "is 31, more than [0].ArchiveSettings.ArchivingMaxDeepnessInDays, which is 30"],
    ],
  },
  "ArchiveSettings.ArchivingMaxDeepnessInDays": integer(0, 36_500),
  "ArchiveSettings.ArchivingSoundDisabled": FLAG,
  "ArchiveSettings.PreMotionDetectionRecSecs": integer(1, 6),
  "ArchiveSettings.PostMotionDetectionRecSecs": integer(1, 6),
  "ArchiveSettings.LimitRecordFpsAndOnlyIndepFramesEnabled": FLAG,
  "ArchiveSettings.LimitedRecordFps": number(0, 240),
  "ArchiveSettings.DeviceArchiveEnabled": FLAG,
  "ArchiveSettings.DeviceArchiveAutoSynchronizationEnabled": FLAG,
  "AnalyzeSettings.MotionDetectorEnabled": FLAG,
  [`${DETECTOR}.BuildInCameraDetectorEnabled`]: FLAG,
  [`${DETECTOR}.GenerationOfEventMotionStartAndEndEnabled`]: FLAG,
  [`${DETECTOR}.DetectOnlyIndependentFrames`]: FLAG,
  [`${DETECTOR}.CustomFpsEnabled`]: FLAG,
  [`${DETECTOR}.CustomFpsValue`]: number(0, 240),
  [`${DETECTOR}.Zones`]: json,
  "AnalyzeSettings.AnalyzeStreamType": {
    valid: ["Main", "Alternative"],
    invalid: [["Second", "one of Main, Alternative, SecondAlternative, ThirdAlternative"]],
  },
  "AnalyzeSettings.FaceDetectorEnabled": FLAG,
  "AnalyzeSettings.FaceDetectorMode": oneOf("Basic", "OptimizedQuality"),
  "AnalyzeSettings.InteractiveSearchEnabled": FLAG,
  "AnalyzeSettings.InteractiveSearchSettings": json,
  "MapSettings.Azimuth": { valid: [0, 90, 359.5, 360], invalid: number(0, 360).invalid },
  "MapSettings.IsOnMap": {
    valid: [false],
    invalid: [[true, "needs Latitude and Longitude"], ...FLAG.invalid],
  },
  "MapSettings.Latitude": {
    valid: [],
    invalid: [
      [90.1, "-90 to 90"],
      ["1", "-90 to 90"],
    ],
  },
  "MapSettings.Longitude": {
    valid: [],
    invalid: [
      [-180.1, "-180 to 180"],
      [{}, "-180 to 180"],
    ],
  },
};

async function gate(): Promise<Json> {
  return (await sendJson(api, "GET", `/configure/channels/${GATE_ID}`)).json;
}

/** With another address the password is given again. */
const ADDRESS = /(?:Hostname|VideoAdditionalParams)$/;

function change(path: string, value: unknown): Json {
  const members = nested(path, value);
  if (ADDRESS.test(path)) Object.assign(Object(members.ConnectionSettings), { Password: "given-again" });
  return path === "ConnectionSettings.ModelId" ? { Id: GATE_ID, ...members } : changeOf(GATE_ID, members);
}

describe.each(Object.entries(MEMBERS))("%s", (path, { valid, invalid }) => {
  for (const value of valid) {
    it(`${JSON.stringify(value)?.slice(0, 60)} is kept and given back`, async () => {
      const start = api.site.current;
      const { status, json: answer } = await sendJson(api, "PUT", "/configure/channels", [
        change(path, value),
      ]);
      // Switches that the camera's model cannot do bring a warning: model-switches.test.ts.
      expect([status, answer.ModifiedObjectsIds]).toEqual([200, [GATE_ID]]);
      const shown = path === "ConnectionSettings.Password" ? null : value;
      expect(memberAt(await gate(), path)).toEqual(shown);
      await api.site.change(() => start);
    });
  }

  it.each(invalid)("%j is refused", async (value, words) => {
    const before = api.site.current;
    const { status, json: answer } = await sendJson(api, "PUT", "/configure/channels", [change(path, value)]);
    const isId = typeof value === "string" && /^[0-9a-f-]{36}$/.test(value);
    const isReference = isId && /^names no|^is not a (?:known model|server of)/.test(words);
    const refusal = `[0].${path}: ${words}`;
    expect([status, answer.ErrorMessage]).toEqual(
      isReference ? [404, expect.stringContaining(refusal)] : [400, refusal],
    );
    expect(api.site.current).toBe(before);
  });
});

it("every member that GET gives has its rule here, and every rule's member is given", async () => {
  const given = leaves(await gate(), "").filter((path) => !/\.SecondAlternativeStreamSettings\./.test(path));
  const ruled = new Set([...Object.keys(MEMBERS), "Id"]);
  expect(given.filter((path) => !ruled.has(path))).toEqual(
    [DETECTOR, SCHEDULE, `${ALTERNATIVE}.Roles`].sort(),
  );
  expect([...ruled].filter((path) => !given.includes(path) && !path.startsWith(DETECTOR))).toEqual([
    "ConnectionSettings.ClearPassword",
  ]);
});

it("a camera that is switched off takes every change as well", async () => {
  const { status } = await sendJson(api, "PUT", "/configure/channels", [
    changeOf(STORE_ID, { Name: "Stores", ArchiveSettings: { ArchivingMode: "BySchedule" } }),
  ]);
  expect(status).toBe(200);
});

function leaves(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
  return Object.entries(value)
    .flatMap(([name, member]) => leaves(member, path === "" ? name : `${path}.${name}`))
    .sort();
}
