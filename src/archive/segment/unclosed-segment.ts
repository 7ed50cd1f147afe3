import type { SegmentIndex } from "./segment-index.js";
import type { SegmentSummary } from "./segment-summary.js";

/**
 * Where a segment without a footer ends: where the next one of its fragment begins, else with its last frame, but not within
 * the segment behind it. `summary` was counted from its frames; the index need not hold it.
 */
export function endOfUnclosed(index: Pick<SegmentIndex, "following">, summary: SegmentSummary): number {
  const next = index.following(summary.key, summary);
  if (next === undefined || next.epoch !== summary.epoch) return summary.toUs;
  const lastUs = summary.gops.at(-1)?.decodeTimeUs ?? summary.fromUs;
  const continues =
    next.fragmentId === summary.fragmentId && next.fragmentSequence === summary.fragmentSequence + 1;
  const endsUs = continues ? next.fromUs : Math.min(summary.toUs, next.fromUs);
  return Math.max(endsUs, lastUs + 1);
}
