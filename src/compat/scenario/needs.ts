import type { Clock } from "../../base/index.js";
import type { ScenarioControl } from "../../scenario/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface ScenarioNeeds {
  readonly site: SiteStore;
  readonly scenarios: ScenarioControl;
  readonly clock: Clock;
}
