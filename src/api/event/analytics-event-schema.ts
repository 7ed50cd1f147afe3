import {
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  meaning,
  named,
  objectOf,
  range,
  textUpTo,
} from "../route/index.js";
import {
  ANALYTICS_MEMBERS,
  ANALYTICS_TYPES,
  type AnalyticsMember,
  IMAGE_BASE64_LENGTH_MAX,
  MEMBER_TEXT_LENGTH_MAX,
} from "./analytics-members.js";
import { COMMENT_LENGTH_MAX, LIST_ITEMS_MAX, LIST_TEXT_LENGTH_MAX } from "./event-input.js";

/* An event of a program that analyses video, as /openapi.json describes it. */

const OF_PICTURE = "Of the picture.";

/** Notes on members beyond their type. */
const MEMBER_NOTES: Readonly<Record<string, string>> = {
  Left: OF_PICTURE,
  Top: OF_PICTURE,
  Width: OF_PICTURE,
  Height: OF_PICTURE,
  Numberplate: "When left out: `plateText`.",
};

/** Sorted, so that members with the same type are adjacent. */
const MEMBERS_BY_KIND = ANALYTICS_MEMBERS.toSorted((a, b) => orderOf(a).localeCompare(orderOf(b)));

export const ANALYTICS_EVENT = named(
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
