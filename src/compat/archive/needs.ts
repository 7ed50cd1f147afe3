import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface ArchiveNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}
