import type { ArchiveAccess, ProtectionAccess } from "../../archive/index.js";
import type { Cards } from "../../camera/index.js";
import type { EventLog } from "../../event/index.js";
import type { ServerReach } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface CameraNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  /** The evidence lock. */
  readonly protection: ProtectionAccess;
  readonly events: EventLog;
  /** The ports in use. */
  readonly reach: ServerReach;
  readonly cards: Pick<Cards, "isSupported">;
}
