import { choice, GUID, type JsonSchema, objectOf, range, TEXT, WHOLE } from "./json-schema.js";
import { type ParameterDescription, query, type RouteDescription } from "./route-description.js";

/** Parameters that routes of live and recorded streams share, and what is said of them alike. */

/** A time in any of the spellings that parameters take. */
export const TIME: JsonSchema = { type: "string", format: "nvrd-time" };

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
  return query(name, TIME, text, options);
}

/** Exactly one of three. */
export const CHANNEL_SELECTION: readonly ParameterDescription[] = [
  query("channelid", GUID, "The channel's id. Give exactly one of `channelid`, `channel` and `channelnum`."),
  query("channel", TEXT, "The channel's name; in any case, where only one channel has it."),
  query(
    "channelnum",
    { ...WHOLE, minimum: 0 },
    "The channel's number, counted from 0 over the channels the user may see.",
  ),
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

export const MODE: ParameterDescription = query(
  "mode",
  { ...choice(["realtime", "archive"]), default: "realtime" },
  "Live or recorded.",
);

/** What /video, /mobile and /hls take alike. */
export const STREAM_PARAMETERS: readonly ParameterDescription[] = [
  ...CHANNEL_SELECTION,
  query(
    "streamtype",
    STREAM_TYPE_SCHEMA,
    "The stream. When left out: `Main`; with `mode=archive` the recorded stream.",
  ),
  MODE,
  timeParameter("starttime", "Where the recording begins. Required with `mode=archive`, refused without."),
  query("speed", { ...range(0.1, 20), default: 1 }, "How fast a recording is sent. Live takes only 1."),
];

export const SOUND = { ...choice(["on", "off"]), default: "off" };

/** Which channel a stream needs. */
export const STREAM_ACCESS =
  "The channel must be allowed live, or with `mode=archive` in the archive. The stream ends when the user loses a right, is removed, or the channel is switched off.";

/** One item of /event: all values are text, lists aside. */
const EVENT_ITEM: JsonSchema = {
  ...objectOf(
    {
      EventId: { ...GUID, description: "The type of the event." },
      Timestamp: { ...TEXT, description: "UTC." },
      BinaryTimestamp: { ...TEXT, description: ".NET's `DateTime.ToBinary`: 100 ns, UTC." },
      ZonedTimestamp: { ...TEXT, description: "In the recorder's time zone." },
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
  title: "EventItem",
};

export const EVENT_DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Streams events as they happen, without end",
  access:
    "A user gets the events of the channels it may see. Changed rights hold from that moment on. The stream ends when the user is removed, when everything is forbidden to it, or when it may no longer see the channel asked for.",
  text: [
    "Items are JSON whatever `responsetype` says. Programs read them line by line, so each has one member a line, an empty line before it, and none after:",
    "",
    "```text",
    "{",
    '\t"EventId" : "00000000-0000-0000-0000-000000000033",',
    '\t"Timestamp" : "21.11.2026 09:00:00",',
    '\t"BinaryTimestamp" : "5250994502427387904",',
    '\t"ZonedTimestamp" : "21.11.2026 12:00:00.000 +03:00",',
    '\t"EventDescription" : "Detected Motion",',
    '\t"IsAlarmEvent" : "True",',
    '\t"ChannelId" : "22222222-0000-4000-8000-000000000001",',
    '\t"ChannelName" : "Gate",',
    '\t"Comment" : "",',
    '\t"EventType" : "Alarm",',
    '\t"InitiatorName" : "System",',
    '\t"Zoneid" : "00000000-0000-0000-0000-000000000000"',
    "}",
    "```",
    "",
    "- All values are text, decimals with a comma. Only `direction` and `alertType` are lists. A `}` within a value is written `\\u007d`.",
    "- Plates and faces have all their members, empty or zero where unknown.",
    "- An item has at most 4095 bytes, the empty line before it included. Of a longer one the image (`ImageBytes`) is left out, then the comment is cut, then the longest other text.",
    "- When nothing was sent for a second, a keep-alive item comes, even where a filter is set. Its `Comment` is `KeepAlive`, and that is its last member.",
    "- A client that is behind has at most 256 items waiting. Beyond that the oldest are dropped. If it is still behind after 10 s it is closed. So is one that takes nothing for 10 s.",
  ],
  parameters: [
    query("channelid", GUID, "Only events of this channel."),
    query("filter", GUID, "Only events of this type. Several, or one that does not exist, is 400."),
    query(
      "mode",
      { ...choice(["realtime", "demo"]), default: "realtime" },
      "`demo` adds a virtual plate every 3 s, with empty and zero values. It is kept nowhere and belongs to no channel, whatever `channelid` says.",
    ),
    RESPONSE_TYPE,
  ],
  answer: { text: "Items, one after another.", content: { "application/json": EVENT_ITEM } },
  errors: { 404: "The user may not see the channel." },
  example: [
    'curl -sN -u "$AUTH" "$NVR/event"',
    'curl -sN -u "$AUTH" "$NVR/event?filter=c9d6d086-c965-4cf8-aef6-85b3894e3a4a&mode=demo"',
  ],
};

export const EXPORT_DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Returns kept events of an interval as the items of /event, in ascending order",
  access: "Channels count as for [`/event`](#get-event).",
  text: [
    "The items are uncut, have `alertType`, `AlertTime` and `TrajectoryId` too, and are joined as `}{`. Without events the body is empty.",
    "",
    "An answer has at most 1000 events. Continue with `starttime` at the time of the last one, which then comes again. Where all 1000 events fall into one moment of the precision of `starttime` (a second when it is a whole one, else a millisecond or less), the answer continues up to the first event after that moment, so that none is lost.",
  ],
  parameters: [
    timeParameter("starttime", "The first moment, included; also a `BinaryTimestamp`.", { required: true }),
    timeParameter("endtime", "The last moment, included; also a `BinaryTimestamp`.", { required: true }),
    query("eventid", GUID, "Only events of this type."),
    query("channelid", GUID, "Only events of this channel. When left out: all that the user may see."),
    RESPONSE_TYPE,
  ],
  answer: { text: "The items.", content: { "application/json": EVENT_ITEM } },
  errors: { 404: "The user may not see the channel." },
  example: [
    'curl -u "$AUTH" "$NVR/specialarchiveevents?starttime=21.11.2026+00:00:00&endtime=22.11.2026+00:00:00"',
  ],
};
