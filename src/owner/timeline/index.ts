/**
 * owner/timeline: what the page's timeline shows: what is recorded, why the rest is not, motion, events, pictures along it, and
 * the search for motion in recordings.
 *
 * Belongs here: /api/timeline, the reasons of gaps, /api/strip, /api/motionsearch. Does not belong here: playing recordings (`compat/video`), single pictures
 * (`compat/still`), the protection itself (`archive`).
 */
import type { Route } from "../../route/index.js";
import { STRIP_ROUTE } from "./get-strip.js";
import { TIMELINE_ROUTE } from "./get-timeline.js";
import { MOTION_SEARCH_ROUTES } from "./motion-search-routes.js";
import type { TimelineNeeds } from "./timelines.js";

export { deletedTimes, type ExplainedGap } from "./channel-reasons.js";
export { GapReasons } from "./gap-reasons.js";
export type { MotionSearchCodec } from "./motion-search.js";
export { MotionSearches } from "./motion-searches.js";
export { Strips } from "./strips.js";
export type { TimelineNeeds } from "./timelines.js";
export { Timelines } from "./timelines.js";

export const TIMELINE_ROUTES: readonly Route<TimelineNeeds>[] = [
  TIMELINE_ROUTE,
  STRIP_ROUTE,
  ...MOTION_SEARCH_ROUTES,
];
export { visibleStreams } from "./visible-streams.js";
