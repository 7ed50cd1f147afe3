import type { Interval } from "../../base/index.js";

/** Runs that no gap of at least a step divides. */
export interface StepRun extends Interval {
  /** How much of it is recorded. */
  readonly recordedUs: number;
}

/**
 * Joins runs over gaps that are shorter than a step, because nobody sees them, and cuts them to a time. `lists`: runs in order,
 * list behind list.
 */
export function joinedBySteps(
  lists: readonly (readonly Interval[])[],
  stepUs: number,
  within: Interval,
): StepRun[] {
  const joined: StepRun[] = [];
  let last: { fromUs: number; toUs: number; recordedUs: number } | undefined;
  for (const runs of lists) {
    for (const run of runs) {
      const fromUs = Math.max(within.fromUs, run.fromUs);
      const toUs = Math.min(within.toUs, run.toUs);
      if (toUs <= fromUs) continue;
      if (last !== undefined && fromUs - last.toUs < stepUs) {
        last.toUs = toUs;
        last.recordedUs += toUs - fromUs;
      } else {
        last = { fromUs, toUs, recordedUs: toUs - fromUs };
        joined.push(last);
      }
    }
  }
  return joined;
}
