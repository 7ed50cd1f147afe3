import type { AnalysisControl } from "../../analysis/index.js";
import type { Clock } from "../../base/index.js";
import type { EventSearches } from "../../compat/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface AnalysisNeeds {
  readonly site: SiteStore;
  readonly analysis: AnalysisControl;
  readonly eventSearches: EventSearches;
  readonly clock: Clock;
}
