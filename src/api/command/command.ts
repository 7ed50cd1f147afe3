import { formatApiTime, NvrdError, STREAM_TYPES } from "../../base/index.js";
import { shown } from "../../http/index.js";
import { findArchive } from "../archive/index.js";
import { getChannelsStates, getProfiles } from "../channel/index.js";
import { getAllRegisteredEvents } from "../event/index.js";
import {
  answerCommand,
  choice,
  type Endpoint,
  type EndpointResult,
  GUID,
  header,
  INDEX_IS_OPENING,
  query,
  RESPONSE_TYPE,
  type RequestContext,
  type Route,
  type RouteDescription,
  TEXT,
  timeParameter,
} from "../route/index.js";
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

const DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Answers queries by type: recorded at a time, clock, views, states of channels, event types",
  access: "`findarchive` needs the channel in the archive.",
  text: [
    "| `type` | answer |",
    "|---|---|",
    "| `findarchive` | `HasArchive`: whether the moment `searchtime` lies in a recorded fragment of the channel. `NearestFrameTimestamp`: the recorded key frame nearest to it, null when `HasArchive` is false |",
    "| `gettime` | The server's clock, UTC |",
    "| `getchannelsstates` | Of each channel that the user may see and that is switched on: `IsRecordingOn`, whether its frames are written to the disk now (not while the camera is lost or the disk cannot be written); and the state of each of its streams: `Active` while frames arrive, `Connecting`, `Lost`, or `Idle` if it is not requested |",
    "| `getallregisteredevents` | The event types: `Id`, `GuiName` |",
    "| `getprofiles` | The views (`Id`, `Name`) that the user's group may use and that hold a camera the user may watch. Senior administrators may use all |",
    "",
    "Any other type is 400, and the answer lists the known types. The body of a POST is ignored.",
    "",
    "**The format** is `responsetype`, else the parameter `accept`, else the header `Accept`, else XML. When `accept` or `Accept` names `application/xml` or `application/json` (of two, the one with the greater weight), the body stands alone after a byte order mark. Otherwise, with `*/*` too, lines with time, error code, message and body length in bytes come before it, then an empty line.",
  ],
  parameters: [
    query("type", choice([...TYPES.keys()]), "The type of the query.", { required: true }),
    query("channelid", GUID, "`findarchive`: the channel. Required there."),
    timeParameter("searchtime", "`findarchive`: the moment. Required there."),
    query(
      "streamtype",
      choice(STREAM_TYPES),
      "`findarchive`: the stream. When left out: the one that is recorded now.",
    ),
    RESPONSE_TYPE,
    query("accept", choice(["application/xml", "application/json"]), "The format, and no lines before it."),
    header("Accept", TEXT, "As the parameter `accept`."),
  ],
  answer: {
    text: "The answer, after a preamble or a byte order mark.",
    content: { "text/plain": TEXT, "application/xml": TEXT, "application/json": {} },
  },
  errors: { 404: "There is no such channel or stream.", 503: INDEX_IS_OPENING },
  example: [
    'curl -u "$AUTH" "$NVR/command?type=findarchive&channelid=22222222-0000-4000-8000-000000000001&searchtime=21.11.2026+09:00:00&accept=application/json"',
    'curl -u "$AUTH" "$NVR/command?type=gettime&responsetype=json"',
    'curl -u "$AUTH" -X POST "$NVR/command?type=getprofiles"',
  ],
};

const COMMAND = { path: "/command", login: "user", endpoint: command, describe: DESCRIPTION } as const;
/** POST is the same as GET; a body is ignored. */
export const COMMAND_ROUTES: readonly Route<CommandNeeds>[] = [
  { method: "GET", ...COMMAND },
  { method: "POST", ...COMMAND },
];

/** GET and POST /command: the parameter `type` selects the query; a body is ignored. */
function command(context: RequestContext<CommandNeeds>): EndpointResult | Promise<EndpointResult> {
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
