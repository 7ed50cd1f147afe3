import type { AlarmControl, PushControl } from "../../alarm/index.js";
import type { EventLog } from "../../event/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface AlarmNeeds {
  readonly alarms: AlarmControl;
  readonly events: EventLog;
  readonly pushes: PushControl;
  readonly site: SiteStore;
}
