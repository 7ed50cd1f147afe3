import { type Guid, NvrdError } from "../../base/index.js";
import { cameraArchive } from "../../contract/index.js";
import {
  answerConfiguration,
  bodyWarnings,
  CHANGE_PARAMETERS,
  changedIds,
  type EndpointResult,
  editConfiguration,
  Faults,
  type JsonSchema,
  listOf,
  OTHER_OBJECTS,
  OTHER_REVISION,
  parseJsonBody,
  type RequestContext,
  type Route,
  UNKNOWN_IDS,
  withWarnings,
} from "../../route/index.js";
import type { Site } from "../../site/index.js";
import { type CameraContext, readChangedCamera } from "./camera-input.js";
import type { CameraNeeds } from "./camera-parts.js";
import { CAMERA_BODY, CAMERAS_BODY, CHANGED_CAMERA, CHANGED_CAMERA_OF_LIST } from "./camera-schema.js";
import { changeCameras, type PlacedCamera } from "./camera-tree.js";
import { CHANNEL_PATH_VALUES, channelIdOfPath, EXAMPLE, NO_CHANNEL } from "./channel-path.js";
import { CAMERAS_PER_REQUEST_MAX, readCameraArray } from "./configure-channels.js";

const SECONDS = cameraArchive.PreMotionDetectionRecSecs;

/** The rules for changes of one or several cameras. */
const CHANGE_RULES = [
  `Members that are absent or null are unchanged, except those that null is said to clear. The answer names each fault by its path (\`[1].ArchiveSettings.PreMotionDetectionRecSecs: ${SECONDS.min} to ${SECONDS.max}\`).`,
  "",
  "A change takes effect at once, and only for the camera concerned. A new `Name` does not affect the connection. A new `Hostname` reconnects the camera's streams at the new address.",
];

export const PUT_CHANNELS_ROUTE: Route<CameraNeeds> = {
  method: "PUT",
  path: "/configure/channels",
  login: "administration",

  describe: {
    topic: "channel",
    summary: "Changes the cameras of the list in the members given, or none",
    text: CHANGE_RULES,
    parameters: CHANGE_PARAMETERS,
    body: {
      required: true,
      text: "Each camera has `Id` and `ConnectionSettings.ModelId`.",
      schema: listOf(CHANGED_CAMERA_OF_LIST, CAMERAS_PER_REQUEST_MAX),
    },
    answer: changedIds("ModifiedObjectsIds"),
    errors: { 404: UNKNOWN_IDS, 409: OTHER_OBJECTS },
    example: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/channels" --data \'[{',
      '  "Id": "\'$GATE\'",',
      '  "ConnectionSettings": { "ModelId": "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01" },',
      '  "Name": "Gate, north",',
      '  "MapSettings": { "Latitude": 58.01, "Longitude": 56.23 }',
      "}]'",
    ],
  },
  /**
   * PUT /configure/channels: changes the cameras of the array, in the members given, or none when one has a fault.
   * Returns the ids of the array. Without an actual change, the revision stays and no camera is affected.
   */
  async endpoint(context) {
    const body = readCameraArray(context.request.body);
    return await change(context, CAMERAS_BODY, (site, faults) =>
      readAll(body, { site, reach: context.needs.reach, faults }),
    );
  },
};

export const PUT_CHANNEL_ROUTE: Route<CameraNeeds> = {
  method: "PUT",
  path: "/configure/channels/{id}",
  login: "administration",

  describe: {
    topic: "channel",
    summary: "Changes one camera in the members given",
    text: CHANGE_RULES,
    pathValues: CHANNEL_PATH_VALUES,
    parameters: CHANGE_PARAMETERS,
    body: {
      required: true,
      text: "It has `ConnectionSettings.ModelId`; it needs no `Id`.",
      schema: CHANGED_CAMERA,
    },
    answer: changedIds("ModifiedObjectsIds"),
    errors: { 404: NO_CHANNEL, 409: OTHER_REVISION },
    example: [
      `curl -fu "$AUTH" -X PUT ${EXAMPLE} \\`,
      '  --data \'{"ConnectionSettingsModelId": "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01", "Disabled": true}\'',
    ],
  },
  /** PUT /configure/channels/{id}: the same for one camera object, which need not repeat the id. */
  async endpoint(context) {
    const id = channelIdOfPath(context);
    const body = parseJsonBody(context.request.body);
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      throw new NvrdError("BAD_REQUEST", "the body is not a JSON object: one camera");
    }
    return await change(context, CAMERA_BODY, (site, faults) => {
      if (!site.cameras.some((camera) => camera.id === id)) {
        throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
      }
      const camera = readChangedCamera(body, { path: "", site, reach: context.needs.reach, faults }, id);
      return camera === undefined ? [] : [camera];
    });
  },
};

async function change(
  context: RequestContext<CameraNeeds>,
  schema: JsonSchema,
  read: (site: Site, faults: Faults) => readonly PlacedCamera[],
): Promise<EndpointResult> {
  let ids: readonly Guid[] = [];
  let faults = new Faults();
  const applied = await editConfiguration(context, (site) => {
    faults = new Faults();
    const changed = read(site, faults);
    faults.throwIfAny();
    ids = changed.map(({ camera }) => camera.id);
    return changeCameras(site, changed);
  });
  const warnings = [...bodyWarnings(context.request.body, schema), ...faults.warnings];
  return answerConfiguration(withWarnings({ ModifiedObjectsIds: ids }, warnings), applied);
}

function readAll(
  body: readonly unknown[],
  { site, reach, faults }: Omit<CameraContext, "path">,
): readonly PlacedCamera[] {
  const first = new Map<Guid, number>();
  return body.flatMap((value, index) => {
    const path = `[${index}]`;
    const placed = readChangedCamera(value, { path, site, reach, faults });
    if (placed === undefined) return [];
    const { id } = placed.camera;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else faults.add(`${path}.Id`, `is already in [${earlier}]`, "CONFLICT");
    return [placed];
  });
}
