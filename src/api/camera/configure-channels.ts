import { type Guid, NvrdError, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import type { Camera, Site } from "../../site/index.js";
import {
  answerConfiguration,
  type EndpointResult,
  editConfiguration,
  Faults,
  parseJsonBody,
  type RequestContext,
} from "../route/index.js";
import { readNewCamera } from "./camera-input.js";
import { cameraObject } from "./camera-object.js";
import { addCameras, type PlacedCamera } from "./camera-tree.js";
import type { CameraNeeds } from "./needs.js";

/** Most cameras in the array of one request. */
export const CAMERAS_PER_REQUEST_MAX = 256;

/** GET /configure/channels: every camera, as camera objects. */
export function getChannels(context: RequestContext<CameraNeeds>): EndpointResult {
  const site = context.needs.site.current;
  return answerConfiguration(
    site.cameras.map((camera) => cameraObject(camera, site)),
    site,
  );
}

/** GET /configure/channels/{id}: one camera. */
export function getChannel(context: RequestContext<CameraNeeds>): EndpointResult {
  const site = context.needs.site.current;
  return answerConfiguration(cameraObject(cameraOfPath(context, site), site), site);
}

/** POST /configure/channels: adds all cameras of the array, or none when one has a fault. Answers their new ids. */
export async function postChannels(context: RequestContext<CameraNeeds>): Promise<EndpointResult> {
  const body = readCameraArray(context.request.body);
  let added: readonly PlacedCamera[] = [];
  const applied = await editConfiguration(context, (site) => {
    const faults = new Faults();
    added = body.map((value, index) => readNewCamera(value, { path: `[${index}]`, site, faults }));
    faults.throwIfAny();
    return added.length === 0 ? site : addCameras(site, added);
  });
  return answerConfiguration({ CreatedObjectsIds: added.map(({ camera }) => camera.id) }, applied);
}

/** The array of camera objects in a body. Throws NvrdError BAD_REQUEST when it is none, or too long. */
export function readCameraArray(bytes: Uint8Array): readonly unknown[] {
  const body = parseJsonBody(bytes);
  if (!Array.isArray(body))
    throw new NvrdError("BAD_REQUEST", "the body is not a JSON array of camera objects");
  if (body.length > CAMERAS_PER_REQUEST_MAX) {
    throw new NvrdError("BAD_REQUEST", `the body has more than ${CAMERAS_PER_REQUEST_MAX} cameras`);
  }
  return body;
}

/** The id in the request's path. Throws NvrdError NOT_FOUND when it is none. */
export function channelIdOfPath(context: RequestContext<CameraNeeds>): Guid {
  const text = context.pathValues.get("id") ?? "";
  const id = parseGuid(text);
  if (id === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return id;
}

function cameraOfPath(context: RequestContext<CameraNeeds>, site: Site): Camera {
  const id = channelIdOfPath(context);
  const camera = site.cameras.find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
  return camera;
}
