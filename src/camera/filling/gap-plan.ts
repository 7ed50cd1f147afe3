import { type Interval, US_PER_HOUR, US_PER_SECOND, union } from "../../base/index.js";
import { outsideAll } from "./gap.js";

/** Shorter gaps are left: between two fragments a group of pictures may be missing that no key frame begins. */
export const GAP_US_MIN = US_PER_SECOND;
/** The same of what is left where filling was cut short: that ends between two groups of pictures. */
const REST_US_MIN = US_PER_SECOND / 5;
/** Longer gaps are filled in pieces: each is tried, reported and given up by itself. */
export const PIECE_US_MAX = US_PER_HOUR;
/** A gap that ended less than this ago may not be on the camera's card yet, nor its reason be known. */
export const SETTLED_US = 10 * US_PER_SECOND;

/** Why nothing was recorded, where the camera went on: what it kept then belongs into the recording. */
const FILLED_REASONS: ReadonlySet<string> = new Set([
  "camera-lost",
  "interrupted",
  "not-recordable",
  "service-stopped",
  "service-crashed",
  "power-cut",
]);

export type FillOrder = "oldest" | "newest";

/** A part of a gap and why it is there. */
export interface ReasonedGap extends Interval {
  readonly reason: string;
}

/** What is recorded, and whether it came from the camera's card. */
export interface RecordedPart extends Interval {
  readonly isFromCard: boolean;
}

export interface PlanSources {
  /** In order. */
  readonly recorded: readonly RecordedPart[];
  /** Older gaps are not filled. */
  readonly sinceUs: number;
  readonly nowUs: number;
  /** Times that were dealt with: filled as far as the camera had them, or given up. */
  readonly settled: readonly Interval[];
  readonly explain: (holes: readonly Interval[]) => Promise<readonly ReasonedGap[]>;
  readonly order: FillOrder;
}

/** The gaps that are to be filled from the camera's card, in the order in which that is done. */
export async function plannedGaps(sources: PlanSources): Promise<Interval[]> {
  const { recorded, sinceUs, nowUs, settled, explain, order } = sources;
  const untilUs = nowUs - SETTLED_US;
  const [first] = recorded;
  if (first === undefined || untilUs <= sinceUs) return [];
  // Before the first recording nothing is missing.
  const within = { fromUs: Math.max(sinceUs, first.fromUs), toUs: nowUs };
  const filledUpTo = new Set(recorded.filter(({ isFromCard }) => isFromCard).map(({ toUs }) => toUs));
  const isLong = ({ fromUs, toUs }: Interval): boolean =>
    toUs - fromUs >= (filledUpTo.has(fromUs) ? REST_US_MIN : GAP_US_MIN);
  const holes = outsideAll(within, recorded).filter(isLong);
  const open = holes.filter((hole) => outsideAll(hole, settled).some(isLong));
  if (open.length === 0) return [];
  const parts = await explain(open);
  const gaps = union(parts.filter(({ reason }) => FILLED_REASONS.has(reason)))
    // What reaches up to now goes on: the camera is still lost.
    .filter(({ toUs }) => toUs <= untilUs)
    .flatMap((gap) => outsideAll(gap, settled))
    .filter(isLong)
    .flatMap(pieces);
  return order === "oldest" ? gaps : gaps.reverse();
}

function pieces({ fromUs, toUs }: Interval): Interval[] {
  const count = Math.max(1, Math.ceil((toUs - fromUs) / PIECE_US_MAX));
  const lengthUs = Math.ceil((toUs - fromUs) / count);
  return Array.from({ length: count }, (_, at) => ({
    fromUs: fromUs + at * lengthUs,
    toUs: Math.min(toUs, fromUs + (at + 1) * lengthUs),
  }));
}
