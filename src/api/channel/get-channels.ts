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
import type { ChannelNeeds } from "./needs.js";

/*
 * The channels of /configex one by one, for programs that want no more of it. An object is what stands in its list
 * `Channels`.
 */

/** GET /api/channels: the channels the user may see, in the order of /configex. */
export function getApiChannels(context: RequestContext<ChannelNeeds>): EndpointResult {
  const cameras = visibleCameras(context.needs.site.current, context.principal);
  return answerJson(cameras.map((camera) => channelObject(context, camera)));
}

/** GET /api/channels/{id}: one of them. */
export function getApiChannel(context: RequestContext<ChannelNeeds>): EndpointResult {
  return answerJson(channelObject(context, cameraOfPath(context)));
}

/** GET /api/channels/{id}/status: `{"Status":"Ok", …}` while frames arrive. */
export function getApiChannelStatus(context: RequestContext<ChannelNeeds>): EndpointResult {
  return answerJson(channelStatus(context.needs, cameraOfPath(context)));
}

function channelObject({ needs, principal }: RequestContext<ChannelNeeds>, camera: Camera): unknown {
  const timeZoneOffsetHours = zoneOffsetHours(needs.clock.nowUs());
  const view = { site: needs.site.current, principal, timeZoneOffsetHours };
  return toJson({ root: "ChannelInfo", content: describeChannel(camera, view) });
}

/** The path's channel. Throws NvrdError NOT_FOUND when it names none that exists for this user. */
function cameraOfPath({ needs, principal, pathValues }: RequestContext<ChannelNeeds>): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(needs.site.current, principal).find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return camera;
}
