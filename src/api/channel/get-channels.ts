import { NvrdError, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import type { Camera } from "../../site/index.js";
import {
  answerJson,
  type EndpointResult,
  type RequestContext,
  toJson,
  visibleCameras,
  zoneOffsetHours,
} from "../route/index.js";
import { describeChannel } from "./channel-description.js";
import { channelStatus } from "./channel-status.js";

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

/** GET /api/channels/{id}/status: `{"Status":"Ok", …}` while frames arrive. */
export function getApiChannelStatus(context: RequestContext): EndpointResult {
  return answerJson(channelStatus(context.services, cameraOfPath(context)));
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
