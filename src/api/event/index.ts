/**
 * api/event: events: live, searched, added from outside.
 *
 * Belongs here: /event, /specialarchiveevents, /archive_events, /archive_event_types, POST /api/events; an event as
 * the API writes it.
 * Does not belong here: the log of events (`event`).
 */
export { ADD_EVENTS_DESCRIPTION, EVENT_TYPES_DESCRIPTION, SEARCH_DESCRIPTION } from "./describe-events.js";
export { type EventCounts, EventFeed } from "./event-feed.js";
export { EventRate } from "./event-rate.js";
export { EventSearches } from "./event-searches.js";
export { getAllRegisteredEvents, getArchiveEventTypes } from "./event-types.js";
export { getEvent } from "./get-event.js";
export { getSpecialArchiveEvents } from "./get-specialarchiveevents.js";
export type { EventNeeds } from "./needs.js";
export { postApiEvents } from "./post-api-events.js";
export { postArchiveEvents } from "./post-archive-events.js";
