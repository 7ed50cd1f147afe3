import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { Exports } from "./exports.js";

/** What the routes of this topic work with. */
export interface ExportNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly exports: Exports;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
}
