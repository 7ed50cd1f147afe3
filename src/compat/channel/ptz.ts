import { NvrdError } from "../../base/index.js";
import {
  PTZ_AXES,
  PTZ_STOP_AFTER_MS_DEFAULT,
  PTZ_STOP_AFTER_MS_MAX,
  type PtzCapabilities,
  type PtzCommand,
} from "../../camera/index.js";
import { type ApiRequest, type Query, shown } from "../../http/index.js";
import {
  answerDocument,
  answerFormat,
  bothAnswer,
  choice,
  type Document,
  type EndpointResult,
  element,
  FLAG,
  GUID,
  givenMember,
  type JsonSchema,
  lineUpTo,
  list,
  listOf,
  meaning,
  named,
  object,
  objectOf,
  orNull,
  query,
  RESPONSE_TYPE,
  type RequestContext,
  type Route,
  range,
  readDecimal,
  requireChannelId,
  TEXT,
  WHOLE,
  when,
} from "../../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/** Speeds and steps are percentages of the camera's maximum, -100 to 100; values beyond are limited to these. */
const PTZ_PERCENT_MAX = 100;
/** Shortest movement, in milliseconds. */
const PTZ_STOP_AFTER_MS_MIN = 50;
/** Largest preset's number, and picture's side in pixels. */
const INDEX_MAX = 999_999;
const PIXELS_MAX = 65_535;
/** Of a preset; ONVIF cameras take at most this. */
const PRESET_NAME_LENGTH_MAX = 64;

type ReadCommand = (query: Query) => PtzCommand;

/** Each command in lower case. */
const COMMANDS: ReadonlyMap<string, ReadCommand> = new Map<string, ReadCommand>([
  [
    "startmove",
    (query) => ({
      kind: "move",
      pan: percent(query, "panspeed", 0),
      tilt: percent(query, "tiltspeed", 0),
      forMs: stopAfterMs(query),
    }),
  ],
  ["stop", () => ({ kind: "stop", axes: PTZ_AXES })],
  ["zoom", (query) => ({ kind: "zoom-step", step: percent(query, "zoomstep") })],
  ["startzoom", (query) => ({ kind: "zoom", speed: percent(query, "speed"), forMs: stopAfterMs(query) })],
  ["gotopreset", (query) => ({ kind: "preset", index: whole(query, "index", INDEX_MAX) })],
  [
    "savepreset",
    (query) => ({
      kind: "save-preset",
      index: optionalWhole(query, "index", INDEX_MAX),
      name: presetName(query),
    }),
  ],
  ["removepreset", (query) => ({ kind: "remove-preset", index: whole(query, "index", INDEX_MAX) })],
  ["gotohome", () => ({ kind: "home" })],
  ["setautofocus", () => ({ kind: "autofocus" })],
  ["moveto", centerCommand],
]);

/** They change the camera for everybody. */
const ADMINISTRATORS_COMMANDS: readonly PtzCommand["kind"][] = ["save-preset", "remove-preset"];

const PTZ_COMMANDS: readonly string[] = ["getcapabilities", ...COMMANDS.keys()];

const PERCENT: JsonSchema = { type: "number" };
const STOP_TIMEOUT: JsonSchema = { type: "number", default: PTZ_STOP_AFTER_MS_DEFAULT };
/** What a command needs besides the channel. */
const NEEDS_OF_COMMANDS: readonly JsonSchema[] = [
  needsOf("zoom", ["zoomstep"]),
  needsOf("startzoom", ["speed"]),
  needsOf("gotopreset", ["index"]),
  needsOf("savepreset", ["name"]),
  needsOf("removepreset", ["index"]),
  needsOf("moveto", ["width", "height", "x", "y"]),
];

