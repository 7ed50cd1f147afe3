import type { AnalysisControl } from "../../analysis/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { FindingStore, SeenMarks } from "../../finding/index.js";
import type { Stills } from "../../picture/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface AnalysisNeeds {
  readonly site: SiteStore;
  readonly analysis: AnalysisControl;
  readonly findings: Pick<FindingStore, "search" | "get" | "state">;
  readonly seen: Pick<SeenMarks, "isSeen" | "mark" | "upToUs">;
  readonly archive: ArchiveAccess;
  readonly stills: Stills;
  readonly clock: Clock;
}
