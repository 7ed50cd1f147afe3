import { NvrdError } from "../base/index.js";
import { getAllRegisteredEvents } from "./event-types.js";
import { findArchive } from "./find-archive.js";
import { getChannelsStates } from "./get-channels-states.js";
import { getTime } from "./get-time.js";
import { shown } from "./query.js";
import type { EndpointResult, RequestContext } from "./services.js";

/** Types that programs use and a later version brings. */
const LATER_TYPES = ["getprofiles"];

/** GET and POST /command: the parameter `type` says what is asked; a body is ignored (wire-compat.md, section 6). */
export function command(context: RequestContext): EndpointResult {
  const type = context.request.query.require("type").trim().toLowerCase();
  if (type === "findarchive") return findArchive(context);
  if (type === "gettime") return getTime(context);
  if (type === "getchannelsstates") return getChannelsStates(context);
  if (type === "getallregisteredevents") return getAllRegisteredEvents(context);
  if (LATER_TYPES.includes(type)) {
    throw new NvrdError("NOT_SUPPORTED", `command type ${type} comes with a later version`);
  }
  throw new NvrdError("BAD_REQUEST", `command type "${shown(type)}" is unknown: use findarchive or gettime`);
}
