import type { ArchiveAccess, ProtectionAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { Stills } from "../../picture/index.js";
import type { SiteStore } from "../../site/index.js";
import type { MotionSearches } from "./motion-searches.js";
import type { Strips } from "./strips.js";
import type { Timelines } from "./timelines.js";

/** What the routes of this topic work with. */
export interface TimelineNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly protection: ProtectionAccess;
  readonly events: EventLog;
  readonly timelines: Timelines;
  readonly stills: Stills;
  readonly strips: Strips;
  readonly motionSearches: MotionSearches;
  readonly clock: Clock;
}
