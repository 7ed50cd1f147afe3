import { NvrdError, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import type { Camera } from "../../site/index.js";
import { type RequestContext, visibleCameras } from "../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/** What descriptions say of `{id}` in a path, and of one that names no channel. */
export const CHANNEL_PATH_VALUES = { id: "The channel's id." };
export const NO_CHANNEL = { 404: "There is no such channel." };

/** The path's channel. Throws NvrdError NOT_FOUND when it names none that exists for this user. */
export function cameraOfPath({ needs, principal, pathValues }: RequestContext<ChannelNeeds>): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(needs.site.current, principal).find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return camera;
}
