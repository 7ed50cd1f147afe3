import { formatIsoTime, type Language } from "../../base/index.js";
import { CommentWords, type EventRecord, eventNameIn, isEventName } from "../../event/index.js";
import { type AnalyticsMember, analyticsMember, type MemberValue } from "./analytics-members.js";

/** An item of POST /archive_events. */
export function searchItem(event: EventRecord): unknown {
  return {
    ChannelId: event.channelId,
    ChannelName: event.channelName,
    EventId: event.typeId,
    EventCategory: event.category,
    EventComment: event.comment,
    EventDescription: event.description,
    EventInitiatorType: event.initiator.type,
    EventInitiatorId: event.initiator.id,
    Timestamp: formatIsoTime(event.timeUs),
    Event: eventObject(event),
    // There is only one store of events.
    IsLongTermEvent: false,
  };
}

const COMMENT_WORDS = new CommentWords();

/** An item of POST /archive_events, with what the recorder wrote in a language; others' texts stay as they are. */
export function searchItemIn(language: Language): (event: EventRecord) => unknown {
  return (event) =>
    searchItem({
      ...event,
      comment: COMMENT_WORDS.of(event, language),
      description: isEventName(event.typeId, event.description)
        ? eventNameIn(event.typeId, language)
        : event.description,
    });
}

/** The item of shortevent=true. */
export function shortSearchItem(event: EventRecord): unknown {
  return { EventCategory: event.category, EventId: event.typeId, Timestamp: formatIsoTime(event.timeUs) };
}

/** The additional members of the event; null if there are none. */
function eventObject(event: EventRecord): unknown {
  if (event.fields === undefined || Object.keys(event.fields).length === 0) return null;
  const object: Record<string, unknown> = {
    EventName: event.description,
    EventTime: formatIsoTime(event.timeUs),
  };
  for (const [name, value] of Object.entries(event.fields)) {
    const member = analyticsMember(name);
    object[member?.objectName ?? name] = member === undefined ? value : typed(member, value);
  }
  return object;
}

/** Numbers and booleans with their JSON type, where /event has text. */
function typed(member: AnalyticsMember, value: MemberValue): unknown {
  if (typeof value !== "string") return value;
  switch (member.kind) {
    case "integer":
    case "decimal":
      return Number(value.replace(",", "."));
    case "flag":
      return value === "True";
    default:
      return value;
  }
}
