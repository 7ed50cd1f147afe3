import type { announcementQuery, ptzQuery, talkQuery } from "./device.js";
import type { archiveEventsQuery, findingPictureQuery, findingsQuery } from "./event.js";
import type { exportQuery, removalQuery, stripQuery, timelineQuery } from "./recording.js";
import type {
  acmeQuery,
  boxesQuery,
  diskHistoryQuery,
  eventKindsQuery,
  healthQuery,
  historyQuery,
  logQuery,
  sessionQuery,
} from "./system.js";
import type { siteQuery } from "./viewing.js";

/** The queries that the page asks, by path; `{id}` stands for one part of the path. */
export interface Queries {
  readonly "/api/announcements": typeof announcementQuery;
  readonly "/api/boxes": typeof boxesQuery;
  readonly "/api/cameraeventkinds": typeof eventKindsQuery;
  readonly "/api/channels/{id}/talk": typeof talkQuery;
  readonly "/api/disks/history": typeof diskHistoryQuery;
  readonly "/api/findings": typeof findingsQuery;
  readonly "/api/findings/{id}/picture": typeof findingPictureQuery;
  readonly "/api/health": typeof healthQuery;
  readonly "/api/session": typeof sessionQuery;
  readonly "/api/strip": typeof stripQuery;
  readonly "/api/system/certificate/acme": typeof acmeQuery;
  readonly "/api/system/history": typeof historyQuery;
  readonly "/api/system/log": typeof logQuery;
  readonly "/api/timeline": typeof timelineQuery;
  readonly "/archive_events": typeof archiveEventsQuery;
  readonly "/configure/channels/{id}": typeof removalQuery;
  readonly "/exportarchive": typeof exportQuery;
  readonly "/ptz": typeof ptzQuery;
  readonly "/site": typeof siteQuery;
}
