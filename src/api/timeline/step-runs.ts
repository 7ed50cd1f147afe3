import type { Interval } from "./intervals.js";

/** Runs that no gap of at least a step divides. */
export interface StepRun extends Interval {
  /** How much of it is recorded. */
  readonly recordedUs: number;
}

/** Joins runs over gaps that are shorter than a step: nobody sees them. `runs`: in order. */
export function joinedBySteps(runs: readonly Interval[], stepUs: number): StepRun[] {
  const joined: { fromUs: number; toUs: number; recordedUs: number }[] = [];
  for (const { fromUs, toUs } of runs) {
    const last = joined.at(-1);
    if (last === undefined || fromUs - last.toUs >= stepUs)
      joined.push({ fromUs, toUs, recordedUs: toUs - fromUs });
    else {
      last.toUs = toUs;
      last.recordedUs += toUs - fromUs;
    }
  }
  return joined;
}
