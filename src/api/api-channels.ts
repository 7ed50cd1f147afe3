import { type Guid, NvrdError, parseGuid, STREAM_TYPES } from "../base/index.js";
import type { StreamState } from "../live/index.js";
import type { Camera } from "../site/index.js";
import { answerJson } from "./answer.js";
import { describeChannel } from "./channel-description.js";
import { visibleCameras } from "./channel-selection.js";
import { toJson } from "./description.js";
import { shown } from "./query.js";
import { zoneOffsetHours } from "./server-zone.js";
import type { EndpointResult, RequestContext, Services } from "./services.js";

/*
 * The channels of /configex one by one (wire-compat.md, section 9), for programs that want no more of it. An object is
 * what stands in its list `Channels`.
 */

/** GET /api/channels: the channels the user may see, in the order of /configex. */
export function getApiChannels(context: RequestContext): EndpointResult {
  const cameras = visibleCameras(context.services.site.current, context.principal);
  return answerJson(cameras.map((camera) => channelObject(context, camera)));
}

/** GET /api/channels/{id}: one of them. */
export function getApiChannel(context: RequestContext): EndpointResult {
  return answerJson(channelObject(context, cameraOfPath(context)));
}

/** GET /api/channels/{id}/status: `{"Status":"Ok"}` while frames arrive. */
export function getApiChannelStatus(context: RequestContext): EndpointResult {
  return answerJson({ Status: channelStatus(context.services, cameraOfPath(context)) });
}

function channelObject({ services, principal }: RequestContext, camera: Camera): unknown {
  const timeZoneOffsetHours = zoneOffsetHours(services.clock.nowUs());
  const view = { site: services.site.current, principal, timeZoneOffsetHours };
  return toJson({ root: "ChannelInfo", content: describeChannel(camera, view) });
}

/** The path's channel. Throws NvrdError NOT_FOUND when it names none that exists for this user. */
function cameraOfPath({ services, principal, pathValues }: RequestContext): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(services.site.current, principal).find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return camera;
}

/** The worst first: what is wrong with one stream is wrong with the channel. A stream nobody asks for is idle. */
const STATUSES: readonly (readonly [StreamState["state"], string])[] = [
  ["lost", "Lost"],
  ["connecting", "Connecting"],
  ["active", "Ok"],
];

function channelStatus(services: Services, camera: Camera): string {
  if (camera.disabled) return "Disabled";
  const states = streamStates(services, camera.id);
  return STATUSES.find(([state]) => states.has(state))?.[1] ?? "Idle";
}

function streamStates(services: Services, channelId: Guid): ReadonlySet<StreamState["state"]> {
  const streams = STREAM_TYPES.map((type) => services.streams.stream(channelId, type));
  return new Set(streams.flatMap((stream) => (stream === undefined ? [] : [stream.state.state])));
}
