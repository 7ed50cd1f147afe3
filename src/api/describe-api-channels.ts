import { choice, GUID, listOf, objectOf, TEXT } from "./json-schema.js";
import { jsonAnswer, type RouteDescription } from "./route-description.js";

const CHANNEL = objectOf({ Id: GUID, Name: TEXT }, ["Id", "Name"]);
const PATH_VALUES = { id: "The id of the channel." };

/** /api/channels, as /openapi.json describes it. */
export const API_CHANNELS_DESCRIPTION: RouteDescription = {
  summary: "The channels the asking user may see, as /configex shows them",
  answer: jsonAnswer(listOf(CHANNEL), "The channels, in the order of /configex."),
};

export const API_CHANNEL_DESCRIPTION: RouteDescription = {
  summary: "One channel, as /configex shows it",
  pathValues: PATH_VALUES,
  answer: jsonAnswer(CHANNEL, "The channel."),
  errors: [404],
};

export const API_CHANNEL_STATUS_DESCRIPTION: RouteDescription = {
  summary: "Whether the channel's frames arrive",
  pathValues: PATH_VALUES,
  answer: jsonAnswer(
    objectOf({ Status: choice(["Ok", "Connecting", "Lost", "Idle", "Disabled"]) }, ["Status"]),
    "`Ok` while frames arrive.",
  ),
  errors: [404],
};
