import {
  CHANGE_PARAMETERS,
  changedIds,
  choice,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  OTHER_REVISION,
  objectOf,
  query,
  type RouteDescription,
  TEXT,
} from "../route/index.js";
import { CAMERA, OBJECT_RULES } from "./camera-schema.js";
import { CAMERAS_PER_REQUEST_MAX } from "./configure-channels.js";

/** The routes of cameras. */

const PATH = { id: "The channel's id." };
const NO_CHANNEL = "There is no such channel.";
const GATE = '"$NVR/configure/channels/22222222-0000-4000-8000-000000000001"';

export const GET_CHANNELS: RouteDescription = {
  topic: "channel",
  summary: "Lists every camera",
  text: ["Camera objects have all members of the reference. `Password` is always null.", "", ...OBJECT_RULES],
  answer: { ...jsonAnswer(listOf(CAMERA), "The cameras."), revision: true },
  example: ['curl -u "$AUTH" "$NVR/configure/channels"'],
};

export const GET_CHANNEL: RouteDescription = {
  topic: "channel",
  summary: "Returns one camera",
  pathValues: PATH,
  answer: { ...jsonAnswer(CAMERA, "The camera."), revision: true },
  errors: { 404: NO_CHANNEL },
  example: [`curl -u "$AUTH" ${GATE}`],
};

export const POST_CHANNELS: RouteDescription = {
  topic: "channel",
  summary: "Adds all cameras of the list, or none",
  text: [
    "A new camera is seen by every group without a list of channels, and by groups with one that have the right `CanAccessNewCamera`. There may be 256 cameras, in one request and in all.",
  ],
  parameters: CHANGE_PARAMETERS,
  body: { required: true, schema: listOf(CAMERA, CAMERAS_PER_REQUEST_MAX) },
  answer: changedIds("CreatedObjectsIds"),
  errors: { 409: OTHER_REVISION },
  example: [
    'SERVER=$(curl -s -u "$AUTH" "$NVR/configex?responsetype=json" | sed \'s/.*"SenderId":"\\([^"]*\\)".*/\\1/\')',
    'curl -u "$AUTH" -H \'Content-Type: application/json\' "$NVR/configure/channels" --data \'[{',
    '  "Name": "Gate",',
    '  "ServerBindingsSettings": { "OwnerServerId": "\'$SERVER\'" },',
    '  "ConnectionSettings": {',
    '    "ModelId": "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01",',
    '    "Hostname": "rtsp://viewer:secret@192.0.2.1:554/main",',
    '    "StreamSettings": {',
    '      "AlternativeStreamSettings": { "VideoAdditionalParams": "rtsp://192.0.2.1:554/sub" }',
    "    }",
    "  }",
    "}]'",
  ],
};

/** What holds for changes of one camera and of many. */
const CHANGE_RULES = [
  "What is left out, or null, stays as it is. The answer names each fault by its path (`[1].ArchiveSettings.PreMotionDetectionRecSecs: 1 to 6`).",
  "",
  "A change acts at once, on the camera it concerns and no other. A new `Name` does not touch the connection. A new `Hostname` ends the camera's streams and begins them at the new address.",
];

export const PUT_CHANNELS: RouteDescription = {
  topic: "channel",
  summary: "Changes the cameras of the list in the members given, or none",
  text: CHANGE_RULES,
  parameters: CHANGE_PARAMETERS,
  body: {
    required: true,
    text: "Each camera has `Id` and `ConnectionSettings.ModelId`.",
    schema: listOf(CAMERA, CAMERAS_PER_REQUEST_MAX),
  },
  answer: changedIds("ModifiedObjectsIds"),
  errors: { 404: "The only faults are ids that name no channel.", 409: OTHER_REVISION },
  example: [
    'curl -u "$AUTH" -X PUT "$NVR/configure/channels" --data \'[{',
    '  "Id": "22222222-0000-4000-8000-000000000001",',
    '  "ConnectionSettings": { "ModelId": "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01" },',
    '  "Name": "Gate, north",',
    '  "MapSettings": { "Latitude": 58.01, "Longitude": 56.23 }',
    "}]'",
  ],
};

export const PUT_CHANNEL: RouteDescription = {
  topic: "channel",
  summary: "Changes one camera in the members given",
  text: CHANGE_RULES,
  pathValues: PATH,
  parameters: CHANGE_PARAMETERS,
  body: { required: true, text: "It has `ConnectionSettings.ModelId`; it needs no `Id`.", schema: CAMERA },
  answer: changedIds("ModifiedObjectsIds"),
  errors: { 404: NO_CHANNEL, 409: OTHER_REVISION },
  example: [
    `curl -u "$AUTH" -X PUT ${GATE} \\`,
    '  --data \'{"ConnectionSettingsModelId": "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01", "Disabled": true}\'',
  ],
};

export const DELETE_CHANNEL: RouteDescription = {
  topic: "channel",
  summary: "Removes a camera from the configuration",
  text: [
    "The camera leaves its security object and every group's list. Its recording ends in a closed segment. What was recorded stays until retention removes it. With `archive=delete` it is removed now, in the background, also over a restart. That works later too, for a channel that is no longer configured.",
  ],
  pathValues: PATH,
  parameters: [
    query(
      "archive",
      { ...choice(["keep", "delete"]), default: "keep" },
      "Whether its recordings are removed now.",
    ),
    ...CHANGE_PARAMETERS,
  ],
  answer: changedIds("DeletedObjectsIds"),
  errors: { 404: NO_CHANNEL, 409: OTHER_REVISION },
  example: [
    'curl -u "$AUTH" -X DELETE "$NVR/configure/channels/22222222-0000-4000-8000-000000000003"',
    'curl -u "$AUTH" -X DELETE "$NVR/configure/channels/22222222-0000-4000-8000-000000000003?archive=delete"',
  ],
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
  topic: "channel",
  summary: "Lists the camera models, by manufacturer, sorted by name",
  text: [
    '"ONVIF device" is any camera that speaks ONVIF, "RTSP/RTP device" any camera by its RTSP addresses. Manufacturers have models that are found by ONVIF, and models with known RTSP paths. An installer\'s file adds more: [models](models.md).',
  ],
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
  example: ['curl -u "$AUTH" "$NVR/configure/devicemanufacturers"'],
};
