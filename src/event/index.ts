/**
 * event: the catalogue of event types, the live bus, the log in LMDB and its search.
 *
 * Belongs here: types with their fixed GUIDs, storing events, searching them, notifying listeners of new ones.
 * Does not belong here: the sources of events (`service/report`), who may see them and their format (`compat`, `owner`).
 */

export { EVENT_TYPE_LIST, EVENT_TYPES, type EventTypeName, eventTypeOf } from "./catalogue.js";
export { CommentWords, changeIn } from "./comment-words.js";
export {
  EVENT_IMAGE_CHARACTERS_MAX,
  EVENT_TEXT_CHARACTERS_MAX,
  EXTERNAL_INITIATOR_NAME,
} from "./event-input.js";
export { TIME_US_MAX } from "./event-key.js";
export { type EventLogStatus, LmdbEventLog, type LmdbEventLogOptions } from "./event-log.js";
export { boxMembers, memberBox, memberNumber, memberText, percentText } from "./event-members.js";
export { eventNameIn, eventTypesIn, isEventName, RUSSIAN_EVENT_NAMES } from "./event-names.js";
export type { EventShift } from "./event-redating.js";
export { SEARCH_EVENTS_MAX } from "./event-search.js";
export { EVENT_KINDS, type EventKind, seenTypeNames, seenTypes } from "./seen-types.js";
export { TEXT_EVENTS_MAX } from "./text-search.js";
export { shownTexts } from "./text-signature.js";
export type {
  EventCategory,
  EventInitiatorType,
  EventInput,
  EventLog,
  EventMoments,
  EventMomentsQuery,
  EventQuery,
  EventRecord,
  EventSubscription,
  EventText,
  EventType,
} from "./types.js";
