import type { Principal } from "../../access/index.js";
import type { AwayControl } from "../../away/index.js";
import type { Clock } from "../../base/index.js";
import type { Announcements } from "../../camera/index.js";
import type { ServerReach } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { KnownFormats } from "../channel/index.js";
import type { ConfigurationAnswers } from "./configuration-answers.js";
import type { OtherServers, PartnerServer } from "./configuration-description.js";

/** The recorders of the LAN that stand by this one. */
export interface PartnerServers {
  /** The same list while nothing changes. */
  readonly servers: readonly PartnerServer[];
}

/** What the routes of this topic work with. */
export interface ConfigurationNeeds {
  readonly site: SiteStore;
  readonly formats: KnownFormats;
  /** Servers whose channels this one gives too, the same object while nothing of them changes; undefined: there are none. */
  readonly otherServers: (principal: Principal) => OtherServers | undefined;
  readonly configurationAnswers: ConfigurationAnswers;
  /** Paths of all routes. */
  readonly servedPaths: ReadonlySet<string>;
  readonly away: AwayControl;
  readonly partners: PartnerServers;
  readonly announcements: Pick<Announcements, "list">;
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  /** The addresses and ports this server is reached at. */
  readonly reach: ServerReach;
}
