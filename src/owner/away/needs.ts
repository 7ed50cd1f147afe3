import type { AwayControl } from "../../away/index.js";
import type { EventLog } from "../../event/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface AwayNeeds {
  readonly away: AwayControl;
  readonly events: EventLog;
  readonly site: SiteStore;
}
