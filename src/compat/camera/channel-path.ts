import { type Guid, NvrdError, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import type { RequestContext } from "../../route/index.js";
import type { CameraNeeds } from "./camera-parts.js";

/* Shared parts of the routes for one camera. */

export const CHANNEL_PATH_VALUES = { id: "The channel's id." };
export const NO_CHANNEL = "There is no such channel.";
/** A camera in the examples, for a shell. */
export const EXAMPLE = '"$NVRD/configure/channels/$GATE"';

/** The id in the request's path. Throws NvrdError NOT_FOUND if it is not a valid id. */
export function channelIdOfPath(context: RequestContext<CameraNeeds>): Guid {
  const text = context.pathValues.get("id") ?? "";
  const id = parseGuid(text);
  if (id === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return id;
}
