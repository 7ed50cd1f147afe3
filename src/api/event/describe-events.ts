import {
  bothAnswer,
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  named,
  objectOf,
  orNull,
  query,
  RESPONSE_TYPE,
  type RouteDescription,
  range,
  TEXT,
  textUpTo,
  WHOLE,
} from "../route/index.js";
import {
  ANALYTICS_MEMBERS,
  ANALYTICS_TYPES,
  type AnalyticsMember,
  IMAGE_BASE64_LENGTH_MAX,
  MEMBER_TEXT_LENGTH_MAX,
} from "./analytics-members.js";
import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from "./archive-events-input.js";
import { COMMENT_LENGTH_MAX, LIST_ITEMS_MAX, LIST_TEXT_LENGTH_MAX } from "./event-input.js";
import { EVENTS_BURST_MAX } from "./event-rate.js";

/** The kept events, as /openapi.json describes them. */

const CATEGORY = { ...choice([0, 1, 2]), description: "0 information, 1 alarm, 2 error." };
const INITIATOR_TYPE = {
  ...choice([0, 1, 2, 3, 4, 8]),
  description: "0 system, 1 user, 2 scenario, 3 user scenario, 4 scheduled task, 8 external module.",
};
const API_TIME: JsonSchema = { type: "string", format: "nvrd-time" };

const SEARCH = objectOf(
  {
    startTimeUtc: meaning("Included. When left out: the first event.", API_TIME),
    endTimeUtc: meaning("Included. When left out: now.", API_TIME),
    eventCategories: meaning("0 information, 1 alarm, 2 error.", listOf(choice([0, 1, 2]))),
    eventInitiatorTypes: meaning(INITIATOR_TYPE.description, listOf(choice([0, 1, 2, 3, 4, 8]))),
    eventInitiators: meaning("Users.", listOf(GUID)),
    eventIds: meaning("Event types.", listOf(GUID)),
    channelIds: meaning(
      "Channels; also spelled `cameraIds`. The GUID of all zeros means events that belong to no channel. A channel that the user may not see has no events.",
      listOf(GUID),
    ),
    isSearchFromBegin: {
      ...FLAG,
      default: false,
      description: "The first events of the interval instead of the last.",
    },
    searchLimitCount: {
      type: "integer",
      minimum: 1,
      default: SEARCH_LIMIT_DEFAULT,
      description: `Most events of the answer; a larger value than ${SEARCH_LIMIT_MAX} counts as that.`,
    },
  },
  [],
);

export const SEARCH_DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Searches the kept events",
  access: "Channels count as for [`/event`](#get-event).",
  text: [
    "At most 16 searches run at once, 4 of one user. An answer is closed when the client takes more than 5 minutes for it, or when the user's rights change meanwhile.",
  ],
  parameters: [
    query(
      "shortevent",
      { ...FLAG, default: false },
      "Items have only `EventCategory`, `EventId` and `Timestamp`.",
    ),
  ],
  body: {
    required: false,
    text: "Names match in any case. Every member may be left out; an empty list means all. A faulty member is named (400).",
    schema: SEARCH,
  },
  answer: jsonAnswer(
    listOf(
      objectOf(
        {
          ChannelId: GUID,
          ChannelName: TEXT,
          EventId: meaning("The type of the event.", GUID),
          EventCategory: CATEGORY,
          EventComment: TEXT,
          EventDescription: orNull(TEXT),
          EventInitiatorType: INITIATOR_TYPE,
          EventInitiatorId: GUID,
          Timestamp: ISO_TIME,
          Event: meaning("The members of analytics, with numbers as numbers; null without any.", {
            type: ["object", "null"],
          }),
          IsLongTermEvent: meaning("Always false: there is one store.", FLAG),
        },
        ["EventCategory", "EventId", "Timestamp"],
      ),
    ),
    "The events, in ascending order of time.",
  ),
  errors: { 503: "Too many searches run, or the event log is not open." },
  example: [
    'curl -u "$AUTH" "$NVR/archive_events" --data \'{"channelIds": [], "searchLimitCount": 100}\'',
    'curl -u "$AUTH" "$NVR/archive_events?shortevent=true" --data \'{"eventCategories": [1, 2], "isSearchFromBegin": true}\'',
  ],
};

const OF_PICTURE = "Of the picture.";

