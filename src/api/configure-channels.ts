import { NvrdError, parseGuid } from "../base/index.js";
import type { SecurityObject, Site } from "../site/index.js";
import { answerJson } from "./answer.js";
import { Faults, parseJsonBody } from "./body-reader.js";
import { type NewCamera, readNewCamera } from "./camera-input.js";
import { cameraObject } from "./camera-object.js";
import { shown } from "./query.js";
import type { EndpointResult, RequestContext } from "./services.js";

/** Most cameras added by one request. */
export const CAMERAS_PER_REQUEST_MAX = 256;

/** GET /configure/channels: every camera, as camera objects. */
export function getChannels(context: RequestContext): EndpointResult {
  const site = context.services.site.current;
  return answerJson(site.cameras.map((camera) => cameraObject(camera, site)));
}

/** GET /configure/channels/{id}: one camera. */
export function getChannel(context: RequestContext): EndpointResult {
  const site = context.services.site.current;
  const text = context.pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = site.cameras.find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return answerJson(cameraObject(camera, site));
}

/** POST /configure/channels: adds all cameras of the array, or none when one has a fault. Answers their new ids. */
export async function postChannels(context: RequestContext): Promise<EndpointResult> {
  const { services, request, log, principal } = context;
  const body = parseJsonBody(request.body);
  if (!Array.isArray(body))
    throw new NvrdError("BAD_REQUEST", "the body is not a JSON array of camera objects");
  if (body.length > CAMERAS_PER_REQUEST_MAX) {
    throw new NvrdError("BAD_REQUEST", `the body has more than ${CAMERAS_PER_REQUEST_MAX} cameras`);
  }
  let added: readonly NewCamera[] = [];
  if (body.length > 0) {
    await services.site.change((site) => {
      added = readNewCameras(body, site);
      return addCameras(site, added);
    });
    log.info({ user: principal.user.name, cameras: added.map(({ camera }) => camera.id) }, "cameras added");
  }
  return answerJson({ CreatedObjectsIds: added.map(({ camera }) => camera.id) });
}

function readNewCameras(body: readonly unknown[], site: Site): readonly NewCamera[] {
  const faults = new Faults();
  const cameras = body.map((value, index) => readNewCamera(value, `[${index}]`, site, faults));
  faults.throwIfAny();
  return cameras.filter((camera) => camera !== undefined);
}

function addCameras(site: Site, added: readonly NewCamera[]): Site {
  const byParent = new Map<string, string[]>();
  for (const { camera, parentId } of added) {
    byParent.set(parentId, [...(byParent.get(parentId) ?? []), camera.id]);
  }
  return {
    ...site,
    cameras: [...site.cameras, ...added.map(({ camera }) => camera)],
    rootSecurityObject: putChannels(site.rootSecurityObject, byParent),
  };
}

function putChannels(node: SecurityObject, byParent: ReadonlyMap<string, readonly string[]>): SecurityObject {
  return {
    ...node,
    children: node.children.map((child) => putChannels(child, byParent)),
    channelIds: [...node.channelIds, ...(byParent.get(node.id) ?? [])],
  };
}
