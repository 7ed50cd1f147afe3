import type { AnalysisControl } from "../../analysis/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock, SeenKind } from "../../base/index.js";
import type { Finding, FindingDirection, FindingStore, SeenMarks } from "../../finding/index.js";
import type { Stills } from "../../picture/index.js";
import type { MotionZone } from "../../recording/index.js";
import type { Camera, ObjectChoice, SiteStore } from "../../site/index.js";

/** What would have been reported with other settings. */
export interface ObjectQuestion {
  readonly camera: Camera;
  readonly objects: ObjectChoice;
  readonly zones: readonly MotionZone[];
  readonly fromUs: number;
  readonly toUs: number;
  readonly signal: AbortSignal;
}

/** What a thing would have done. */
export interface TriedAct {
  readonly kind: SeenKind;
  /** Of the zone or line; empty: the picture. */
  readonly name: string;
  readonly direction?: FindingDirection;
  readonly timeUs: number;
}

export interface TriedFinding {
  readonly finding: Finding;
  readonly acts: readonly TriedAct[];
}

export interface TriedObjects {
  /** The newest first. */
  readonly found: readonly TriedFinding[];
  /** Things that were looked through. */
  readonly seen: number;
  /** There were more. */
  readonly isCut: boolean;
}

export interface ObjectTrials {
  run(question: ObjectQuestion): Promise<TriedObjects>;
}

/** What the routes of this topic work with. */
export interface AnalysisNeeds {
  readonly site: SiteStore;
  readonly analysis: AnalysisControl;
  readonly findings: Pick<FindingStore, "search" | "get" | "state">;
  readonly objectTrial: ObjectTrials;
  readonly seen: Pick<SeenMarks, "isSeen" | "mark" | "upToUs">;
  readonly archive: ArchiveAccess;
  readonly stills: Stills;
  readonly clock: Clock;
}
