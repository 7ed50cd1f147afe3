import { NvrdError } from "../../base/index.js";
import { PTZ_AXES, type PtzCapabilities, type PtzCommand } from "../../camera/index.js";
import {
  PTZ_COMMANDS,
  PTZ_STOP_AFTER_MS,
  type PtzCommandName,
  ptzQuery,
} from "../../contract/query/index.js";
import { type ApiRequest, type Query, shown } from "../../http/index.js";
import {
  answerDocument,
  answerFormat,
  bothAnswer,
  type Document,
  describeQuery,
  type EndpointResult,
  element,
  FLAG,
  GUID,
  givenMember,
  type JsonSchema,
  list,
  listOf,
  meaning,
  named,
  object,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  readParameter,
  requireChannel,
  requireParameter,
  sentText,
  TEXT,
  WHOLE,
  when,
} from "../../route/index.js";
import type { ChannelNeeds } from "./recording-states.js";

/** Speeds and steps are percentages of the camera's maximum, -100 to 100; values beyond are limited to these. */
const PTZ_PERCENT_MAX = 100;
type ReadCommand = (query: Query) => PtzCommand;

const COMMANDS: Readonly<Record<PtzCommandName, ReadCommand | undefined>> = {
  getcapabilities: undefined,
  startmove: (query) => ({
    kind: "move",
    pan: share(readParameter(query, ptzQuery, "panspeed") ?? 0),
    tilt: share(readParameter(query, ptzQuery, "tiltspeed") ?? 0),
    forMs: stopAfterMs(query),
  }),
  stop: () => ({ kind: "stop", axes: PTZ_AXES }),
  zoom: (query) => ({ kind: "zoom-step", step: share(requireParameter(query, ptzQuery, "zoomstep")) }),
  startzoom: (query) => ({
    kind: "zoom",
    speed: share(requireParameter(query, ptzQuery, "speed")),
    forMs: stopAfterMs(query),
  }),
  gotopreset: (query) => ({ kind: "preset", index: requireParameter(query, ptzQuery, "index") }),
  savepreset: (query) => ({
    kind: "save-preset",
    index: readParameter(query, ptzQuery, "index"),
    name: requireParameter(query, ptzQuery, "name"),
  }),
  removepreset: (query) => ({ kind: "remove-preset", index: requireParameter(query, ptzQuery, "index") }),
  gotohome: () => ({ kind: "home" }),
  setautofocus: () => ({ kind: "autofocus" }),
  moveto: centerCommand,
};

/** They change the camera for everybody. */
const ADMINISTRATORS_COMMANDS: readonly PtzCommand["kind"][] = ["save-preset", "remove-preset"];

/** What a command needs besides the channel. */
const NEEDS_OF_COMMANDS: readonly JsonSchema[] = Object.entries(PTZ_COMMANDS)
  .filter(([, required]) => required.length > 0)
  .map(([command, required]) => when(givenMember("command", { const: command }), { required }));

const CAPABILITIES = named(
  "PtzCapabilities",
  objectOf({
    ChannelId: GUID,
    PanTilt: FLAG,
    Zoom: FLAG,
    ZoomStep: FLAG,
    MoveTo: FLAG,
    AutoFocus: FLAG,
    Home: FLAG,
    Presets: listOf(objectOf({ Index: WHOLE, Name: TEXT })),
  }),
);
const RESULT = named(
  "PtzResult",
  objectOf({
    ChannelId: GUID,
    Command: TEXT,
    StopTimeout: meaning("Null, and absent in XML, for commands that end by themselves.", orNull(WHOLE)),
  }),
);