function needsOf(command: (typeof PTZ_COMMANDS)[number], required: readonly string[]): JsonSchema {
  return when(givenMember("command", { const: command }), { required });
}
const SIDE: JsonSchema = range(1, PIXELS_MAX);
const POINT: JsonSchema = range(0, PIXELS_MAX);

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
    parameters: [
      query("command", choice(PTZ_COMMANDS), "The command.", { required: true }),
      query("channelid", GUID, "The channel.", { required: true }),
      query(
        "panspeed",
        PERCENT,
        "`startmove`: the speed to the right, -100 to 100; beyond them as the nearest. 0 when left out.",
      ),
      query("tiltspeed", PERCENT, "`startmove`: the speed upwards, as `panspeed`."),
      query(
        "stoptimeout",
        STOP_TIMEOUT,
        `\`startmove\`, \`startzoom\`: milliseconds until the recorder stops the camera, ${PTZ_STOP_AFTER_MS_MIN} to ${PTZ_STOP_AFTER_MS_MAX}; beyond them as the nearest, 0 and less as ${PTZ_STOP_AFTER_MS_MAX}.`,
      ),
      query("zoomstep", PERCENT, "`zoom`: the step, -100 to 100; positive zooms in."),
      query("speed", PERCENT, "`startzoom`: the speed, -100 to 100; positive zooms in."),
      query(
        "index",
        range(0, INDEX_MAX, "integer"),
        "`gotopreset`, `savepreset`, `removepreset`: the camera's own number; counted from 1 if it has no numbers.",
      ),
      query("name", lineUpTo(PRESET_NAME_LENGTH_MAX), "`savepreset`: what the position is called."),
      query("width", SIDE, "`moveto`: the width of the picture that is shown, in pixels."),
      query("height", SIDE, "`moveto`: its height."),
      query("x", POINT, "`moveto`: the point, from the left edge of the picture; at most `width`."),
      query("y", POINT, "`moveto`: the point, from the upper edge; at most `height`."),
      RESPONSE_TYPE,
    ],
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
  return query.getFilled("command")?.trim().toLowerCase() !== "getcapabilities";
}

/**
 * GET and POST /ptz: moves a camera. Needs the right CanPTZ and a channel the user may watch live. The recorder stops movements
 * that the client does not stop.
 */
async function ptz(context: RequestContext<ChannelNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const { query } = request;
  const format = answerFormat(query);
  const name = query.require("command").trim().toLowerCase();
  const read = COMMANDS.get(name);
  if (read === undefined && name !== "getcapabilities") {
    const known = PTZ_COMMANDS.join(", ");
    throw new NvrdError("BAD_REQUEST", `ptz command "${shown(name)}" is unknown: use one of ${known}`);
  }
  const camera = requireChannelId(query, needs.site.current, principal);
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
  const told = { user: userName, channel: camera.id, command: name };
  if (ADMINISTRATORS_COMMANDS.includes(command.kind)) log.info(told, "a position of a camera was changed");
  else log.debug(told, "camera moved");
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

/** A point of a picture of `width` by `height` pixels, counted from its upper left corner. */
function centerCommand(query: Query): PtzCommand {
  const [width, height] = [number(query, "width"), number(query, "height")];
  for (const [name, side] of [
    ["width", width],
    ["height", height],
  ] as const) {
    if (side <= 0 || side > PIXELS_MAX)
      throw new NvrdError("BAD_REQUEST", `parameter "${name}" is ${side}: use 1 to ${PIXELS_MAX}`);
  }
  const part = (name: string, side: number): number => {
    const at = number(query, name);
    if (at < 0 || at > side)
      throw new NvrdError("BAD_REQUEST", `parameter "${name}" is ${at}: use 0 to ${side}`);
    return (2 * at) / side - 1;
  };
  return { kind: "center", x: part("x", width), y: 0 - part("y", height) };
}

function stopAfterMs(query: Query): number {
  if (query.getFilled("stoptimeout") === undefined) return PTZ_STOP_AFTER_MS_DEFAULT;
  const asked = number(query, "stoptimeout");
  // 0 or less: the maximum.
  if (asked <= 0) return PTZ_STOP_AFTER_MS_MAX;
  return Math.min(Math.max(Math.round(asked), PTZ_STOP_AFTER_MS_MIN), PTZ_STOP_AFTER_MS_MAX);
}

function percent(query: Query, name: string, fallback?: number): number {
  if (fallback !== undefined && query.getFilled(name) === undefined) return fallback;
  const value = number(query, name);
  return Math.min(Math.max(value, -PTZ_PERCENT_MAX), PTZ_PERCENT_MAX) / PTZ_PERCENT_MAX;
}

function whole(query: Query, name: string, max: number): number {
  const text = query.require(name).trim();
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return value;
  throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": use a whole number from 0 up`);
}

function optionalWhole(query: Query, name: string, max: number): number | undefined {
  return query.getFilled(name) === undefined ? undefined : whole(query, name, max);
}

function presetName(query: Query): string {
  const name = query.require("name").trim();
  if (name !== "" && name.length <= PRESET_NAME_LENGTH_MAX && !/\p{Cc}/u.test(name)) return name;
  throw new NvrdError(
    "BAD_REQUEST",
    `parameter "name" is no name: use 1 to ${PRESET_NAME_LENGTH_MAX} characters`,
  );
}

function number(query: Query, name: string): number {
  const text = query.require(name);
  const value = readDecimal(text);
  if (!Number.isNaN(value)) return value;
  throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": use a number`);
}
