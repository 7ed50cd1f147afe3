import { formatApiTime, NvrdError } from "../../base/index.js";
import { shown } from "../../http/index.js";
import { findArchive } from "../archive/index.js";
import { getChannelsStates, getProfiles } from "../channel/index.js";
import { getAllRegisteredEvents } from "../event/index.js";
import { answerCommand, type Endpoint, type EndpointResult, type RequestContext } from "../route/index.js";
import type { CommandNeeds } from "./needs.js";

/** Each type in lower case. */
const TYPES: ReadonlyMap<string, Endpoint<CommandNeeds>> = new Map([
  ["findarchive", findArchive],
  ["gettime", getTime],
  ["getprofiles", getProfiles],
  ["getchannelsstates", getChannelsStates],
  ["getallregisteredevents", getAllRegisteredEvents],
]);

const KNOWN_TYPES = [...TYPES.keys()].join(", ");

/** GET and POST /command: the parameter `type` says what is asked; a body is ignored. */
export function command(context: RequestContext<CommandNeeds>): EndpointResult | Promise<EndpointResult> {
  const type = context.request.query.getFilled("type");
  if (type === undefined)
    throw new NvrdError("BAD_REQUEST", `parameter "type" is missing: use one of ${KNOWN_TYPES}`);
  const endpoint = TYPES.get(type.trim().toLowerCase());
  if (endpoint !== undefined) return endpoint(context);
  throw new NvrdError("BAD_REQUEST", `command type "${shown(type)}" is unknown: use one of ${KNOWN_TYPES}`);
}

/** /command?type=gettime: the server's clock, UTC. */
function getTime(context: RequestContext<CommandNeeds>): EndpointResult {
  const nowUs = context.needs.clock.nowUs();
  const { query } = context.request;
  const request = { query, accept: context.request.header("accept") };
  return answerCommand({ root: "string", content: formatApiTime(nowUs) }, request, nowUs);
}
