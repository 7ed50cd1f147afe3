import type { HealthFigures } from "./health-figures.js";
import { type HealthProblem, healthProblems, isLost } from "./health-problems.js";
import { archiveDays, summaryOf } from "./health-report.js";

/** Problems that a digest has at most, the worst first. */
const DIGEST_PROBLEMS_MAX = 8;
/** A longer text is cut. */
const TEXT_LENGTH_MAX = 200;

/** The recorder's health in a few figures, for whoever looks after many recorders. */
export interface HealthDigest {
  readonly summary: string;
  /** Cameras that are switched on, and those of them that do not answer. */
  readonly cameras: number;
  readonly camerasLost: number;
  /** Volumes of recordings, and those of them that cannot be used or lie on a disk that fails. */
  readonly volumes: number;
  readonly volumesAtFault: number;
  /** Until the oldest recordings are deleted; undefined while that is not known. */
  readonly daysLeft: number | undefined;
  /** Those that there are. */
  readonly problemCount: number;
  /** The worst of them. */
  readonly problems: readonly Pick<HealthProblem, "code" | "severity" | "text">[];
}

export function healthDigest(figures: HealthFigures): HealthDigest {
  const problems = healthProblems(figures);
  const on = figures.cameras.filter(({ isDisabled }) => !isDisabled);
  const failing = new Set(
    (figures.disks ?? []).filter(({ verdict }) => verdict === "failing").flatMap(({ volumes }) => volumes),
  );
  const volumes = figures.volumes.filter(({ isRetired }) => !isRetired);
  return {
    summary: summaryOf(figures, problems),
    cameras: on.length,
    camerasLost: on.filter(isLost).length,
    volumes: volumes.length,
    volumesAtFault: volumes.filter(({ isUsable, directory }) => !isUsable || failing.has(directory)).length,
    daysLeft: archiveDays(figures).daysLeft,
    problemCount: problems.length,
    problems: problems.slice(0, DIGEST_PROBLEMS_MAX).map(({ code, severity, text }) => ({
      ...{ code, severity },
      text: text.slice(0, TEXT_LENGTH_MAX),
    })),
  };
}
