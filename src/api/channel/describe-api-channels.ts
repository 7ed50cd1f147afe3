import { STREAM_TYPES } from "../../base/index.js";
import { LOST_CAUSES } from "../../live/index.js";
import { VIDEO_FORMATS } from "../camera/index.js";
import {
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  type RouteDescription,
  TEXT,
} from "../route/index.js";

/** /api/channels. */

const CHANNEL: JsonSchema = {
  ...objectOf({ Id: GUID, Name: TEXT }, ["Id", "Name"]),
  description: "As an item of `Channels` of [`/configex`](#get-configex).",
};
const PATH_VALUES = { id: "The channel's id." };
const NO_CHANNEL = { 404: "There is no such channel." };

export const API_CHANNELS_DESCRIPTION: RouteDescription = {
  topic: "channel",
  summary: "Lists the channels that the user may see",
  answer: jsonAnswer(
    listOf(CHANNEL),
    "The channels, in the order of `/configex` and with all their members there.",
  ),
  example: ['curl -u "$AUTH" "$NVR/api/channels"'],
};

export const API_CHANNEL_DESCRIPTION: RouteDescription = {
  topic: "channel",
  summary: "Returns one channel that the user may see",
  pathValues: PATH_VALUES,
  answer: jsonAnswer(CHANNEL, "The channel, with all its members of `/configex`."),
  errors: NO_CHANNEL,
  example: ['curl -u "$AUTH" "$NVR/api/channels/22222222-0000-4000-8000-000000000001"'],
};

const STATUSES = ["Ok", "Connecting", "Lost", "Idle"];
const CAUSE = meaning("Null when nothing is lost.", orNull(choice(LOST_CAUSES)));
const REASON = meaning("The same in an installer's words: [what to do](../guide/cameras.md).", orNull(TEXT));
const PIXELS: JsonSchema = {
  type: ["integer", "null"],
  minimum: 1,
  description: "Null before the first frame.",
};

const STREAM_STATUS = objectOf({
  StreamType: choice(STREAM_TYPES),
  Status: choice(STATUSES),
  Cause: CAUSE,
  Reason: REASON,
  Codec: meaning("What the stream sends; null before the first frame.", orNull(choice(VIDEO_FORMATS))),
  Width: PIXELS,
  Height: PIXELS,
});

export const API_CHANNEL_STATUS_DESCRIPTION: RouteDescription = {
  topic: "channel",
  summary: "Reports whether the channel's frames arrive, and what is wrong where they do not",
  pathValues: PATH_VALUES,
  answer: jsonAnswer(
    objectOf({
      Status: meaning(
        "`Ok` while frames arrive; else `Lost` when one of the streams is lost, `Connecting`, `Idle` when nobody asks for any of them, or `Disabled`.",
        choice([...STATUSES, "Disabled"]),
      ),
      Cause: CAUSE,
      Reason: REASON,
      IsRecording: FLAG,
      Streams: meaning("The enabled streams.", listOf(STREAM_STATUS)),
    }),
    "The status. All members but `Status` are additions of nvrd's.",
  ),
  errors: NO_CHANNEL,
  example: ['curl -u "$AUTH" "$NVR/api/channels/22222222-0000-4000-8000-000000000001/status"'],
};
