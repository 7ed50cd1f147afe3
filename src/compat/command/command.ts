import { formatApiTime, NvrdError } from "../../base/index.js";
import { COMMAND_TYPES, type CommandType, commandQuery } from "../../contract/query/index.js";
import { type ApiRequest, shown } from "../../http/index.js";
import { INDEX_IS_OPENING } from "../../player/index.js";
import {
  answerCommand,
  describeQuery,
  type Endpoint,
  type EndpointResult,
  givenMember,
  header,
  type RequestContext,
  type Route,
  sentText,
  TEXT,
  when,
} from "../../route/index.js";
import { type ArchiveNeeds, findArchive } from "../archive/index.js";
import { type ChannelNeeds, getChannelsStates, getProfiles } from "../channel/index.js";
import {
  type EventNeeds,
  EXTERNAL_EVENT_RIGHT,
  generateExternalEvent,
  getAllRegisteredEvents,
} from "../event/index.js";
import { RUN_SCENARIO_RIGHT, runUserScenario, type ScenarioNeeds } from "../scenario/index.js";

/** The needs of the queries of /command; each is answered by its topic. */
export type CommandNeeds = ArchiveNeeds & ChannelNeeds & EventNeeds & ScenarioNeeds;

const TYPES: Readonly<Record<CommandType, Endpoint<CommandNeeds>>> = {
  findarchive: findArchive,
  gettime: getTime,
  getprofiles: getProfiles,
  getchannelsstates: getChannelsStates,
  getallregisteredevents: getAllRegisteredEvents,
  generateexternalevent: generateExternalEvent,
  runuserscenario: runUserScenario,
};
/** Those that change something. A type that is not known here may be known at a recorder of this hub. */
const CHANGES: readonly (CommandType | undefined)[] = ["generateexternalevent", "runuserscenario", undefined];

const KNOWN_TYPES = COMMAND_TYPES.join(", ");

const COMMAND = {
  path: "/command",
  login: "user",
  rights: [EXTERNAL_EVENT_RIGHT, RUN_SCENARIO_RIGHT],
  endpoint: command,
  describe: {
    topic: "system",
    summary:
      "Answers queries by type: recorded at a time, clock, views, states of channels, event types; adds events of external systems, runs scenarios",
    access: "`findarchive` needs the channel in the archive.",
    text: [
      "| `type` | answer |",
      "|---|---|",
      "| `findarchive` | `HasArchive`: whether the moment `searchtime` lies in a recorded fragment of the channel. `NearestFrameTimestamp`: the recorded key frame nearest to it, null when `HasArchive` is false |",
      "| `gettime` | The server's clock, UTC |",
      "| `getchannelsstates` | Of each channel that the user may see and that is switched on: `IsRecordingOn`, whether its frames go to the disk now (not while the camera is lost or the disk takes none); and of each of its streams the `Type` (`MainVideo`, `AlternativeVideo`, `SecondAlternativeVideo`, `ThirdAlternativeVideo`) and the `State`: `Active` while frames arrive, `NoConnection` when the camera does not answer, `Connecting` during the first attempt, `Idle` when nobody asks for it. Where one stream has no connection and none is active, all have none. JSON has one blank after each colon |",
      "| `getallregisteredevents` | The event types: `Id`, `GuiName`. In XML a list of `EventInfo` |",
      "| `generateexternalevent` | Adds the event `externalEvent`, what an external system (`systemname`) reports of a channel or of none: `information` is its `Comment`. Answers its `EventId` and `ChannelId` |",
      "| `runuserscenario` | Runs the scenario `scenarioid`, for `channelid` or for all its channels, as [`POST /api/scenarios/{id}/run`](#post-apiscenariosidrun) does: `ScenarioId`, `IsRunning` (it goes on after 5 s), `DoneActions`, `FailedActions` |",
      "| `getprofiles` | The views (`Id`, `Name`) that the user's group may use and that hold a camera the user may watch. Senior administrators may use all |",
      "",
      "Any other type is 400, and the answer lists the known types. The body of a POST is ignored.",
      "",
      "**The format** is `responsetype`, else the parameter `accept`, else the header `Accept`, else XML. When `accept` or `Accept` names `application/xml` or `application/json` (of two, the one with the greater weight), the body stands alone after a byte order mark. Otherwise, with `*/*` too, lines with time, error code, message and body length in bytes come before it, then an empty line.",
    ],
    parameters: [...describeQuery(commandQuery), header("Accept", TEXT, "As the parameter `accept`.")],
    together: [
      when(givenMember("type", { const: "findarchive" }), { required: ["channelid", "searchtime"] }),
      when(givenMember("type", { const: "generateexternalevent" }), { required: ["systemname"] }),
      when(givenMember("type", { const: "runuserscenario" }), { required: ["scenarioid"] }),
    ],
    answer: {
      text: "The answer, after a preamble or a byte order mark.",
      content: { "text/plain": TEXT, "application/xml": TEXT, "application/json": {} },
    },
    errors: {
      404: "There is no such channel, stream or scenario.",
      409: "The scenario must be confirmed, or is running.",
      429: "Too many events were added, or scenarios are running. `Retry-After` says how long to wait.",
      503: INDEX_IS_OPENING,
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/command?type=findarchive&channelid=$CHANNEL&searchtime=$FROM&accept=application/json"',
      'curl -fu "$AUTH" "$NVRD/command?type=gettime&responsetype=json"',
      'curl -fu "$AUTH" -X POST "$NVRD/command?type=getprofiles"',
      'curl -fu "$AUTH" "$NVRD/command?type=generateexternalevent&channelid=$CHANNEL&systemname=Till+4&information=Drawer+opened"',
      'curl -fu "$AUTH" "$NVRD/command?type=runuserscenario&scenarioid=$SCENARIO&confirmed=true&responsetype=json"',
      'curl -fu "$AUTH" -X DELETE "$NVRD/configure/userscenarios/$SCENARIO"',
    ],
  },
} as const;
/** POST is the same as GET; a body is ignored. */
export const COMMAND_ROUTES: readonly Route<CommandNeeds>[] = [
  { method: "GET", ...COMMAND, changes: (request) => CHANGES.includes(typeOf(request)) },
  { method: "POST", ...COMMAND },
];

/** GET and POST /command: the parameter `type` selects the query; a body is ignored. */
function command(context: RequestContext<CommandNeeds>): EndpointResult | Promise<EndpointResult> {
  const text = sentText(context.request.query, commandQuery, "type");
  if (text === undefined)
    throw new NvrdError("BAD_REQUEST", `parameter "type" is missing: use one of ${KNOWN_TYPES}`);
  const type = typeOf(context.request);
  if (type !== undefined) return TYPES[type](context);
  throw new NvrdError("BAD_REQUEST", `command type "${shown(text)}" is unknown: use one of ${KNOWN_TYPES}`);
}

function typeOf({ query }: ApiRequest): CommandType | undefined {
  const text = sentText(query, commandQuery, "type")?.trim().toLowerCase();
  return COMMAND_TYPES.find((type) => type === text);
}

/** /command?type=gettime: the server's clock, UTC. */
function getTime(context: RequestContext<CommandNeeds>): EndpointResult {
  const nowUs = context.needs.clock.nowUs();
  const { query } = context.request;
  const request = { query, accept: context.request.header("accept") };
  return answerCommand({ root: "string", content: formatApiTime(nowUs) }, request, nowUs);
}
