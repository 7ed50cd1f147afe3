import { STREAM_TYPES } from "../../base/index.js";
import { rtspCamera } from "../../camera/index.js";
import { createFirstSite, SITE_LIMITS, WEEK_DAYS } from "../../site/index.js";
import {
  CHANGE_PARAMETERS,
  changedIds,
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  jsonAnswer,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  query,
  type RouteDescription,
  schemaOfValue,
  TEXT,
} from "../route/index.js";
import { ARCHIVING_MODES } from "./camera-input.js";
import { cameraObject } from "./camera-object.js";
import { STREAM_ROLES } from "./camera-roles-input.js";
import { ROTATION_MODES, VIDEO_FORMATS } from "./camera-streams-input.js";
import { CAMERAS_PER_REQUEST_MAX } from "./configure-channels.js";
import { FACE_DETECTOR_MODES } from "./stored-settings-input.js";

/** Cameras, as /openapi.json describes them. */

const DAY_RANGE = objectOf({ From: TEXT, To: TEXT });
const SCHEDULE: JsonSchema = {
  type: ["object", "null"],
  description:
    "When BySchedule records, in the server's local time: 08:00 to 24:00; null: always. A day left out has no recording.",
  properties: Object.fromEntries(
    WEEK_DAYS.map((day) => [day, listOf(DAY_RANGE, SITE_LIMITS.scheduleRangesPerDayMax)]),
  ),
};

/** What members of the camera object may be, beyond what an example shows. */
const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  Id: GUID,
  ParentSecObjectId: GUID,
  OwnerServerId: GUID,
  ReservedServerId: orNull(GUID),
  ReplicationServerId: orNull(GUID),
  ModelId: GUID,
  Password: orNull(TEXT),
  VideoFormat: choice(VIDEO_FORMATS),
  MainVideoStreamFormat: choice(VIDEO_FORMATS),
  AltVideoStreamFormat: choice(VIDEO_FORMATS),
  RotationMode: choice(ROTATION_MODES),
  MainStreamRotationMode: choice(ROTATION_MODES),
  AltStreamRotationMode: choice(ROTATION_MODES),
  Roles: listOf(choice(STREAM_ROLES), STREAM_ROLES.length),
  ArchivingMode: choice(ARCHIVING_MODES),
  ArchivingVideoStreamType: choice(STREAM_TYPES),
  AnalyzeStreamType: choice(STREAM_TYPES),
  Schedule: SCHEDULE,
  FaceDetectorMode: choice(FACE_DETECTOR_MODES),
  ArchivingMinDeepnessInDays: orNull(NUMBER),
  ArchivingMaxDeepnessInDays: orNull(NUMBER),
  Latitude: orNull({ type: "number", minimum: -90, maximum: 90 }),
  Longitude: orNull({ type: "number", minimum: -180, maximum: 180 }),
};

/** The camera object, read off one. */
function cameraSchema(): JsonSchema {
  const site = createFirstSite({ serverName: "", nowUs: 0 });
  const camera = rtspCamera({ name: "", description: "", url: "rtsp://camera/", format: "H264" }, site);
  return schemaOfValue(cameraObject(camera, site), MEMBERS);
}

const CAMERA = cameraSchema();
const PATH = { id: "The channel's id." };

export const GET_CHANNELS: RouteDescription = {
  summary: "Every camera",
  answer: { ...jsonAnswer(listOf(CAMERA), "The cameras."), revision: true },
};

export const GET_CHANNEL: RouteDescription = {
  summary: "One camera",
  pathValues: PATH,
  answer: { ...jsonAnswer(CAMERA, "The camera."), revision: true },
  errors: [404],
};

export const POST_CHANNELS: RouteDescription = {
  summary: "Adds all cameras of the array, or none",
  parameters: CHANGE_PARAMETERS,
  body: { required: true, schema: listOf(CAMERA, CAMERAS_PER_REQUEST_MAX) },
  answer: changedIds("CreatedObjectsIds"),
  errors: [404, 409],
};

export const PUT_CHANNELS: RouteDescription = {
  summary: "Changes the cameras of the array in the members given, or none",
  parameters: CHANGE_PARAMETERS,
  body: {
    required: true,
    text: "Each with its Id; members may also come flattened (ConnectionSettingsModelId).",
    schema: listOf(CAMERA, CAMERAS_PER_REQUEST_MAX),
  },
  answer: changedIds("ModifiedObjectsIds"),
  errors: [404, 409],
};

export const PUT_CHANNEL: RouteDescription = {
  summary: "Changes one camera in the members given",
  pathValues: PATH,
  parameters: CHANGE_PARAMETERS,
  body: { required: true, schema: CAMERA },
  answer: changedIds("ModifiedObjectsIds"),
  errors: [404, 409],
};

export const DELETE_CHANNEL: RouteDescription = {
  summary: "Takes a camera out of the configuration",
  pathValues: PATH,
  parameters: [
    query("archive", { ...choice(["keep", "delete"]), default: "keep" }, "Whether its recordings go now."),
    ...CHANGE_PARAMETERS,
  ],
  answer: changedIds("DeletedObjectsIds"),
  errors: [404, 409],
};

const FLAGS = [
  "AltStreamSupported",
  "MultiChannelServerSupported",
  "DeviceArchiveSupported",
  "PtzSupported",
  "SoundReceivingSupported",
  "SoundTransmittingSupported",
  "IoProcessingEnabledSupported",
];

export const MANUFACTURERS_DESCRIPTION: RouteDescription = {
  summary: "The camera models there are, by manufacturer",
  answer: jsonAnswer(
    listOf(
      objectOf({
        Name: TEXT,
        DeviceModels: listOf(
          objectOf({
            Id: GUID,
            Name: TEXT,
            ...Object.fromEntries(FLAGS.map((name) => [name, FLAG])),
            MainVideoStreamFormatsSupported: listOf(TEXT),
            AltVideoStreamFormatsSupported: listOf(TEXT),
            DefaultExternalNetworkPorts: { type: "array" },
          }),
        ),
      }),
    ),
    "The manufacturers.",
  ),
};