const PTZ = {
  path: "/ptz",
  login: "user",
  rights: [{ right: "CanPTZ" }],
  endpoint: ptz,
  describe: {
    topic: "channel",
    summary: "Moves an ONVIF camera that has PTZ",
    access:
      "The channel must be allowed live. `savepreset` and `removepreset` are for senior administrators.",
    text: [
      "`IsPtzOn` in [`/configex`](#get-configex) shows which cameras these are. The body of a POST is ignored.",
      "",
      "| `command` | parameters | what it does |",
      "|---|---|---|",
      "| `getcapabilities` | | returns what the camera can do, with its presets; all false if PTZ is off |",
      "| `startmove` | `panspeed`, `tiltspeed`, `stoptimeout` | turns, to the right and up |",
      "| `startzoom` | `speed`, `stoptimeout` | zooms in |",
      "| `stop` | | stops turning and zooming |",
      "| `zoom` | `zoomstep` | zooms in by a step |",
      "| `gotopreset` | `index` | goes to a preset |",
      "| `savepreset` | `name`, `index` | saves the present position: as a new preset, or in place of the one with `index` |",
      "| `removepreset` | `index` | removes a preset |",
      "| `gotohome` | | goes to the camera's home position |",
      "| `setautofocus` | | switches automatic focus on |",
      "| `moveto` | `width`, `height`, `x`, `y` | centers a point of the picture |",
      "",
      "**Speeds and steps** are percentages of the camera's maximum. Values beyond the range are limited to it. Negative values go left, down and out.",
      "",
      "**The recorder stops the camera** after `stoptimeout`, whether or not the client is still there. It also stops it if the client disconnects before the answer, when PTZ is switched off, and when the service stops. To continue a movement, the client repeats the command before the timeout. If several movements wait for a slow camera, only the newest is executed. A `stop` is always executed.",
      "",
      "**Priority.** A camera is reserved for the user who moved it last, until 10 s after the end of the movement. A user whose group has the same or a higher `PtzPriority` takes it over at once, and the other user's movement is stopped. A user with a lower one gets 409, with the name of the other user, the duration of the reservation, and `Retry-After`. `PtzPriority` is `Lowest`, `Low`, `Middle` (`Medium`, `Normal`), `High` or `Highest`, which stand for 0 to 4, or a number. Any other text counts as `Low`.",
    ],
    parameters: describeQuery(ptzQuery),
    together: NEEDS_OF_COMMANDS,
    answer: bothAnswer(
      { oneOf: [RESULT, CAPABILITIES] },
      "`PtzResult` with what was done; for `getcapabilities`, `PtzCapabilities`.",
    ),
    errors: {
      404: "There is no such channel or preset.",
      409: "Another user controls the camera, or PTZ is switched off for it.",
      501: "The camera cannot do it.",
      503: "The camera does not answer, or refuses; the text says why.",
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/ptz?command=getcapabilities&channelid=$CHANNEL&responsetype=json"',
      "# Where the camera cannot be turned: 409.",
      'curl -fu "$AUTH" "$NVRD/ptz?command=startmove&panspeed=50&tiltspeed=-20&stoptimeout=2000&channelid=$CHANNEL"',
      "# Where the camera cannot be turned: 409.",
      'curl -fu "$AUTH" -X POST "$NVRD/ptz?command=stop&channelid=$CHANNEL"',
    ],
  },
} as const;
/** POST is the same as GET; a body is ignored. */
export const PTZ_ROUTES: readonly Route<ChannelNeeds>[] = [
  { method: "GET", ...PTZ, changes: moves },
  { method: "POST", ...PTZ },
];

function moves({ query }: ApiRequest): boolean {
  return sentText(query, ptzQuery, "command")?.trim().toLowerCase() !== "getcapabilities";
}

/**
 * GET and POST /ptz: moves a camera. Needs the right CanPTZ and a channel the user may watch live. The recorder stops movements
 * that the client does not stop.
 */
