import type { Clock } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { EventFeed } from "./event-feed.js";
import type { EventPages } from "./event-pages.js";
import type { EventRate } from "./event-rate.js";
import type { EventSearches } from "./event-searches.js";

/** What the routes of this topic work with. */
export interface EventNeeds {
  readonly site: SiteStore;
  readonly events: EventLog;
  readonly eventFeed: EventFeed;
  readonly eventSearches: EventSearches;
  readonly eventPages: EventPages;
  readonly eventRate: EventRate;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}
