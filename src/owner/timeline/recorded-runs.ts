import type { ArchiveAccess } from "../../archive/index.js";
import { type Guid, type Interval, STREAM_TYPES, type StreamKey, union } from "../../base/index.js";

/** The times within an interval, and cut to it, in which any stream of a channel is recorded. */
export function recordedRuns(
  archive: Pick<ArchiveAccess, "fragments">,
  channelId: Guid,
  within: Interval,
): Interval[] {
  return union(STREAM_TYPES.flatMap((streamType) => streamRuns(archive, { channelId, streamType }, within)));
}

/** The same of one stream. */
export function streamRuns(
  archive: Pick<ArchiveAccess, "fragments">,
  key: StreamKey,
  within: Interval,
): Interval[] {
  return runsOf(archive.fragments(key, within.fromUs, within.toUs), within);
}

/** The times of fragments, cut to an interval. */
export function runsOf(fragments: readonly Interval[], { fromUs, toUs }: Interval): Interval[] {
  const cut = fragments.map((run) => ({
    fromUs: Math.max(fromUs, run.fromUs),
    toUs: Math.min(toUs, run.toUs),
  }));
  return union(cut.filter((run) => run.toUs > run.fromUs));
}

/** Where a channel's recordings begin; undefined if there are none. */
export function firstRecordedUs(
  archive: Pick<ArchiveAccess, "nearestFrameUs">,
  channelId: Guid,
): number | undefined {
  const starts = STREAM_TYPES.flatMap(
    (streamType) => archive.nearestFrameUs({ channelId, streamType }, 0) ?? [],
  );
  return starts.length === 0 ? undefined : Math.min(...starts);
}

/** What lies between runs that are in order, within an interval. */
export function gapsBetween(runs: readonly Interval[], { fromUs, toUs }: Interval): Interval[] {
  const gaps: Interval[] = [];
  let atUs = fromUs;
  for (const run of runs) {
    if (run.fromUs > atUs) gaps.push({ fromUs: atUs, toUs: run.fromUs });
    atUs = Math.max(atUs, run.toUs);
  }
  if (atUs < toUs) gaps.push({ fromUs: atUs, toUs });
  return gaps;
}
