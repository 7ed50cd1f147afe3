import type { ArchiveAccess } from "../../archive/index.js";
import type { StreamKey } from "../../base/index.js";

/**
 * The recorded moment nearest to `timeUs`: itself where it lies in a recording; in a gap, before the first or in the
 * future the end or the beginning of the nearest one. Undefined when nothing is recorded.
 */
export function nearestRecordedUs(
  archive: ArchiveAccess,
  key: StreamKey,
  timeUs: number,
): number | undefined {
  if (archive.hasArchiveAt(key, timeUs)) return timeUs;
  const keyFrameUs = archive.nearestFrameUs(key, timeUs);
  if (keyFrameUs === undefined) return undefined;
  // What lies nearer than the nearest key frame is the end of what was recorded before it.
  const reachUs = Math.abs(timeUs - keyFrameUs);
  let nearestUs = keyFrameUs;
  for (const { fromUs, toUs } of archive.fragments(key, timeUs - reachUs, timeUs + reachUs + 1)) {
    const candidateUs = Math.min(Math.max(timeUs, fromUs), toUs - 1);
    if (Math.abs(candidateUs - timeUs) < Math.abs(nearestUs - timeUs)) nearestUs = candidateUs;
  }
  return nearestUs;
}
