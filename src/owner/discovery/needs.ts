import type { DeviceDirectory } from "../../camera/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface DiscoveryNeeds {
  readonly site: SiteStore;
  /** What is on the network, added or not. */
  readonly devices: DeviceDirectory;
}
