import { PTZ_STOP_AFTER_MS_DEFAULT, PTZ_STOP_AFTER_MS_MAX } from "../../camera/index.js";
import {
  bothAnswer,
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  listOf,
  objectOf,
  orNull,
  query,
  RESPONSE_TYPE,
  type RouteDescription,
  TEXT,
  WHOLE,
} from "../route/index.js";
import { PTZ_COMMANDS, PTZ_PERCENT_MAX, PTZ_STOP_AFTER_MS_MIN } from "./ptz.js";

const PERCENT: JsonSchema = { type: "number", minimum: -PTZ_PERCENT_MAX, maximum: PTZ_PERCENT_MAX };
const STOP_TIMEOUT: JsonSchema = {
  type: "integer",
  minimum: PTZ_STOP_AFTER_MS_MIN,
  maximum: PTZ_STOP_AFTER_MS_MAX,
  default: PTZ_STOP_AFTER_MS_DEFAULT,
};
const PIXELS: JsonSchema = { type: "number", minimum: 0 };

const CAPABILITIES = objectOf({
  ChannelId: GUID,
  PanTilt: FLAG,
  Zoom: FLAG,
  ZoomStep: FLAG,
  MoveTo: FLAG,
  AutoFocus: FLAG,
  Presets: listOf(objectOf({ Index: WHOLE, Name: TEXT })),
});
const RESULT = objectOf({ ChannelId: GUID, Command: TEXT, StopTimeout: orNull(WHOLE) });

/** POST is the same as GET; a body is ignored. */
export const PTZ_DESCRIPTION: RouteDescription = {
  summary: "Moves a camera",
  text: "What nobody stops is stopped by the recorder.",
  parameters: [
    query("command", choice(PTZ_COMMANDS), "What it is to do.", { required: true }),
    query("channelid", GUID, "The channel.", { required: true }),
    query("panspeed", PERCENT, "startmove: percent of the camera's speed, to the right."),
    query("tiltspeed", PERCENT, "startmove: percent of the camera's speed, upwards."),
    query("stoptimeout", STOP_TIMEOUT, "startmove, startzoom: milliseconds until it is stopped."),
    query("zoomstep", PERCENT, "zoom: by how much, inwards."),
    query("speed", PERCENT, "startzoom: percent of the camera's speed, inwards."),
    query("index", WHOLE, "gotopreset: which preset."),
    query("width", PIXELS, "moveto: width of the picture that x counts in."),
    query("height", PIXELS, "moveto: height of the picture that y counts in."),
    query("x", PIXELS, "moveto: the point that comes to the middle, from the left."),
    query("y", PIXELS, "moveto: the point that comes to the middle, from the top."),
    RESPONSE_TYPE,
  ],
  answer: bothAnswer(
    { oneOf: [RESULT, CAPABILITIES] },
    "What was done; for getcapabilities, what the camera can do.",
  ),
  errors: [404, 409, 501, 503],
};
