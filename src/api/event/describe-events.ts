import {
  bothAnswer,
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
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
import { COMMENT_LENGTH_MAX } from "./event-input.js";
import { EVENTS_BURST_MAX } from "./event-rate.js";

/** The kept events, as /openapi.json describes them. */

const CATEGORY = choice([0, 1, 2]);
const INITIATOR_TYPE = choice([0, 1, 2, 3, 4, 8]);
const API_TIME: JsonSchema = { type: "string", description: "UTC, dd.MM.yyyy HH:mm:ss.fff" };

export const SEARCH_DESCRIPTION: RouteDescription = {
  summary: "A search of the kept events, ascending in time",
  parameters: [
    query("shortevent", { ...FLAG, default: false }, "Items have EventCategory, EventId and Timestamp only."),
  ],
  body: {
    required: false,
    text: "Every member may be left out; names match in any case; an empty list means all.",
    schema: objectOf(
      {
        startTimeUtc: API_TIME,
        endTimeUtc: API_TIME,
        eventCategories: listOf(CATEGORY),
        eventInitiatorTypes: listOf(INITIATOR_TYPE),
        eventInitiators: listOf(GUID),
        eventIds: listOf(GUID),
        channelIds: listOf(GUID),
        isSearchFromBegin: { ...FLAG, default: false },
        searchLimitCount: {
          type: "integer",
          minimum: 1,
          default: SEARCH_LIMIT_DEFAULT,
          description: `more than ${SEARCH_LIMIT_MAX} is taken as that`,
        },
      },
      [],
    ),
  },
  answer: jsonAnswer(
    listOf(
      objectOf(
        {
          ChannelId: GUID,
          ChannelName: TEXT,
          EventId: GUID,
          EventCategory: CATEGORY,
          EventComment: TEXT,
          EventDescription: orNull(TEXT),
          EventInitiatorType: INITIATOR_TYPE,
          EventInitiatorId: GUID,
          Timestamp: ISO_TIME,
          Event: { type: ["object", "null"] },
          IsLongTermEvent: FLAG,
        },
        ["EventCategory", "EventId", "Timestamp"],
      ),
    ),
    "The events.",
  ),
};

const ANALYTICS_EVENT = objectOf(
  {
    EventId: choice([...ANALYTICS_TYPES]),
    ChannelId: GUID,
    Timestamp: {
      type: "string",
      description: "dd.MM.yyyy HH:mm:ss.fff or ISO 8601 with Z; now when left out",
    },
    Comment: textUpTo(COMMENT_LENGTH_MAX),
    EventDescription: textUpTo(COMMENT_LENGTH_MAX),
    IsAlarmEvent: FLAG,
    ...Object.fromEntries(ANALYTICS_MEMBERS.map((member) => [member.name, analyticsSchema(member)])),
  },
  ["EventId", "ChannelId"],
);

function analyticsSchema({ kind, min, max }: AnalyticsMember): JsonSchema {
  switch (kind) {
    case "text":
    case "time":
      return textUpTo(MEMBER_TEXT_LENGTH_MAX);
    case "integer":
    case "decimal":
      return { ...range(min, max, kind === "integer" ? "integer" : "number"), type: ["number", "string"] };
    case "flag":
      return { type: ["boolean", "string"] };
    case "list":
      return { type: ["array", "string"], items: TEXT };
    case "image":
      return { ...textUpTo(IMAGE_BASE64_LENGTH_MAX), description: "Base64" };
  }
}

export const ADD_EVENTS_DESCRIPTION: RouteDescription = {
  summary: "A program that analyses video adds events",
  body: {
    required: true,
    text: "One object or a list. All are added, or none.",
    schema: { oneOf: [ANALYTICS_EVENT, listOf(ANALYTICS_EVENT, EVENTS_BURST_MAX)] },
  },
  answer: jsonAnswer(
    objectOf({
      Events: listOf(objectOf({ Sequence: WHOLE, EventId: GUID, ChannelId: GUID, Timestamp: ISO_TIME })),
    }),
    "The events as they are kept, in the order sent.",
  ),
};

export const EVENT_TYPES_DESCRIPTION: RouteDescription = {
  summary: "The event types there are",
  parameters: [RESPONSE_TYPE],
  answer: bothAnswer(listOf(objectOf({ Id: GUID, Name: TEXT })), "The catalogue."),
};
