import { givenMember, type JsonSchema, when } from "../body/json-schema.js";

/** What parameters of live and recorded streams must be together, and who may have the streams. */

/** Of the parameters that select a channel exactly one. */
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

/** Of the parameters of what is played. */
export const STREAM_RULES: readonly JsonSchema[] = [ONE_CHANNEL, START_OF_RECORDING, SPEED_OF_RECORDING];

/** The channel rights for a stream. */
export const STREAM_ACCESS =
  "The channel must be allowed live, or with `mode=archive` in the archive. The stream ends when the user loses a right, is removed, or the channel is switched off.";
