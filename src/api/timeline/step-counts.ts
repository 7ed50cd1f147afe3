import type { TimelineCounts } from "../../messages/index.js";
import type { Interval } from "./intervals.js";

/** The steps of an answer. */
export interface Steps extends Interval {
  readonly count: number;
}

export function stepUs({ fromUs, toUs, count }: Steps): number {
  return (toUs - fromUs) / count;
}

/** Counts moments by the steps they lie in. */
export class StepCounts {
  readonly #steps: Steps;
  readonly #counts: Uint32Array;
  #total = 0;

  constructor(steps: Steps) {
    this.#steps = steps;
    this.#counts = new Uint32Array(steps.count);
  }

  add(timesUs: readonly number[]): void {
    const { fromUs, toUs, count } = this.#steps;
    const perUs = count / (toUs - fromUs);
    for (const timeUs of timesUs) {
      if (timeUs < fromUs || timeUs >= toUs) continue;
      const step = Math.min(count - 1, Math.floor((timeUs - fromUs) * perUs));
      this.#counts[step] = (this.#counts[step] ?? 0) + 1;
      this.#total += 1;
    }
  }

  get total(): number {
    return this.#total;
  }

  /** The steps that have any. */
  result(): TimelineCounts {
    const steps: number[] = [];
    const counts: number[] = [];
    for (const [step, count] of this.#counts.entries()) {
      if (count === 0) continue;
      steps.push(step);
      counts.push(count);
    }
    return { Total: this.#total, Steps: steps, Counts: counts };
  }
}
