import type { NetworkControl } from "../../network/index.js";
import type { ServerReach } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { PageFiles } from "./page-files.js";

/** What the routes of this topic work with. */
export interface PageNeeds {
  /** Undefined: the page is switched off. */
  readonly page: PageFiles | undefined;
  readonly network: Pick<NetworkControl, "trialHosts">;
  readonly reach: ServerReach;
  readonly site: Pick<SiteStore, "current">;
}
