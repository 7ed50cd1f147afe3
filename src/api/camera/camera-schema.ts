import { STREAM_TYPES } from "../../base/index.js";
import { rtspCamera } from "../../camera/index.js";
import { createFirstSite, SITE_LIMITS, WEEK_DAYS } from "../../site/index.js";
import {
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  listOf,
  meaning,
  type Note,
  named,
  objectOf,
  orNull,
  range,
  schemaOfValue,
  TEXT,
  textUpTo,
  withNotes,
} from "../route/index.js";
import { ARCHIVING_MODES } from "./camera-input.js";
import { cameraObject } from "./camera-object.js";
import { STREAM_ROLES } from "./camera-roles-input.js";
import { ROTATION_MODES, VIDEO_FORMATS } from "./camera-streams-input.js";
import { FACE_DETECTOR_MODES } from "./stored-settings-input.js";

/** The camera object of the configuration API: its schema, read off one, and what holds for it in all routes. */

const DAY_RANGE = named(
  "DayRange",
  objectOf({ From: meaning("`HH:mm`.", TEXT), To: meaning("`HH:mm`, up to `24:00`.", TEXT) }),
);
const SCHEDULE = named("Schedule", {
  type: "object",
  description: [
    "A week in the server's local time. Days that are left out or empty have no recording, and `{}` has none at all.",
    "`From` and `To` are `HH:mm`, `To` up to `24:00` and later than `From`: what goes beyond midnight is a range of the next day as well.",
    "Ranges of a day must not overlap. A schedule replaces the one there was.",
    "Times are those of the clock on the wall: an hour that daylight saving time leaves out is not recorded, one that it repeats is recorded twice.",
    'An example: `{"Monday": [{"From": "08:00", "To": "12:00"}, {"From": "13:00", "To": "18:00"}], "Saturday": [{"From": "00:00", "To": "24:00"}]}`.',
  ].join(" "),
  properties: Object.fromEntries(
    WEEK_DAYS.map((day) => [day, listOf(DAY_RANGE, SITE_LIMITS.scheduleRangesPerDayMax)]),
  ),
});

/** A member that is off unless it is switched on. */
function off(description: string): JsonSchema {
  return { description, default: false };
}

const FORMAT = choice(VIDEO_FORMATS);
const ROTATION = choice(ROTATION_MODES);
const STREAM_TYPE = choice(STREAM_TYPES);
const PARAMS = textUpTo(SITE_LIMITS.additionalParamsLengthMax);
const SECONDS = { ...range(1, SITE_LIMITS.motionSecondsMax, "integer"), default: 1 };
const DAYS = { ...orNull(range(0, SITE_LIMITS.archiveDaysMax)), default: 0 };
const PORT = range(1, 65_535, "integer");
const OTHER_SERVER = meaning("Another server's id. Null clears it. Kept.", orNull(GUID));
const KEPT = "Kept.";
const ROTATES = "How decoded pictures of the stream are rotated. Also in `/configex`.";

