import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface MobileNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  readonly transcoding: Transcoding;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}
