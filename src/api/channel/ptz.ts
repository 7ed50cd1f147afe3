import { NvrdError } from "../../base/index.js";
import {
  PTZ_AXES,
  PTZ_STOP_AFTER_MS_DEFAULT,
  PTZ_STOP_AFTER_MS_MAX,
  type PtzCapabilities,
  type PtzCommand,
} from "../../camera/index.js";
import { type Query, shown } from "../../http/index.js";
import {
  answerDocument,
  answerFormat,
  type Document,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
  requireChannelId,
} from "../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/** Speeds and steps are percent of what the camera can, -100 to 100; further ones count as these. */
export const PTZ_PERCENT_MAX = 100;
/** Shortest movement, in milliseconds. */
export const PTZ_STOP_AFTER_MS_MIN = 50;
/** Largest preset's number, and picture's side in pixels. */
const INDEX_MAX = 999_999;
const PIXELS_MAX = 65_535;

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
  ["setautofocus", () => ({ kind: "autofocus" })],
  ["moveto", centerCommand],
]);

export const PTZ_COMMANDS: readonly string[] = ["getcapabilities", ...COMMANDS.keys()];

/**
 * GET and POST /ptz: moves a camera. Needs the right CanPTZ (route table) and a channel the user may watch live. The
 * recorder stops what nobody stops.
 */
export async function ptz(context: RequestContext<ChannelNeeds>): Promise<EndpointResult> {
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
  const { id, name: userName } = principal.user;
  const user = { id, name: userName, priority: principal.group.ptzPriority };
  const gone = new AbortController();
  context.response.onClose(() => gone.abort());
  await needs.ptz.perform({ channelId: camera.id, command, user, signal: gone.signal });
  log.debug({ user: userName, channel: camera.id, command: name }, "camera moved");
  return answerDocument(doneDocument(camera.id, name, command), format);
}

function capabilitiesDocument(channelId: string, capabilities: PtzCapabilities): Document {
  const { panTilt, zoom, zoomStep, center, autofocus, presets } = capabilities;
  const content = object(
    element("ChannelId", channelId),
    element("PanTilt", panTilt),
    element("Zoom", zoom),
    element("ZoomStep", zoomStep),
    element("MoveTo", center),
    element("AutoFocus", autofocus),
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

/** `StopTimeout`: milliseconds after which the recorder stops it; null for what ends by itself. */
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
  // 0 and less: as long as it goes.
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

/** A decimal comma counts as a point. */
function number(query: Query, name: string): number {
  const text = query.require(name).trim();
  if (/^[-+]?\d{1,7}([.,]\d{1,6})?$/.test(text)) return Number(text.replace(",", "."));
  throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": use a number`);
}
