import { SEEN_KINDS, STREAM_TYPES } from "../../base/index.js";
import { rtspCamera } from "../../camera/index.js";
import {
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  LINE_PATTERN,
  LINES_PATTERN,
  lineUpTo,
  listOf,
  meaning,
  NO_ID,
  type Note,
  named,
  objectOf,
  orNull,
  range,
  SOME_ID,
  schemaOfValue,
  TEXT,
  withNotes,
} from "../../route/index.js";
import { createFirstSite, SITE_LIMITS, WEEK_DAYS } from "../../site/index.js";
import { ARCHIVING_MODES } from "./camera-input.js";
import { cameraObject } from "./camera-object.js";
import { STREAM_ROLES } from "./camera-roles-input.js";
import { ROTATION_MODES, VIDEO_FORMATS } from "./camera-streams-input.js";
import { FACE_DETECTOR_MODES } from "./stored-settings-input.js";

/** The camera object of the configuration API: its schema, derived from an example, and the rules for all routes. */

const DAY_RANGE = named(
  "DayRange",
  objectOf({
    From: meaning("`HH:mm`.", { ...TEXT, pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d$" }),
    To: meaning("`HH:mm`, up to `24:00`.", { ...TEXT, pattern: "^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$" }),
  }),
);
const SCHEDULE = named("Schedule", {
  type: "object",
  description: [
    "A week in the server's local time. Days that are left out or empty have no recording, and `{}` has none at all.",
    "`From` and `To` are `HH:mm`, `To` up to `24:00` and later than `From`. A range beyond midnight continues as a range of the next day.",
    "Ranges of a day must not overlap. A schedule replaces the previous one.",
    "Times are local wall-clock times: an hour skipped by daylight saving time is not recorded, a repeated one is recorded twice.",
    'An example: `{"Monday": [{"From": "08:00", "To": "12:00"}, {"From": "13:00", "To": "18:00"}], "Saturday": [{"From": "00:00", "To": "24:00"}]}`.',
  ].join(" "),
  properties: Object.fromEntries(
    WEEK_DAYS.map((day) => [day, listOf(DAY_RANGE, SITE_LIMITS.scheduleRangesPerDayMax)]),
  ),
  additionalProperties: false,
});

/** A boolean member with the default false. */
function off(description: string): JsonSchema {
  return { description, default: false };
}

const FORMAT = choice(VIDEO_FORMATS);
const ROTATION = choice(ROTATION_MODES);
const STREAM_TYPE = choice(STREAM_TYPES);
const PARAMS = lineUpTo(SITE_LIMITS.additionalParamsLengthMax);
const SECONDS = { ...range(1, SITE_LIMITS.motionSecondsMax, "integer"), default: 1 };
const DAYS = { ...orNull(range(0, SITE_LIMITS.archiveDaysMax)), default: 0 };
const PORT = range(1, 65_535, "integer");
const OTHER_SERVER = meaning("Another server's id. Null clears it. Stored only.", orNull(GUID));
const ROTATES = "How decoded pictures of the stream are rotated. Also in `/configex`.";

const STREAM = named(
  "CameraStream",
  objectOf(
    {
      VideoStreamEnabled: meaning(
        "Connects or disconnects the stream. Main is always on. Default: whether there is a URL.",
        FLAG,
      ),
      VideoFormat: { ...FORMAT, default: "H264", description: "As `MainVideoStreamFormat`." },
      VideoAdditionalParams: meaning(
        "As `AltVideoAdditionalParams`. A stream that gets its first URL is on. Reconnects.",
        PARAMS,
      ),
      RotationMode: { ...ROTATION, default: "None", description: ROTATES },
      Roles: meaning(
        "`Archive`: this stream is recorded. See the rules above.",
        listOf(choice(STREAM_ROLES), STREAM_ROLES.length),
      ),
    },
    [],
  ),
);

const PORTS = meaning(
  "Ports of a router mapped to the device's ports. Each `DefaultPortValue` may occur once. The list replaces the old one. Empty by default.",
  listOf(objectOf({ DefaultPortValue: PORT, PortValue: PORT }), SITE_LIMITS.externalPortsMax),
);

/** Notes on the members of `ConnectionSettings`. */
const CONNECTION_NOTES: Readonly<Record<string, Note>> = {
  ModelId:
    "How the camera is addressed: an id of [`/configure/devicemanufacturers`](#get-configuredevicemanufacturers). Required, in PUT too.",
  Hostname: {
    pattern: LINE_PATTERN,
    maxLength: SITE_LIMITS.hostnameLengthMax,
    description:
      'Model "RTSP/RTP device": the whole `rtsp://` or `rtsps://` URL of the main stream. Other models: host name or address, with or without a port, or an `http://` URL. Required in POST, and in PUT if the new model uses another kind of connection. Reconnects.',
  },
  Login: { pattern: LINE_PATTERN, maxLength: SITE_LIMITS.cameraLoginLengthMax, description: "Reconnects." },
  Password: {
    pattern: LINE_PATTERN,
    maxLength: SITE_LIMITS.cameraPasswordLengthMax,
    description: "Always null in answers. Reconnects.",
  },
  MainVideoStreamFormat: {
    default: "H264",
    description:
      "ONVIF: which profile; when left out, as the device sends. It fills `{codec}` in the path of a [model](models.md). What is recorded is what the camera sends.",
  },
  AltVideoStreamFormat: "As `MainVideoStreamFormat`.",
  AltVideoStreamEnabled:
    "Connects or disconnects the stream. When left out: whether there is a URL; ONVIF, without any stream settings: as the device offers.",
  MainVideoAdditionalParams: {
    pattern: LINE_PATTERN,
    maxLength: SITE_LIMITS.additionalParamsLengthMax,
    description:
      '"RTSP/RTP device": empty, because the URL is `Hostname`. Other models: as `AltVideoAdditionalParams`. Reconnects.',
  },
  AltVideoAdditionalParams: {
    pattern: LINE_PATTERN,
    maxLength: SITE_LIMITS.additionalParamsLengthMax,
    description:
      '"RTSP/RTP device": the `rtsp://` or `rtsps://` URL of the stream; empty: none. Other models: parameters for the query of the stream\'s address (`fps=5&x=1`), or a whole URL in its place. Reconnects.',
  },
  MainStreamRotationMode: { default: "None", description: ROTATES },
  AltStreamRotationMode: { default: "None", description: ROTATES },
  SoundReceivingEnabled: { default: true, description: "Asks the camera for the sound that it sends." },
  PtzEnabled: off(
    "The camera may be moved by [`/ptz`](#get-and-post-ptz). `/configex` shows it where the model has PTZ.",
  ),
  SoundTransmittingEnabled: off(
    "Users may [speak](#talking) to the camera, and announcements are played there.",
  ),
  IoProcessingEnabled: off(
    "Digital inputs of an ONVIF device raise events, and its [outputs](#get-apichannelsidoutputs) can be switched.",
  ),
  SoundVolume: {
    ...range(0, SITE_LIMITS.soundVolumeMax, "integer"),
    default: 100,
    description:
      "How loud the camera plays what is sent to it: the loudspeaker's level where ONVIF can set it, else what is sent is made softer.",
  },
  Ipv6Enabled: off("False: connects only to IPv4 addresses."),
  MultiChannelServerEnabled: off(
    "The channel number is used, where the model can be one of several channels.",
  ),
  MultiChannelServerChannelNum: {
    ...range(0, SITE_LIMITS.multiChannelServerChannelsMax, "integer"),
    default: 1,
    description: "Which video source of the device, counted from 1.",
  },
  DirectNetworkConnectionToCameraEnabled: off("Stored only, for clients."),
  GpuClientVideoDecodingEnabled: off("Stored only, for clients."),
  AlternativeVideoDecoderEnabled: off("Stored only, for clients."),
  IsSecureConnectionEnabled: off(
    "True: connects by TLS only (HTTPS, RTSPS), or not at all. Refuses `rtsp://` and `http://` URLs.",
  ),
  RedirectToOtherHostsEnabled: off(
    "True: an RTSP redirect of the camera may lead to another host, without login and password. An addition of nvrd's.",
  ),
};

const ARCHIVE_NOTES: Readonly<Record<string, Note>> = {
  ArchivingDisabled: off("Ends or begins recording."),
  ArchivingMode: {
    default: "AlwaysOn",
    description:
      "When the channel is recorded. `OnlyManual`: when started by [a user](#post-apichannelsidrecording). `BySchedule`: by `Schedule`. `MDandManual`: on motion, and when started by a user.",
  },
  ArchivingVideoStreamType: { default: "Main", description: "Which stream is recorded." },
  ArchivingMinDeepnessInDays:
    "Days that recordings are kept at least, if space allows. 0: no limit. Not more than the maximum.",
  ArchivingMaxDeepnessInDays: "Days after which recordings are deleted. 0: no limit.",
  ArchivingSoundDisabled: off("Records without audio."),
  PreMotionDetectionRecSecs: "Seconds recorded before motion.",
  PostMotionDetectionRecSecs: "Seconds recorded after motion.",
  LimitRecordFpsAndOnlyIndepFramesEnabled: off("Records only independent frames."),
  LimitedRecordFps: {
    ...range(0, SITE_LIMITS.frameRateMax),
    default: 0,
    description:
      "With it: maximum number of these frames per second, also fractional. 0: all. Never less than one in 5 s.",
  },
  Schedule: "When `BySchedule` records. Null: always. An addition of nvrd's, and always in answers.",
  DeviceArchiveEnabled: off(
    "What an ONVIF camera keeps on its own card can be looked at: [devicearchive](#get-apichannelsiddevicearchive).",
  ),
  DeviceArchiveAutoSynchronizationEnabled: off(
    "With `DeviceArchiveEnabled`: gaps of the recording (camera lost, recorder stopped or without power) are filled from there.",
  ),
};

const DETECTOR = objectOf(
  {
    BuildInCameraDetectorEnabled: {
      ...FLAG,
      ...off(
        "Leaves detection to the camera: motion that an ONVIF camera reports counts, with or without `MotionDetectorEnabled`.",
      ),
    },
    DetectOnlyIndependentFrames: { ...FLAG, ...off("The recorder analyzes only key frames.") },
    CustomFpsEnabled: { ...FLAG, ...off("`CustomFpsValue` counts.") },
    CustomFpsValue: {
      ...range(0, SITE_LIMITS.frameRateMax),
      default: 0,
      description: "Pictures per second that the recorder analyzes. 0, or not enabled: 5.",
    },
    GenerationOfEventMotionStartAndEndEnabled: {
      ...FLAG,
      ...off("Motion is reported with its start and its end."),
    },
    Zones: {
      description: `The analyzed area: [motion zones](motion-zones.md), or JSON of another form; up to ${SITE_LIMITS.keptJsonLengthMax} characters. Null clears them, in PUT too; left out, they stay as they are.`,
    },
  },
  [],
);

const SEEN_LIST = orNull(listOf(choice(SEEN_KINDS), SEEN_KINDS.length));
const CAMERA_EVENTS = objectOf(
  {
    Marked: meaning("Those that become events. Null: all.", SEEN_LIST),
    Recorded: meaning(
      "Those that count like motion where the channel is recorded on motion; motion itself is taken by `BuildInCameraDetectorEnabled`. Null: with that, all that tell of somebody or something; without it, none.",
      SEEN_LIST,
    ),
  },
  [],
);

const ANALYSIS_NOTES: Readonly<Record<string, Note>> = {
  MotionDetectorEnabled: off("[Motion detection](../design/motion.md) by the recorder or by the camera."),
  MotionDetectorSettings: "Null when left out.",
  AnalyzeStreamType:
    "The stream that the recorder analyzes. Default: `Alternative` where that is on, else `Main`.",
  FaceDetectorEnabled: off(
    "Faces are looked for by an [analyser](analysers.md) that does that. Without one nothing looks for them.",
  ),
  FaceDetectorMode: {
    default: "Basic",
    description: "`OptimizedQuality`: analysers get the picture of the main stream.",
  },
  InteractiveSearchEnabled: off(
    "What [analysers](analysers.md) find here is searched by [`/api/findings`](#get-apifindings), and objects besides persons and vehicles become events too.",
  ),
  CameraEventSettings:
    "An addition of nvrd's: which [kinds](camera-events.md) of what the camera tells are used. Given where something was chosen. Null: the defaults; left out of a change: as they are.",
  InteractiveSearchSettings: `Any JSON of up to ${SITE_LIMITS.keptJsonLengthMax} characters, or null. The members \`Labels\` (a list: only these objects) and \`MinConfidence\` (percent) count.`,
};

const CAMERA_NOTES: Readonly<Record<string, Note>> = {
  Id: "Identifies the camera. Created by the server: left out, null, empty or all zeros in POST. Required in PUT of a list.",
  Name: {
    pattern: LINE_PATTERN,
    maxLength: SITE_LIMITS.nameLengthMax,
    description:
      "The name that users see, and that `channel` of [`/video`](#get-video) takes. When left out of POST: the host of `Hostname`.",
  },
  Disabled: off("Disconnects the camera."),
  "ServerBindingsSettings.OwnerServerId":
    "This server's id, `SenderId` of [`/configex`](#get-configex); another one is 400. Required in POST.",
  ParentSecObjectId: "The folder the camera is in. When left out of POST: the root.",
  Description: {
    pattern: LINES_PATTERN,
    maxLength: SITE_LIMITS.commentLengthMax,
    description: "Free text. May have tabs and line breaks.",
  },
  "MapSettings.Latitude": "`GeoPosition` of /configex. Both or neither. Null clears them, in PUT too.",
  "MapSettings.Longitude": "As `Latitude`.",
  "MapSettings.Azimuth":
    "`GeoPosition.Azimuth` of /configex: where the camera looks, in degrees clockwise from north. 0 when left out of POST; null makes it 0.",
  "MapSettings.IsOnMap":
    "False leaves `GeoPosition` out; true needs a position. When left out: whether there is a position. Always in answers.",
};

/** Schemas of members that the example does not show. */
const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  Id: GUID,
  ParentSecObjectId: GUID,
  OwnerServerId: GUID,
  ReservedServerId: OTHER_SERVER,
  ReplicationServerId: OTHER_SERVER,
  ModelId: GUID,
  Password: orNull(TEXT),
  MainVideoStreamFormat: FORMAT,
  AltVideoStreamFormat: FORMAT,
  MainStreamRotationMode: ROTATION,
  AltStreamRotationMode: ROTATION,
  ...Object.fromEntries(STREAM_TYPES.map((type) => [`${type}StreamSettings`, STREAM])),
  ExternalNetworkPorts: PORTS,
  ArchivingMode: choice(ARCHIVING_MODES),
  ArchivingVideoStreamType: STREAM_TYPE,
  AnalyzeStreamType: STREAM_TYPE,
  PreMotionDetectionRecSecs: SECONDS,
  PostMotionDetectionRecSecs: SECONDS,
  Schedule: { oneOf: [SCHEDULE, { type: "null" }] },
  MotionDetectorSettings: orNull(DETECTOR),
  FaceDetectorMode: choice(FACE_DETECTOR_MODES),
  ArchivingMinDeepnessInDays: DAYS,
  ArchivingMaxDeepnessInDays: DAYS,
  Latitude: orNull(range(-90, 90)),
  Longitude: orNull(range(-180, 180)),
};

/** The schema of the camera object, derived from an example. */
function cameraSchema(): JsonSchema {
  const site = createFirstSite({ serverName: "", nowUs: 0 });
  const camera = rtspCamera({ name: "", description: "", url: "rtsp://camera/", format: "H264" }, site);
  const { properties = {} } = schemaOfValue(cameraObject(camera, site), MEMBERS);
  const { ConnectionSettings: connection = {}, ArchiveSettings = {}, AnalyzeSettings = {} } = properties;
  const ClearPassword = { ...FLAG, writeOnly: true, ...off("True takes the password away.") };
  const accepts = off(
    "True takes whichever device answers at the address now for the camera, after it was replaced.",
  );
  const AcceptDevice = { ...FLAG, writeOnly: true, ...accepts };
  const ConnectionSettings = withNotes(
    { ...connection, properties: { ...connection.properties, ClearPassword, AcceptDevice } },
    CONNECTION_NOTES,
  );
  const analysis = { ...AnalyzeSettings.properties, CameraEventSettings: orNull(CAMERA_EVENTS) };
  const parts = {
    ConnectionSettings: named("CameraConnection", ConnectionSettings),
    ArchiveSettings: named("CameraArchive", withNotes(ArchiveSettings, ARCHIVE_NOTES)),
    AnalyzeSettings: named(
      "CameraAnalysis",
      withNotes({ ...AnalyzeSettings, properties: analysis }, ANALYSIS_NOTES),
    ),
  };
  return named("Camera", withNotes(objectOf({ ...properties, ...parts }, []), CAMERA_NOTES));
}

export const CAMERA = cameraSchema();

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
