import type { ArchiveAccess, RecordedBytes, RemovedTimesAccess } from "../../archive/index.js";
import { type Clock, type Guid, STREAM_TYPES, US_PER_HOUR } from "../../base/index.js";
import type { SiteStore } from "../../site/index.js";
import { type ArchiveReach, archiveReach } from "./archive-reach.js";
import type { VolumeHealth } from "./health-figures.js";

/** A volume as it is, and what is written to it in a day. */
export type ReachVolume = Pick<VolumeHealth, "status" | "bytesPerDay">;

/** What the reach of the recordings is worked out from. */
interface ReachSources {
  readonly site: Pick<SiteStore, "current">;
  readonly archive: Pick<ArchiveAccess, "fragments">;
  /** What each channel records in a day. */
  readonly channelBytes: Pick<RecordedBytes, "read">;
  /** What retention has removed. */
  readonly removedTimes: RemovedTimesAccess;
  readonly clock: Clock;
}

/** How far back the recordings on volumes reach, and how far they will: the one forecast of all answers. */
export async function readReach(
  { site, archive, channelBytes, removedTimes, clock }: ReachSources,
  volumes: readonly ReachVolume[],
): Promise<ArchiveReach> {
  const bytes = await channelBytes.read();
  const nowUs = clock.nowUs();
  const known = site.current.cameras.map(({ id, name, archive: { minDays, maxDays } }) => ({
    ...{ id, name, bytes: bytes.get(id), removed: removedTimes.of(id) },
    startedUs: startOf(archive, id, nowUs),
    days: { minDays, maxDays },
  }));
  const written = volumes.flatMap(({ status, bytesPerDay }) =>
    status?.isRetired === false ? (bytesPerDay ?? []) : [],
  );
  const writtenPerDay = written.length === 0 ? undefined : written.reduce((total, rate) => total + rate, 0);
  const statuses = volumes.flatMap(({ status }) => status ?? []);
  return archiveReach(statuses, known, nowUs, writtenPerDay);
}

/** Where the recording of the last hour begins, that of any stream. */
function startOf(archive: ReachSources["archive"], channelId: Guid, nowUs: number): number | undefined {
  const starts = STREAM_TYPES.flatMap((streamType) =>
    archive.fragments({ channelId, streamType }, nowUs - US_PER_HOUR, nowUs).map(({ fromUs }) => fromUs),
  );
  return starts.length === 0 ? undefined : Math.min(...starts);
}
