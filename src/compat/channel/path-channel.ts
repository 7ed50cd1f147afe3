import { NvrdError, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import type { RequestContext } from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { ChannelNeeds } from "./recording-states.js";

/** Description of `{id}` in a path, and of the error for an unknown channel. */
export const CHANNEL_PATH_VALUES = { id: "The channel's id." };
export const NO_CHANNEL = { 404: "There is no such channel." };

/** The path's channel. Throws NvrdError NOT_FOUND if this user sees no such channel. */
export function cameraOfPath({ needs, principal, pathValues }: RequestContext<ChannelNeeds>): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(needs.site.current, principal).find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return camera;
}
