import { type Guid, NvrdError } from "../../base/index.js";
import { INDEX_IS_OPENING, requireIndex } from "../../player/index.js";
import {
  answerConfiguration,
  bodyWarnings,
  CHANGE_PARAMETERS,
  changedIds,
  editConfiguration,
  Faults,
  jsonAnswer,
  listOf,
  OTHER_REVISION,
  parseJsonBody,
  type RequestContext,
  type Route,
  type RouteDescription,
  UNKNOWN_IDS,
  withWarnings,
} from "../../route/index.js";
import { type Camera, type Site, type SiteWarning, siteWarnings } from "../../site/index.js";
import { readNewCamera } from "./camera-input.js";
import { cameraObject } from "./camera-object.js";
import type { CameraNeeds } from "./camera-parts.js";
import { CAMERA, CAMERAS_BODY, NEW_CAMERA, OBJECT_RULES } from "./camera-schema.js";
import { addCameras, type PlacedCamera } from "./camera-tree.js";
import { CHANNEL_PATH_VALUES, channelIdOfPath, EXAMPLE, NO_CHANNEL } from "./channel-path.js";

/** Most cameras in the array of one request. */
export const CAMERAS_PER_REQUEST_MAX = 256;

export const GET_CHANNELS_ROUTE: Route<CameraNeeds> = {
  method: "GET",
  path: "/configure/channels",
  login: "administration",

  describe: {
    topic: "channel",
    summary: "Lists every camera",
    text: [
      "Camera objects have all members of the reference. `Password` is always null.",
      "",
      ...OBJECT_RULES,
    ],
    answer: { ...jsonAnswer(listOf(CAMERA), "The cameras."), revision: true },
    example: ['curl -fu "$AUTH" "$NVRD/configure/channels"'],
  },
  /** GET /configure/channels: every camera, as camera objects. */
  endpoint(context) {
    const site = context.needs.site.current;
    return answerConfiguration(
      site.cameras.map((camera) => cameraObject(camera, site)),
      site,
    );
  },
};

export const GET_CHANNEL_ROUTE: Route<CameraNeeds> = {
  method: "GET",
  path: "/configure/channels/{id}",
  login: "administration",

  describe: {
    topic: "channel",
    summary: "Returns one camera",
    pathValues: CHANNEL_PATH_VALUES,
    answer: { ...jsonAnswer(CAMERA, "The camera."), revision: true },
    errors: { 404: NO_CHANNEL },
    example: [`curl -fu "$AUTH" ${EXAMPLE}`],
  },
  /** GET /configure/channels/{id}: one camera. */
  endpoint(context) {
    const site = context.needs.site.current;
    return answerConfiguration(cameraObject(cameraOfPath(context, site), site), site);
  },
};

const POST: RouteDescription = {
  topic: "channel",
  summary: "Adds all cameras of the list, or none",
  text: [
    "Groups without a list of channels have access to a new camera, and groups with a list if they have the right `CanAccessNewCamera`. The maximum is 256 cameras, per request and in total.",
    "",
    "`Id` is given by the server, unless it is that of a [former camera](#get-apiarchiveformer): the new camera then has its recordings.",
  ],
  parameters: CHANGE_PARAMETERS,
  body: { required: true, schema: listOf(NEW_CAMERA, CAMERAS_PER_REQUEST_MAX) },
  answer: changedIds("CreatedObjectsIds"),
  errors: { 404: UNKNOWN_IDS, 409: OTHER_REVISION, 503: INDEX_IS_OPENING },
  example: [
    'SERVER=$(curl -fsS -u "$AUTH" "$NVRD/configex?responsetype=json" | member SenderId)',
    'GATE=$(curl -fsSu "$AUTH" -H \'Content-Type: application/json\' "$NVRD/configure/channels" --data \'[{',
    '  "Name": "Gate",',
    '  "ServerBindingsSettings": { "OwnerServerId": "\'$SERVER\'" },',
    '  "ConnectionSettings": {',
    '    "ModelId": "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01",',
    '    "Hostname": "rtsp://viewer:secret@192.0.2.1:554/main",',
    '    "StreamSettings": {',
    '      "AlternativeStreamSettings": { "VideoAdditionalParams": "rtsp://192.0.2.1:554/sub" }',
    "    }",
    "  }",
    "}]' | member CreatedObjectsIds)",
  ],
};

export const POST_CHANNELS_ROUTE: Route<CameraNeeds> = {
  method: "POST",
  path: "/configure/channels",
  login: "administration",

  describe: POST,
  /** POST /configure/channels: adds all cameras of the array, or none if one has a fault. Returns their new ids. */
  async endpoint(context) {
    const body = readCameraArray(context.request.body);
    let added: readonly PlacedCamera[] = [];
    let faults = new Faults();
    let doubts: readonly SiteWarning[] = [];
    const applied = await editConfiguration(context, (site) => {
      faults = new Faults();
      const known = { site, reach: context.needs.reach, isFormer: formerOnce(context.needs), faults };
      added = body.map((value, index) => readNewCamera(value, { path: `[${index}]`, ...known }));
      faults.throwIfAny();
      const changed = added.length === 0 ? site : addCameras(site, added);
      doubts = siteWarnings(changed).filter(({ ids }) => added.some(({ camera }) => ids.includes(camera.id)));
      return changed;
    });
    const answer = { CreatedObjectsIds: added.map(({ camera }) => camera.id) };
    const warnings = [
      ...bodyWarnings(context.request.body, CAMERAS_BODY),
      ...faults.warnings,
      ...doubts.map(({ what, names }) => `${what}: ${names.join(", ")}`),
    ];
    return answerConfiguration(withWarnings(answer, warnings), applied);
  },
};

/**
 * Whether an id is that of a former camera, the first time that it is asked for: two new cameras cannot both have it. Throws
 * NvrdError NOT_AVAILABLE as long as that is not known.
 */
function formerOnce({ archive }: CameraNeeds): (id: Guid) => boolean {
  const asked = new Set<Guid>();
  return (id) => {
    const isFirst = !asked.has(id);
    asked.add(id);
    if (isFirst && archive.hasChannel(id)) return true;
    requireIndex(archive);
    return false;
  };
}

/** The array of camera objects in a body. Throws NvrdError BAD_REQUEST if it is not an array, or too long. */
export function readCameraArray(bytes: Uint8Array): readonly unknown[] {
  const body = parseJsonBody(bytes);
  if (!Array.isArray(body))
    throw new NvrdError("BAD_REQUEST", "the body is not a JSON array of camera objects");
  if (body.length > CAMERAS_PER_REQUEST_MAX) {
    throw new NvrdError("BAD_REQUEST", `the body has more than ${CAMERAS_PER_REQUEST_MAX} cameras`);
  }
  return body;
}

function cameraOfPath(context: RequestContext<CameraNeeds>, site: Site): Camera {
  const id = channelIdOfPath(context);
  const camera = site.cameras.find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
  return camera;
}
