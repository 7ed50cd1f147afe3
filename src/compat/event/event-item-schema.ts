import { choice, GUID, type JsonSchema, objectOf, TEXT } from "../../route/index.js";

/** One item of /event, as /openapi.json describes it: all values are text, except lists. */
export const EVENT_ITEM: JsonSchema = {
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
