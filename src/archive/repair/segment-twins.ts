import type { Guid } from "../../base/index.js";
import { isKeyFramesFragment } from "../segment/fragment-origin.js";
import type { SegmentSummary, VolumeAccess } from "../segment/segment-summary.js";

/*
 * Two files of one segment: a move was interrupted after its copy was in place, and before the original was removed; or its key
 * frames came back from off the box while the volume with the whole of it was away.
 */

/** Whether what is known of a segment lies on another volume. */
export function isElsewhere(known: SegmentSummary | undefined, summary: SegmentSummary): boolean {
  return known !== undefined && known.volumeId !== summary.volumeId;
}

/**
 * Whether a file counts rather than the known one: it is the whole of it, or it was moved more often. That is what the index says
 * after each move, and the files alone say the same. One whose volume or file is not there does not count.
 */
export async function countsBefore(
  summary: SegmentSummary,
  known: SegmentSummary,
  volumeOf: (volumeId: Guid) => VolumeAccess | undefined,
): Promise<boolean> {
  const [moves, knownMoves] = await Promise.all([
    movesOf(summary, volumeOf(summary.volumeId)),
    movesOf(known, volumeOf(known.volumeId)),
  ]);
  const isKeys = isKeyFramesFragment(summary.fragmentId);
  if (isKeys !== isKeyFramesFragment(known.fragmentId) && moves >= 0 && knownMoves >= 0) return !isKeys;
  return moves === knownMoves ? summary.volumeId < known.volumeId : moves > knownMoves;
}

/** Less than those of any file where it cannot be read: it is no longer there, or cannot be played from there. */
async function movesOf(file: SegmentSummary, volume: VolumeAccess | undefined): Promise<number> {
  if (volume === undefined) return -1;
  const [found] = await volume.readSummaries([file], { deep: false });
  return found === undefined || "error" in found ? -1 : await volume.movesOf(file);
}
