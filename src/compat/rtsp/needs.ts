import type { Access } from "../../access/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock, Log } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** The needs of the RTSP sources. */
export interface RtspNeeds {
  readonly site: SiteStore;
  readonly access: Access;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
  readonly log: Log;
  /** Type of the licence. */
  readonly productType: string;
}
