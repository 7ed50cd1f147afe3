import {
  camera,
  cameraAnalysis,
  cameraAnalysisTexts,
  cameraArchive,
  cameraArchiveTexts,
  cameraConnection,
  cameraConnectionTexts,
  cameraStream,
  cameraStreamTexts,
  cameraTexts,
  DAY_RANGES_MAX,
  motionDetector,
  RANGE_FROM,
  RANGE_TO,
  scheduleText,
  WEEK_DAYS,
} from "../../contract/index.js";
import {
  type JsonSchema,
  listOf,
  meaning,
  NO_ID,
  named,
  objectOf,
  SOME_ID,
  schemaOfResource,
  TEXT,
} from "../../route/index.js";

/** The camera object of the configuration API: its schema, made of the contract, and the rules for all routes. */

const DAY_RANGE = named(
  "DayRange",
  objectOf({
    From: meaning("`HH:mm`.", { ...TEXT, pattern: RANGE_FROM }),
    To: meaning("`HH:mm`, up to `24:00`.", { ...TEXT, pattern: RANGE_TO }),
  }),
);
const SCHEDULE = named("Schedule", {
  type: "object",
  description: scheduleText(),
  properties: Object.fromEntries(WEEK_DAYS.map((day) => [day, listOf(DAY_RANGE, DAY_RANGES_MAX)])),
  additionalProperties: false,
});

const STREAM = named("CameraStream", schemaOfResource(cameraStream, cameraStreamTexts));
const STREAMS = Object.keys(cameraConnection.StreamSettings.members);

const CONNECTION = schemaOfResource(cameraConnection, cameraConnectionTexts, {
  StreamSettings: objectOf(Object.fromEntries(STREAMS.map((stream) => [stream, STREAM])), []),
});
const ARCHIVE = schemaOfResource(cameraArchive, cameraArchiveTexts, { Schedule: SCHEDULE });
const ANALYSIS = schemaOfResource(cameraAnalysis, cameraAnalysisTexts(motionDetector.Zones.max));

export const CAMERA = named(
  "Camera",
  schemaOfResource(camera, cameraTexts, {
    ConnectionSettings: named("CameraConnection", CONNECTION),
    ArchiveSettings: named("CameraArchive", ARCHIVE),
    AnalyzeSettings: named("CameraAnalysis", ANALYSIS),
  }),
);

/** A camera that is added. */
export const NEW_CAMERA: JsonSchema = {
  allOf: [
    CAMERA,
    {
      required: ["ServerBindingsSettings", "ConnectionSettings"],
      properties: {
        Id: NO_ID,
        ServerBindingsSettings: { required: ["OwnerServerId"] },
        ConnectionSettings: { required: ["ModelId", "Hostname"] },
      },
    },
  ],
};
const CHANGED: JsonSchema = {
  required: ["ConnectionSettings"],
  properties: { ConnectionSettings: { required: ["ModelId"] }, Name: { pattern: "[^\\s\\ufeff]" } },
};
/** A camera of the path that is changed, and one of a list. */
export const CHANGED_CAMERA: JsonSchema = { allOf: [CAMERA, CHANGED] };
export const CHANGED_CAMERA_OF_LIST: JsonSchema = {
  allOf: [CAMERA, CHANGED, { required: ["Id"], properties: { Id: SOME_ID } }],
};

/** What a body may hold besides: nested members under flattened names. */
const FLATTENED = [
  "ConnectionSettingsModelId",
  "MapSettingsLatitude",
  "MapSettingsLongitude",
  "MapSettingsAzimuth",
  "MapSettingsIsOnMap",
];
/** The members that a body of one camera, and one of many, is read for. */
export const CAMERA_BODY: JsonSchema = {
  ...CAMERA,
  properties: { ...CAMERA.properties, ...Object.fromEntries(FLATTENED.map((name) => [name, {}])) },
};
export const CAMERAS_BODY = listOf(CAMERA_BODY);

/** The rules for the object in all routes. */
export const OBJECT_RULES = [
  "The rules of the camera object:",
  "",
  "- **Names** of members, and of the values of an enumeration, match in any case. Unknown members are not read; the `Warnings` of the answer name each by its path. A body nests at most 64 lists and objects. Texts have no control characters but tabs and line breaks in `Description`.",
  "- **Two names, one value.** The older names of a stream's settings (`MainVideoStreamFormat`, `AltVideoStreamEnabled`, `AltVideoAdditionalParams`, `MainStreamRotationMode`, …) mean the same as the newer ones of `StreamSettings`. `ArchivingVideoStreamType` and `AnalyzeStreamType` mean the same as the roles `Archive` and `VideoAnalysis`. `ConnectionSettingsModelId`, `MapSettingsLatitude`, `MapSettingsLongitude`, `MapSettingsAzimuth` and `MapSettingsIsOnMap` mean the same as the nested members. GET returns both names, but not these flattened ones. A change of either changes both. Two that contradict each other are 400, and the answer names both paths.",
  "- **Roles.** `Archive` and `VideoAnalysis` belong to one stream each. PUT of `Roles` of one stream removes such a role from another stream whose `Roles` are not in the request. A new camera without any `Roles` has all of them on Main, and `VideoAnalysis` and `MobileClient` on Alternative where that is on. A stream that is off cannot be given these two roles. When a stream that has them is switched off, they go to Main. `AnalyzeStreamType` naming a stream that is off means Main.",
  "- **Secrets.** `Password` is never returned. If null, empty or absent, it is unchanged; `ConnectionSettings.ClearPassword: true` removes it. An unchanged one goes only where it was entered for: it is required where `Hostname`, the address of a stream or `ExternalNetworkPorts` lead to another scheme, host or port, and where a device may be reached unencrypted from now on. Credentials in a URL move to `Login` and `Password`.",
  "- **Stored only** means that the member is checked, stored and returned, but not used by this version: [all of them](kept.md). [`/configex`](#get-configex) reports no function that the camera's model does not have.",
];
