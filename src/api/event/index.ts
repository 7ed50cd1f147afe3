/**
 * api/event: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
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
