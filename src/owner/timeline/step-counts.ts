import type { Interval } from "../../base/index.js";
import type { TimelineCounts } from "../../contract/answer/index.js";

/** The steps of an answer. */
export interface Steps extends Interval {
  readonly count: number;
}

export function stepUs({ fromUs, toUs, count }: Steps): number {
  return (toUs - fromUs) / count;
}

/** Counts moments by the steps they lie in. */
export function countBySteps(lists: readonly (readonly number[])[], steps: Steps): TimelineCounts {
  const { fromUs, toUs, count } = steps;
  const perUs = count / (toUs - fromUs);
  const counts = new Uint32Array(lists.length === 0 ? 0 : count);
  let total = 0;
  for (const timesUs of lists) {
    // By hand: a hundred thousand moments in an answer.
    for (let at = 0; at < timesUs.length; at++) {
      const timeUs = timesUs[at] ?? 0;
      if (timeUs < fromUs || timeUs >= toUs) continue;
      const step = Math.min(count - 1, Math.trunc((timeUs - fromUs) * perUs));
      counts[step] = (counts[step] ?? 0) + 1;
      total += 1;
    }
  }
  return { Total: total, ...nonZero(counts) };
}

/** A loop by hand: iterators over thousands of steps, for each group of each channel, take longer than all else. */
function nonZero(counts: Uint32Array): Pick<TimelineCounts, "Steps" | "Counts"> {
  const steps: number[] = [];
  const found: number[] = [];
  for (let step = 0; step < counts.length; step++) {
    const count = counts[step] ?? 0;
    if (count === 0) continue;
    steps.push(step);
    found.push(count);
  }
  return { Steps: steps, Counts: found };
}