/** What there is to say of a member beyond what it may hold. */
const MEMBER_NOTES: Readonly<Record<string, string>> = {
  Left: OF_PICTURE,
  Top: OF_PICTURE,
  Width: OF_PICTURE,
  Height: OF_PICTURE,
  Numberplate: "When left out: `plateText`.",
};

/** Those that may hold the same stand together. */
const MEMBERS_BY_KIND = ANALYTICS_MEMBERS.toSorted((a, b) => orderOf(a).localeCompare(orderOf(b)));

const ANALYTICS_EVENT = named(
  "AnalyticsEvent",
  objectOf(
    {
      EventId: meaning(
        "The type: motion, face, plate, fire, abandoned item or emergency vehicle.",
        choice([...ANALYTICS_TYPES]),
      ),
      ChannelId: meaning("A channel that the user may see.", GUID),
      Timestamp: {
        type: "string",
        description:
          "`dd.MM.yyyy HH:mm:ss.fff` or ISO 8601 with `Z`; at most 7 days back and 60 s ahead. When left out: now.",
      },
      Comment: textUpTo(COMMENT_LENGTH_MAX),
      EventDescription: textUpTo(COMMENT_LENGTH_MAX),
      IsAlarmEvent: meaning("When left out: that of the type.", FLAG),
      ...Object.fromEntries(MEMBERS_BY_KIND.map((member) => [member.name, analyticsSchema(member)])),
    },
    ["EventId", "ChannelId"],
  ),
);

function orderOf({ kind, min, max, name }: AnalyticsMember): string {
  return `${name in MEMBER_NOTES} ${kind} ${min} ${max}`;
}

function analyticsSchema(member: AnalyticsMember): JsonSchema {
  const description = MEMBER_NOTES[member.name];
  return { ...valueSchema(member), ...(description === undefined ? {} : { description }) };
}

function valueSchema({ kind, min, max }: AnalyticsMember): JsonSchema {
  switch (kind) {
    case "text":
      return textUpTo(MEMBER_TEXT_LENGTH_MAX);
    case "time":
      return { ...textUpTo(MEMBER_TEXT_LENGTH_MAX), format: "nvrd-time" };
    case "integer":
    case "decimal":
      return { ...range(min, max), type: [kind === "integer" ? "integer" : "number", "string"] };
    case "flag":
      return { type: ["boolean", "string"] };
    case "list":
      return { type: ["array", "string"], items: textUpTo(LIST_TEXT_LENGTH_MAX), maxItems: LIST_ITEMS_MAX };
    case "image":
      return { ...textUpTo(IMAGE_BASE64_LENGTH_MAX), format: "base64" };
  }
}

export const ADD_EVENTS_DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Adds what a program that analyses video found",
  text: [
    "All events of the body are added, or none: a fault is named by its path. The events appear on [`/event`](#get-event) at once, and in searches. Their initiator is of type 8, `ExternalEvent`, with the user's id.",
    "",
    "A motion event whose time is within 10 s of now counts as motion of its channel for 5 s, and each further one for 5 s more: a channel with the mode `MDandManual` is recorded.",
    "",
    "A user, and an address, may add 1000 events at once and 200 a second in the long run.",
  ],
  body: {
    required: true,
    text: "Numbers may also be text, with a point or a comma. Unknown members are refused.",
    schema: { oneOf: [ANALYTICS_EVENT, listOf(ANALYTICS_EVENT, EVENTS_BURST_MAX)] },
  },
  answer: jsonAnswer(
    objectOf({
      Events: listOf(objectOf({ Sequence: WHOLE, EventId: GUID, ChannelId: GUID, Timestamp: ISO_TIME })),
    }),
    "The events as they are kept, in the order sent.",
  ),
  errors: { 429: "Too many events were added. `Retry-After` says how long to wait." },
  example: [
    'curl -u "$AUTH" "$NVR/api/events" --data \'{"EventId": "c9d6d086-c965-4cf8-aef6-85b3894e3a4a",',
    '  "ChannelId": "22222222-0000-4000-8000-000000000001", "plateText": "A123BC77", "Speed": 54.5, "direction": ["Up"]}\'',
  ],
};

export const EVENT_TYPES_DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Lists the event types",
  parameters: [RESPONSE_TYPE],
  answer: bothAnswer(listOf(objectOf({ Id: GUID, Name: TEXT })), "The event types."),
  example: ['curl -u "$AUTH" "$NVR/archive_event_types?responsetype=json"'],
};
