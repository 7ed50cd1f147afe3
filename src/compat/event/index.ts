/**
 * compat/event: events: live, searched, added from outside.
 *
 * Belongs here: /event, /specialarchiveevents, /archive_events, /archive_event_types, POST /api/events; the formats of an event
 * in the API. Does not belong here: the log of events (`event`).
 */
import type { Route } from "../../route/index.js";
import type { EventNeeds } from "./event-feed.js";
import { ARCHIVE_EVENT_TYPES_ROUTE } from "./event-types.js";
import { EVENT_ROUTE } from "./get-event.js";
import { SPECIAL_ARCHIVE_EVENTS_ROUTE } from "./get-specialarchiveevents.js";
import { API_EVENTS_ROUTE } from "./post-api-events.js";
import { ARCHIVE_EVENTS_ROUTE } from "./post-archive-events.js";

export { readArchiveEventsBody } from "./archive-events-input.js";
export type { EventNeeds } from "./event-feed.js";
export { type EventCounts, EventFeed } from "./event-feed.js";
export { formatLiveItem } from "./event-item.js";
export type { EventListener } from "./event-listener.js";
export { EventPages } from "./event-pages.js";
export { EventRate } from "./event-rate.js";
export { EventSearches } from "./event-searches.js";
export { getAllRegisteredEvents } from "./event-types.js";
export {
  isUserInitiator,
  mayReadEventLog,
  mayReceive,
  maySeeAllUsers,
  shownEvent,
} from "./event-visibility.js";
export { EXTERNAL_EVENT_RIGHT, generateExternalEvent } from "./external-event.js";
export { openEvents } from "./get-event.js";
export { archiveEventTexts } from "./post-archive-events.js";

export const EVENT_ROUTES: readonly Route<EventNeeds>[] = [
  EVENT_ROUTE,
  SPECIAL_ARCHIVE_EVENTS_ROUTE,
  ARCHIVE_EVENTS_ROUTE,
  ARCHIVE_EVENT_TYPES_ROUTE,
  API_EVENTS_ROUTE,
];
