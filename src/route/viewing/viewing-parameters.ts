import { choice, GUID, givenMember, type JsonSchema, range, TEXT, when } from "../body/json-schema.js";
import { TIME } from "../body/time-schemas.js";
import { type ParameterDescription, query } from "../endpoint/route-description.js";

/** Parameters shared by routes of live and recorded streams, with their descriptions. */

export const RESPONSE_TYPE: ParameterDescription = query(
  "responsetype",
  { ...choice(["xml", "json"]), default: "xml" },
  "The format of the answer.",
);

/** A parameter with a time in any accepted format. */
export function timeParameter(
  name: string,
  text: string,
  options: { readonly required?: true } = {},
): ParameterDescription {
  return query(name, TIME, text, options);
}

/** Of the parameters of `CHANNEL_SELECTION` exactly one. */
export const ONE_CHANNEL: JsonSchema = {
  oneOf: [{ required: ["channelid"] }, { required: ["channel"] }, { required: ["channelnum"] }],
};
/** A recording has a start; what is live has none. */
const OF_ARCHIVE = givenMember("mode", { const: "archive" });
export const START_OF_RECORDING: JsonSchema = when(
  OF_ARCHIVE,
  { required: ["starttime"] },
  { not: { required: ["starttime"] } },
);
/** Live there is one speed. */
const SPEED_OF_RECORDING: JsonSchema = when(OF_ARCHIVE, {}, { properties: { speed: { const: 1 } } });

/** What the parameters of `STREAM_PARAMETERS` must be together. */
export const STREAM_RULES: readonly JsonSchema[] = [ONE_CHANNEL, START_OF_RECORDING, SPEED_OF_RECORDING];

export const CHANNEL_SELECTION: readonly ParameterDescription[] = [
  query("channelid", GUID, "The channel's id. Give exactly one of `channelid`, `channel` and `channelnum`."),
  query(
    "channel",
    { ...TEXT, minLength: 1 },
    "The channel's name; in any case, where only one channel has it.",
  ),
  query(
    "channelnum",
    range(0, 999_999, "integer"),
    "The channel's number, counted from 0 over the channels the user may see.",
  ),
];

/** The accepted names of a stream's type. */
export const STREAM_TYPE_SCHEMA = choice([
  "Main",
  "Alternative",
  "SecondAlternative",
  "ThirdAlternative",
  "MainVideo",
  "AlternativeVideo",
]);

export const MODE: ParameterDescription = query(
  "mode",
  { ...choice(["realtime", "archive"]), default: "realtime" },
  "Live or recorded.",
);

/** The parameters shared by /video, /mobile and /hls. */
export const STREAM_PARAMETERS: readonly ParameterDescription[] = [
  ...CHANNEL_SELECTION,
  query(
    "streamtype",
    STREAM_TYPE_SCHEMA,
    "The stream. When left out: `Main`; with `mode=archive` all that is recorded of the channel, each moment from the stream that has it.",
  ),
  MODE,
  timeParameter(
    "starttime",
    "Where the recording begins. If nothing is recorded then (in a gap, before the beginning or in the future), it begins with what is recorded nearest to it. Required with `mode=archive`, refused without.",
  ),
  query("speed", { ...range(0.1, 20), default: 1 }, "The speed of a recording. Only 1 for live."),
];

export const SOUND = { ...choice(["on", "off"]), default: "off" };

/** The channel rights for a stream. */
export const STREAM_ACCESS =
  "The channel must be allowed live, or with `mode=archive` in the archive. The stream ends when the user loses a right, is removed, or the channel is switched off.";
