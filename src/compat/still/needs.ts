import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Stills } from "../../picture/index.js";
import type { SiteStore } from "../../site/index.js";
import type { SnapshotSource } from "./snapshot-source.js";

/** What the routes of this topic work with. */
export interface StillNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  readonly stills: Stills;
  /** Snapshots made by cameras; none when absent. */
  readonly snapshots?: SnapshotSource;
  readonly clock: Clock;
}
