import { STREAM_TYPES } from "../../base/index.js";
import { LOST_CAUSES } from "../../live/index.js";
import { VIDEO_FORMATS } from "../camera/index.js";
import {
  choice,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  objectOf,
  orNull,
  type RouteDescription,
  TEXT,
} from "../route/index.js";

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

const STATUSES = ["Ok", "Connecting", "Lost", "Idle"];
/** Null where nothing is to be said. */
const CAUSE = orNull(choice(LOST_CAUSES));
const TEXT_OR_NULL = orNull(TEXT);
const PIXELS = orNull({ type: "integer", minimum: 1 });

const STREAM_STATUS = objectOf(
  {
    StreamType: choice(STREAM_TYPES),
    Status: choice(STATUSES),
    Cause: CAUSE,
    Reason: TEXT_OR_NULL,
    Codec: orNull(choice(VIDEO_FORMATS)),
    Width: PIXELS,
    Height: PIXELS,
  },
  ["StreamType", "Status", "Cause", "Reason", "Codec", "Width", "Height"],
);

export const API_CHANNEL_STATUS_DESCRIPTION: RouteDescription = {
  summary: "Whether the channel's frames arrive, and what is wrong where they do not",
  pathValues: PATH_VALUES,
  answer: jsonAnswer(
    objectOf(
      {
        Status: choice([...STATUSES, "Disabled"]),
        Cause: CAUSE,
        Reason: TEXT_OR_NULL,
        IsRecording: FLAG,
        Streams: listOf(STREAM_STATUS),
      },
      ["Status", "Cause", "Reason", "IsRecording", "Streams"],
    ),
    "`Ok` while frames arrive.",
  ),
  errors: [404],
};
