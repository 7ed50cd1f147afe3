import { type Guid, NvrdError } from "../../base/index.js";
import type { Site } from "../../site/index.js";
import {
  answerConfiguration,
  type EndpointResult,
  editConfiguration,
  Faults,
  parseJsonBody,
  type RequestContext,
} from "../route/index.js";
import { readChangedCamera } from "./camera-input.js";
import { changeCameras, type PlacedCamera } from "./camera-tree.js";
import { channelIdOfPath, readCameraArray } from "./configure-channels.js";
import type { CameraNeeds } from "./needs.js";

/**
 * PUT /configure/channels: changes the cameras of the array, in the members given, or none when one has a fault.
 * Answers the ids of the array. What says nothing new raises no revision and disturbs no camera.
 */
export async function putChannels(context: RequestContext<CameraNeeds>): Promise<EndpointResult> {
  const body = readCameraArray(context.request.body);
  return await change(context, (site, faults) => readAll(body, site, faults));
}

/** PUT /configure/channels/{id}: the same for one camera object, which need not repeat the id. */
export async function putChannel(context: RequestContext<CameraNeeds>): Promise<EndpointResult> {
  const id = channelIdOfPath(context);
  const body = parseJsonBody(context.request.body);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new NvrdError("BAD_REQUEST", "the body is not a JSON object: one camera");
  }
  return await change(context, (site, faults) => {
    if (!site.cameras.some((camera) => camera.id === id)) {
      throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
    }
    const camera = readChangedCamera(body, { path: "", site, faults }, id);
    return camera === undefined ? [] : [camera];
  });
}

async function change(
  context: RequestContext<CameraNeeds>,
  read: (site: Site, faults: Faults) => readonly PlacedCamera[],
): Promise<EndpointResult> {
  let ids: readonly Guid[] = [];
  const applied = await editConfiguration(context, (site) => {
    const faults = new Faults();
    const changed = read(site, faults);
    faults.throwIfAny();
    ids = changed.map(({ camera }) => camera.id);
    return changeCameras(site, changed);
  });
  return answerConfiguration({ ModifiedObjectsIds: ids }, applied);
}

function readAll(body: readonly unknown[], site: Site, faults: Faults): readonly PlacedCamera[] {
  const first = new Map<Guid, number>();
  return body.flatMap((value, index) => {
    const path = `[${index}]`;
    const placed = readChangedCamera(value, { path, site, faults });
    if (placed === undefined) return [];
    const { id } = placed.camera;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else faults.add(`${path}.Id`, `stands in [${earlier}] already`);
    return [placed];
  });
}
