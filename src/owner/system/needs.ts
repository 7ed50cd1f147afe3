import type { ChosenDirectory } from "../../access/index.js";
import type { EventLog } from "../../event/index.js";
import type { SiteStore } from "../../site/index.js";
import type {
  BrokerControl,
  OnvifDeviceControl,
  Restarts,
  SiteRevisions,
  Updates,
  WallClock,
} from "./states.js";

/** What the routes of this topic work with. */
export interface SystemNeeds {
  readonly broker: BrokerControl;
  readonly directory: ChosenDirectory;
  readonly events: EventLog;
  readonly onvifDevice: OnvifDeviceControl;
  readonly restarts: Restarts;
  readonly revisions: SiteRevisions;
  readonly site: SiteStore;
  readonly updates: Updates;
  /** Version of the software. */
  readonly version: string;
  /** The wall clock, and who vouches for it. */
  readonly wallClock: WallClock;
}
