import { PTZ_STOP_AFTER_MS_DEFAULT, PTZ_STOP_AFTER_MS_MAX } from "../../camera/index.js";
import {
  bothAnswer,
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  listOf,
  meaning,
  named,
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

const CAPABILITIES = named(
  "PtzCapabilities",
  objectOf({
    ChannelId: GUID,
    PanTilt: FLAG,
    Zoom: FLAG,
    ZoomStep: FLAG,
    MoveTo: FLAG,
    AutoFocus: FLAG,
    Presets: listOf(objectOf({ Index: WHOLE, Name: TEXT })),
  }),
);
const RESULT = named(
  "PtzResult",
  objectOf({
    ChannelId: GUID,
    Command: TEXT,
    StopTimeout: meaning("Null, and absent in XML, for what ends by itself.", orNull(WHOLE)),
  }),
);

/** POST is the same as GET; a body is ignored. */
export const PTZ_DESCRIPTION: RouteDescription = {
  topic: "channel",
  summary: "Moves a camera that is found by ONVIF and has PTZ",
  access: "The channel must be allowed live.",
  text: [
    "`IsPtzOn` in [`/configex`](#get-configex) says which cameras these are. The body of a POST is ignored.",
    "",
    "| `command` | parameters | what it does |",
    "|---|---|---|",
    "| `getcapabilities` | | answers what the camera can do, with its presets; all false where PTZ is off |",
    "| `startmove` | `panspeed`, `tiltspeed`, `stoptimeout` | turns, to the right and up |",
    "| `startzoom` | `speed`, `stoptimeout` | zooms in |",
    "| `stop` | | stops turning and zooming |",
    "| `zoom` | `zoomstep` | zooms in by a step |",
    "| `gotopreset` | `index` | goes to a preset |",
    "| `setautofocus` | | switches automatic focus on |",
    "| `moveto` | `width`, `height`, `x`, `y` | brings a point of the picture to the middle |",
    "",
    "**Speeds and steps** are percent of what the camera can do. Values beyond the range count as its ends. Negative values go left, down and out.",
    "",
    "**The recorder stops the camera** after `stoptimeout`, whether or not the client is still there. It also stops it when the client hangs up before the answer, when PTZ is switched off, and when the service ends. A client that wants to move on repeats the command before that. Of movements that wait for a slow camera only the newest is done. A `stop` is always done.",
    "",
    "**Who moves it.** A camera belongs to the user who moved it last, until 10 s after the end of the movement. A user whose group has the same or a higher `PtzPriority` takes it over at once, and what the other user began is stopped. A user with a lower one gets 409, with who has the camera and since when, and `Retry-After`. `PtzPriority` is `Lowest`, `Low`, `Middle` (`Medium`, `Normal`), `High` or `Highest`, which count 0 to 4, or a number. Any other word counts as `Low`.",
  ],
  parameters: [
    query("command", choice(PTZ_COMMANDS), "What the camera is to do.", { required: true }),
    query("channelid", GUID, "The channel.", { required: true }),
    query("panspeed", PERCENT, "`startmove`: the speed to the right; 0 when left out."),
    query("tiltspeed", PERCENT, "`startmove`: the speed upwards; 0 when left out."),
    query(
      "stoptimeout",
      STOP_TIMEOUT,
      `\`startmove\`, \`startzoom\`: milliseconds until the recorder stops the camera. 0 counts as ${PTZ_STOP_AFTER_MS_MAX}.`,
    ),
    query("zoomstep", PERCENT, "`zoom`: by how much, inwards."),
    query("speed", PERCENT, "`startzoom`: the speed, inwards."),
    query("index", WHOLE, "`gotopreset`: the camera's own number; counted from 1 where it numbers none."),
    query("width", PIXELS, "`moveto`: the width of the picture that is shown, in pixels."),
    query("height", PIXELS, "`moveto`: its height."),
    query("x", PIXELS, "`moveto`: the point, from the left edge of the picture."),
    query("y", PIXELS, "`moveto`: the point, from the upper edge."),
    RESPONSE_TYPE,
  ],
  answer: bothAnswer(
    { oneOf: [RESULT, CAPABILITIES] },
    "`PtzResult` with what was done; for `getcapabilities`, `PtzCapabilities`.",
  ),
  errors: {
    404: "There is no such channel or preset.",
    409: "Another user has the camera, or PTZ is switched off for it.",
    501: "The camera cannot do it.",
    503: "The camera does not answer, or refuses; the text says why.",
  },
  example: [
    'curl -u "$AUTH" "$NVR/ptz?command=getcapabilities&channelid=22222222-0000-4000-8000-000000000001&responsetype=json"',
    'curl -u "$AUTH" "$NVR/ptz?command=startmove&panspeed=50&tiltspeed=-20&stoptimeout=2000&channelid=22222222-0000-4000-8000-000000000001"',
    'curl -u "$AUTH" -X POST "$NVR/ptz?command=stop&channelid=22222222-0000-4000-8000-000000000001"',
  ],
};
