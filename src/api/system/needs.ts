import type { AlarmControl } from "../../alarm/index.js";
import type { AwayControl } from "../../away/index.js";
import type { Clock } from "../../base/index.js";
import type { SiteStore } from "../../site/index.js";
import type { StorageControl } from "../../storage/index.js";
import type { HealthQuestions, HealthStates, SupportBundles, Updates, WallClock } from "./states.js";

/** What the routes of this topic work with. */
export interface SystemNeeds {
  readonly alarms: AlarmControl;
  readonly away: AwayControl;
  readonly site: Pick<SiteStore, "current">;
  /** The disks of the machine and what can be done with them. */
  readonly storage: StorageControl;
  readonly health: HealthStates;
  readonly monitoring: HealthQuestions;
  /** Version of the software. */
  readonly version: string;
  readonly support: SupportBundles;
  readonly clock: Clock;
  /** The same clock, and who vouches for it. */
  readonly wallClock: WallClock;
  readonly updates: Updates;
}
