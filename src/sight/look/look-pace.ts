import { US_PER_MS, US_PER_SECOND } from "../../base/index.js";

/** Something may be new: it is reported after its second look. */
const CURIOUS_US = 250 * US_PER_MS;
/** Things move. */
const MOVING_US = 500 * US_PER_MS;
/** Things are there and do not move. */
const STILL_US = 5 * US_PER_SECOND;
/** Something moves and is none of what is looked for: rain, a tree. */
const NOTHING_US = US_PER_SECOND;
const NOTHING_LONG_US = 3 * US_PER_SECOND;
const FRESH_US = 4 * US_PER_SECOND;
const LONG_US = 30 * US_PER_SECOND;

/** What is known of a camera's picture now. */
export interface SceneNow {
  readonly nowUs: number;
  /** Since when something moves; undefined: nothing does. */
  readonly movingSinceUs: number | undefined;
  /** Something was seen that may be new. */
  readonly isCurious: boolean;
  /** Things that are followed. */
  readonly things: number;
  /** When a thing was seen last. */
  readonly seenUs: number | undefined;
}

/** How often a camera wants to be looked at; undefined: not at all. */
export function lookPeriodUs(scene: SceneNow): number | undefined {
  const { nowUs, movingSinceUs, isCurious, things, seenUs } = scene;
  if (isCurious) return CURIOUS_US;
  if (movingSinceUs === undefined) return things > 0 ? STILL_US : undefined;
  if (nowUs - movingSinceUs < FRESH_US) return CURIOUS_US;
  if (things > 0) return MOVING_US;
  const emptyUs = nowUs - Math.max(movingSinceUs, seenUs ?? 0);
  return emptyUs < LONG_US ? NOTHING_US : NOTHING_LONG_US;
}
