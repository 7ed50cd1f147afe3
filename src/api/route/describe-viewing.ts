import { choice, GUID, objectOf, range, TEXT, WHOLE } from "./json-schema.js";
import { type ParameterDescription, query, type RouteDescription } from "./route-description.js";

/** The live and recorded streams, as /openapi.json describes them. */

const TIME_TEXT = "UTC, dd.MM.yyyy HH:mm:ss[.fff]";

export const RESPONSE_TYPE: ParameterDescription = query(
  "responsetype",
  { ...choice(["xml", "json"]), default: "xml" },
  "The format of the answer.",
);

/** A time of any accepted spelling. */
export function timeParameter(
  name: string,
  text: string,
  options: { readonly required?: true } = {},
): ParameterDescription {
  return query(name, TEXT, `${text} ${TIME_TEXT}.`, options);
}

/** Exactly one of three. */
export const CHANNEL_SELECTION: readonly ParameterDescription[] = [
  query("channelid", GUID, "The channel's id. Exactly one of channelid, channel and channelnum is given."),
  query("channel", TEXT, "The channel's name, in any case where only one has it."),
  query("channelnum", { ...WHOLE, minimum: 0 }, "Number from 0 over the channels the user may see."),
];

/** The spellings of a stream's type. */
export const STREAM_TYPE_SCHEMA = choice([
  "Main",
  "Alternative",
  "SecondAlternative",
  "ThirdAlternative",
  "MainVideo",
  "AlternativeVideo",
]);

/** What /video and /mobile take alike. */
export const STREAM_PARAMETERS: readonly ParameterDescription[] = [
  ...CHANNEL_SELECTION,
  query(
    "streamtype",
    STREAM_TYPE_SCHEMA,
    "The stream; Main when left out, in archive mode the recorded one.",
  ),
  query("mode", { ...choice(["realtime", "archive"]), default: "realtime" }, "Live or recorded."),
  timeParameter("starttime", "Where the recording begins; needed with mode=archive, refused without."),
  query("speed", { ...range(0.1, 20), default: 1 }, "How fast a recording is sent; live takes 1."),
];

export const VIDEO_DESCRIPTION: RouteDescription = {
  summary: "A channel's frames as the camera sent them, live or recorded, without end",
  parameters: [
    ...STREAM_PARAMETERS,
    query("sound", { ...choice(["on", "off"]), default: "off" }, "G.711 µ-law between the frames."),
  ],
  answer: {
    text: "Parts with Content-Type, Timestamp and Content-Length, each followed by its boundary line.",
    content: { "multipart/x-mixed-replace": { type: "string", format: "binary" } },
  },
  errors: [404],
};

/** One item of /event: all values are text, lists aside. */
const EVENT_ITEM = {
  ...objectOf(
    {
      EventId: GUID,
      Timestamp: TEXT,
      BinaryTimestamp: TEXT,
      ZonedTimestamp: TEXT,
      EventDescription: TEXT,
      IsAlarmEvent: choice(["True", "False"]),
      ChannelId: GUID,
      ChannelName: TEXT,
      Comment: TEXT,
      EventType: choice(["Info", "Alarm", "Error"]),
      InitiatorName: TEXT,
    },
    ["EventId", "Timestamp", "Comment"],
  ),
  additionalProperties: true,
};

export const EVENT_DESCRIPTION: RouteDescription = {
  summary: "What happens, as it happens, without end",
  text: "One JSON object an item, with a blank line before it, whatever responsetype says; a keep-alive each second when nothing else was sent.",
  parameters: [
    query("channelid", GUID, "Events of this channel alone."),
    query("filter", GUID, "Events of this type alone."),
    query(
      "mode",
      { ...choice(["realtime", "demo"]), default: "realtime" },
      "demo adds a virtual plate each 3 s.",
    ),
    RESPONSE_TYPE,
  ],
  answer: { text: "Items, one after another.", content: { "application/json": EVENT_ITEM } },
  errors: [404],
};

export const EXPORT_DESCRIPTION: RouteDescription = {
  summary: "Kept events of an interval, ascending, joined as }{",
  text: "At most 1000: go on with starttime at the time of the last one. No events: an empty body.",
  parameters: [
    timeParameter("starttime", "The first moment; also a BinaryTimestamp.", { required: true }),
    timeParameter("endtime", "The last moment; also a BinaryTimestamp.", { required: true }),
    query("eventid", GUID, "Events of this type alone."),
    query("channelid", GUID, "Events of this channel alone."),
    RESPONSE_TYPE,
  ],
  answer: { text: "Items as /event has them.", content: { "application/json": EVENT_ITEM } },
  errors: [404],
};
