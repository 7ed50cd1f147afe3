import { PART_SHARE_MIN, PART_TARGET_US_MAX, PART_TARGET_US_MIN } from "./limits.js";

/** A frame may come this much later than the longest seen so far. */
const JITTER = 1.1;
const STEP_US = 50_000;

/**
 * PART-TARGET for pictures `frameUs` apart: so long that one more picture always takes a part over the 85 % it must have
 * without taking it over the target. Undefined: pictures too far apart for parts.
 */
export function partTargetFor(frameUs: number): number | undefined {
  const neededUs = (frameUs * JITTER) / (1 - PART_SHARE_MIN);
  const targetUs = Math.max(PART_TARGET_US_MIN, Math.ceil(neededUs / STEP_US) * STEP_US);
  return targetUs <= PART_TARGET_US_MAX ? targetUs : undefined;
}
