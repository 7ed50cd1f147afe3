import type { Clock } from "../../base/index.js";
import type { NetworkControl } from "../../network/index.js";
import type { ServerReach } from "../../route/index.js";

/** What the routes of this topic work with. */
export interface NetworkNeeds {
  readonly network: NetworkControl;
  readonly reach: ServerReach;
  readonly clock: Clock;
  /** Origins that browsers may call from. */
  readonly corsOrigins: readonly string[];
}
