import { EVENT_COMMENT_LENGTH_MAX } from "../../contract/index.js";
import {
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  linesUpTo,
  lineUpTo,
  meaning,
  named,
  objectOf,
  orNull,
  range,
  TIME,
  textUpTo,
} from "../../route/index.js";
import {
  ANALYTICS_MEMBERS,
  ANALYTICS_TYPES,
  type AnalyticsMember,
  IMAGE_BASE64_LENGTH_MAX,
  MEMBER_TEXT_LENGTH_MAX,
} from "./analytics-members.js";
import { LIST_ITEMS_MAX, LIST_TEXT_LENGTH_MAX } from "./event-input.js";

/* An event of a program that analyses video, as /openapi.json describes it. */

const BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";
const OF_PICTURE = "Of the picture.";

/** Notes on members beyond their type. */
const MEMBER_NOTES: Readonly<Record<string, string>> = {
  Left: OF_PICTURE,
  Top: OF_PICTURE,
  Width: OF_PICTURE,
  Height: OF_PICTURE,
  Numberplate: "When left out: `plateText`.",
};

/** Sorted, so that members with the same type are adjacent. A language's own order would load its tables at each start. */
const MEMBERS_BY_KIND = ANALYTICS_MEMBERS.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));

export const ANALYTICS_EVENT = named("AnalyticsEvent", {
  ...objectOf(
    {
      EventId: meaning(
        "The type: motion, face, plate, fire, abandoned item or emergency vehicle.",
        choice([...ANALYTICS_TYPES]),
      ),
      ChannelId: meaning("A channel that the user may see.", GUID),
      Timestamp: {
        ...orNull(TIME),
        description:
          "`dd.MM.yyyy HH:mm:ss.fff` or ISO 8601 with `Z`; at most 7 days back and 60 s ahead. When left out: now.",
      },
      Comment: orNull(linesUpTo(EVENT_COMMENT_LENGTH_MAX)),
      EventDescription: orNull(lineUpTo(EVENT_COMMENT_LENGTH_MAX)),
      IsAlarmEvent: meaning("When left out: that of the type.", orNull(FLAG)),
      ...Object.fromEntries(MEMBERS_BY_KIND.map((member) => [member.name, analyticsSchema(member)])),
    },
    ["EventId", "ChannelId"],
  ),
  additionalProperties: false,
});

function orderOf({ kind, min, max, name }: AnalyticsMember): string {
  return `${name in MEMBER_NOTES} ${kind} ${min} ${max}`;
}

function analyticsSchema(member: AnalyticsMember): JsonSchema {
  const description = MEMBER_NOTES[member.name];
  return { ...orNull(valueSchema(member)), ...(description === undefined ? {} : { description }) };
}

/**
 * A number as text, with a point or a comma. Bounds are powers of ten, or twice one; what is below zero has the bound 100.
 */
function numberPattern(min: number, max: number, fraction: string): string {
  const digits = String(max).length - 1;
  const below = max === 1 ? "0" : `\\d{1,${digits}}`;
  const second = String(max).startsWith("2") ? `|1\\d{${digits}}` : "";
  const sign = min < 0 ? `|-\\d{1,${String(min).length - 2}}` : "";
  const whole = min < 0 ? `|${min}` : "";
  return `^(?:(?:${below}${second}${sign})(?:[.,]${fraction}{1,9})?|(?:${max}${whole})(?:[.,]0{1,9})?)$`;
}

function valueSchema({ kind, min, max }: AnalyticsMember): JsonSchema {
  const item = lineUpTo(LIST_TEXT_LENGTH_MAX);
  switch (kind) {
    case "text":
      return lineUpTo(MEMBER_TEXT_LENGTH_MAX);
    case "time":
      return TIME;
    case "integer":
    case "decimal":
      return {
        ...range(min, max),
        type: [kind === "integer" ? "integer" : "number", "string"],
        pattern: numberPattern(min, max, kind === "integer" ? "0" : "\\d"),
      };
    case "flag":
      return { type: ["boolean", "string"], pattern: "^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$" };
    case "list":
      return { ...item, type: ["array", "string"], items: item, maxItems: LIST_ITEMS_MAX };
    case "image":
      return { ...textUpTo(IMAGE_BASE64_LENGTH_MAX), format: "base64", pattern: BASE64 };
  }
}