async function ptz(context: RequestContext<ChannelNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const { query } = request;
  const format = answerFormat(query);
  const name = nameOf(query);
  const read = COMMANDS[name];
  const channelId = readParameter(query, ptzQuery, "channelid");
  const camera = requireChannel(channelId, needs.site.current, principal);
  if (!principal.mayWatchRealtime(camera.id))
    throw new NvrdError("FORBIDDEN", `you may not watch channel ${camera.name} in real time`);
  if (read === undefined) {
    const capabilities = await needs.ptz.capabilities(camera.id);
    return answerDocument(capabilitiesDocument(camera.id, capabilities), format);
  }
  const command = read(query);
  if (ADMINISTRATORS_COMMANDS.includes(command.kind) && !principal.group.seniorAdministrators)
    throw new NvrdError("FORBIDDEN", "positions are saved and removed by administrators");
  const { id, name: userName } = principal.user;
  const user = { id, name: userName, priority: principal.group.ptzPriority };
  const gone = new AbortController();
  context.response.onClose(() => gone.abort());
  await needs.ptz.perform({ channelId: camera.id, command, user, signal: gone.signal });
  const fields = { user: userName, channel: camera.id, command: name };
  if (ADMINISTRATORS_COMMANDS.includes(command.kind)) log.info(fields, "a position of a camera was changed");
  else log.debug(fields, "camera moved");
  return answerDocument(doneDocument(camera.id, name, command), format);
}

function capabilitiesDocument(channelId: string, capabilities: PtzCapabilities): Document {
  const { panTilt, zoom, zoomStep, center, autofocus, home, presets } = capabilities;
  const content = object(
    element("ChannelId", channelId),
    element("PanTilt", panTilt),
    element("Zoom", zoom),
    element("ZoomStep", zoomStep),
    element("MoveTo", center),
    element("AutoFocus", autofocus),
    element("Home", home),
    element(
      "Presets",
      list(
        "Preset",
        presets.map(({ index, name }) => object(element("Index", index), element("Name", name))),
      ),
    ),
  );
  return { root: "PtzCapabilities", content };
}

/** `StopTimeout`: milliseconds after which the recorder stops it; null for commands that end by themselves. */
function doneDocument(channelId: string, name: string, command: PtzCommand): Document {
  const forMs = command.kind === "move" || command.kind === "zoom" ? command.forMs : null;
  return {
    root: "PtzResult",
    content: object(element("ChannelId", channelId), element("Command", name), element("StopTimeout", forMs)),
  };
}

/** Throws NvrdError BAD_REQUEST for a command that is unknown. */
function nameOf(query: Query): PtzCommandName {
  const text = query.require("command");
  const known = Object.keys(PTZ_COMMANDS) as PtzCommandName[];
  const name = known.find((command) => command === text.trim().toLowerCase());
  if (name !== undefined) return name;
  throw new NvrdError(
    "BAD_REQUEST",
    `ptz command "${shown(text)}" is unknown: use one of ${known.join(", ")}`,
  );
}

/** A point of a picture of `width` by `height` pixels, counted from its upper left corner. */
function centerCommand(query: Query): PtzCommand {
  const [width, height] = [
    requireParameter(query, ptzQuery, "width"),
    requireParameter(query, ptzQuery, "height"),
  ];
  const part = (name: "x" | "y", side: number): number => {
    const at = requireParameter(query, ptzQuery, name);
    if (at > side) throw new NvrdError("BAD_REQUEST", `parameter "${name}" is ${at}: use 0 to ${side}`);
    return (2 * at) / side - 1;
  };
  return { kind: "center", x: part("x", width), y: 0 - part("y", height) };
}

function stopAfterMs(query: Query): number {
  const { min, max } = PTZ_STOP_AFTER_MS;
  const asked = readParameter(query, ptzQuery, "stoptimeout");
  // 0 or less: the maximum.
  return asked <= 0 ? max : Math.min(Math.max(Math.round(asked), min), max);
}

function share(percent: number): number {
  return Math.min(Math.max(percent, -PTZ_PERCENT_MAX), PTZ_PERCENT_MAX) / PTZ_PERCENT_MAX;
}