const STREAM = named(
  "CameraStream",
  objectOf(
    {
      VideoStreamEnabled: meaning(
        "Connects or disconnects the stream. Main is always on. When left out: whether there is a URL.",
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
  "The router's port in place of the device's. No `DefaultPortValue` comes twice. The list replaces the old one. Empty when left out.",
  listOf(objectOf({ DefaultPortValue: PORT, PortValue: PORT }), SITE_LIMITS.externalPortsMax),
);

/** Of the members of `ConnectionSettings`. */
const CONNECTION_NOTES: Readonly<Record<string, Note>> = {
  ModelId:
    "How the camera is addressed: an id of [`/configure/devicemanufacturers`](#get-configuredevicemanufacturers). Required, in PUT too.",
  Hostname: {
    maxLength: SITE_LIMITS.hostnameLengthMax,
    description:
      'Model "RTSP/RTP device": the whole `rtsp://` or `rtsps://` URL of the main stream. Other models: host name or address, with or without a port, or an `http://` URL. Required in POST, and in PUT when the new model is found in another way. Reconnects.',
  },
  Login: { maxLength: SITE_LIMITS.cameraLoginLengthMax, description: "Reconnects." },
  Password: {
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
    maxLength: SITE_LIMITS.additionalParamsLengthMax,
    description:
      '"RTSP/RTP device": empty, because the URL is `Hostname`. Other models: as `AltVideoAdditionalParams`. Reconnects.',
  },
  AltVideoAdditionalParams: {
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
  SoundTransmittingEnabled: off("Kept: sound is not sent to cameras."),
  IoProcessingEnabled: off("Digital inputs of an ONVIF device become events."),
  SoundVolume: { ...range(0, SITE_LIMITS.soundVolumeMax), default: 100, description: KEPT },
  Ipv6Enabled: off("False: only IPv4 addresses are connected to."),
  MultiChannelServerEnabled: off(
    "The channel number counts. True only where the model can be one of several channels.",
  ),
  MultiChannelServerChannelNum: {
    ...range(0, SITE_LIMITS.multiChannelServerChannelsMax, "integer"),
    default: 1,
    description: "Which video source of the device, counted from 1.",
  },
  DirectNetworkConnectionToCameraEnabled: off("Kept: for clients."),
  GpuClientVideoDecodingEnabled: off("Kept: for clients."),
  AlternativeVideoDecoderEnabled: off("Kept: for clients."),
  IsSecureConnectionEnabled: off(
    "True: connects by TLS only (HTTPS, RTSPS), or not at all. Refuses `rtsp://` and `http://` URLs.",
  ),
};

const ARCHIVE_NOTES: Readonly<Record<string, Note>> = {
  ArchivingDisabled: off("Ends or begins recording."),
  ArchivingMode: {
    default: "AlwaysOn",
    description:
      "When the channel is recorded. `OnlyManual`: when [a user](#post-apichannelsidrecording) says so. `BySchedule`: by `Schedule`. `MDandManual`: on motion, and when a user says so.",
  },
  ArchivingVideoStreamType: { default: "Main", description: "Which stream is recorded." },
  ArchivingMinDeepnessInDays: "0: no bound. Not more than the maximum. Kept.",
  ArchivingMaxDeepnessInDays: "0: no bound. Kept.",
  ArchivingSoundDisabled: off("Leaves sound out of the recording."),
  PreMotionDetectionRecSecs: "Seconds recorded before motion.",
  PostMotionDetectionRecSecs: "Seconds recorded after motion.",
  LimitRecordFpsAndOnlyIndepFramesEnabled: off("Records only independent frames."),
  LimitedRecordFps: {
    ...range(0, SITE_LIMITS.frameRateMax),
    default: 0,
    description: "With it: most of them a second, fractions too. 0: all. It is never less than one in 5 s.",
  },
  Schedule: "When `BySchedule` records. Null: always. An addition of nvrd's, and always in answers.",
  DeviceArchiveEnabled: off("Kept: the archive on a camera's card is not read."),
  DeviceArchiveAutoSynchronizationEnabled: off("Kept."),
};

const DETECTOR = objectOf(
  {
    BuildInCameraDetectorEnabled: {
      ...FLAG,
      ...off(
        "Leaves detection to the camera: motion that an ONVIF camera reports counts, with or without `MotionDetectorEnabled`.",
      ),
    },
    DetectOnlyIndependentFrames: { ...FLAG, ...off("The recorder looks at key frames only.") },
    CustomFpsEnabled: { ...FLAG, ...off("`CustomFpsValue` counts.") },
    CustomFpsValue: {
      ...range(0, SITE_LIMITS.frameRateMax),
      default: 0,
      description: "Pictures a second that the recorder looks at. 0, or not enabled: 5.",
    },
    GenerationOfEventMotionStartAndEndEnabled: {
      ...FLAG,
      ...off("Motion is reported with its start and its end."),
    },
    Zones: {
      description: `Where the recorder looks: [motion zones](motion-zones.md), or JSON of another form; up to ${SITE_LIMITS.keptJsonLengthMax} characters. Null when left out.`,
    },
  },
  [],
);

const ANALYSIS_NOTES: Readonly<Record<string, Note>> = {
  MotionDetectorEnabled: off(
    "[Motion is looked for](../design/motion.md), by the recorder or by the camera.",
  ),
  MotionDetectorSettings: "Null when left out.",
  AnalyzeStreamType:
    "The stream that the recorder looks at. When left out: `Alternative` where that is on, else `Main`.",
  FaceDetectorEnabled: off(KEPT),
  FaceDetectorMode: { default: "Basic", description: KEPT },
  InteractiveSearchEnabled: off(KEPT),
  InteractiveSearchSettings: `Any JSON of up to ${SITE_LIMITS.keptJsonLengthMax} characters, or null. Kept.`,
};

const CAMERA_NOTES: Readonly<Record<string, Note>> = {
  Id: "Names the camera. Made by the server: left out, null, empty or all zeros in POST. Required in PUT of a list.",
  Name: {
    maxLength: SITE_LIMITS.nameLengthMax,
    description:
      "The name that users see, and that `channel` of [`/video`](#get-video) takes. When left out of POST: the host of `Hostname`.",
  },
  Disabled: off("Disconnects the camera."),
  "ServerBindingsSettings.OwnerServerId":
    "This server's id, `SenderId` of [`/configex`](#get-configex); another one is 400. Required in POST.",
  ParentSecObjectId: "The folder the camera is in. When left out of POST: the root.",
  Description: {
    maxLength: SITE_LIMITS.commentLengthMax,
    description: "For people. May have tabs and line breaks.",
  },
  "MapSettings.Latitude": "`GeoPosition` of /configex. Both or neither. Null clears them, in PUT too.",
  "MapSettings.Longitude": "As `Latitude`.",
  "MapSettings.IsOnMap":
    "False leaves `GeoPosition` out; true needs a position. When left out: whether there is a position. Always in answers.",
};

/** What members of the camera object may be, beyond what an example shows. */
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

/** The camera object, read off one. */
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
  const parts = {
    ConnectionSettings: named("CameraConnection", ConnectionSettings),
    ArchiveSettings: named("CameraArchive", withNotes(ArchiveSettings, ARCHIVE_NOTES)),
    AnalyzeSettings: named("CameraAnalysis", withNotes(AnalyzeSettings, ANALYSIS_NOTES)),
  };
  return named("Camera", withNotes(objectOf({ ...properties, ...parts }, []), CAMERA_NOTES));
}

export const CAMERA = cameraSchema();

/** What holds for the object in all routes. */
export const OBJECT_RULES = [
  "The rules of the camera object:",
  "",
  "- **Names** of members, and of the values of an enumeration, match in any case. Unknown members are ignored. A body nests at most 64 lists and objects. Texts have no control characters but tabs and line breaks in `Description`.",
  "- **Two names, one value.** The older names of a stream's settings (`MainVideoStreamFormat`, `AltVideoStreamEnabled`, `AltVideoAdditionalParams`, `MainStreamRotationMode`, …) mean the same as the newer ones of `StreamSettings`. `ArchivingVideoStreamType` and `AnalyzeStreamType` mean the same as the roles `Archive` and `VideoAnalysis`. `ConnectionSettingsModelId`, `MapSettingsLatitude`, `MapSettingsLongitude` and `MapSettingsIsOnMap` mean the same as the nested members. GET returns both names, but not these flattened ones. A change of either changes both. Two that contradict each other are 400, and the answer names both paths.",
  "- **Roles.** `Archive` and `VideoAnalysis` belong to one stream each. PUT of `Roles` of one stream takes such a role from another stream whose `Roles` are not given. A new camera without any `Roles` has all of them on Main, and `VideoAnalysis` and `MobileClient` on Alternative where that is on. A stream that is off cannot be given these two roles. When a stream that has them is switched off, they go to Main. `AnalyzeStreamType` naming a stream that is off means Main.",
  "- **Secrets.** `Password` is never returned. Null, empty or left out, it stays as it is; `ConnectionSettings.ClearPassword: true` takes it away. Credentials in a URL move to `Login` and `Password`.",
  "- **Kept** members are checked, stored and returned, and this version does nothing more with them. [`/configex`](#get-configex) claims no function that the camera's model does not have.",
];
