/**
 * archive: recorded frames on disks: segments, the LMDB index, writer, reader, retention, recovery, check.
 *
 * Belongs here: everything that knows a segment file, a volume or the index; every disk call of a volume, on its own threads.
 * Does not belong here: when to record (`recording`), which camera (`camera`), HTTP (`compat`, `owner`), SMART (`health`).
 *
 * Parts: `notice/`: what the archive says of itself, for events; `segment/`: the format of segments as bytes, and what
 * is known of one; `disk/`: what runs on a volume's threads, and the messages to them; `index/`: the LMDB index of
 * closed segments; `time/`: moments of a boot whose clock became known later; `write/`: from a live frame to a segment
 * that is being written; `volume/`: one volume and the set of them: watching, choosing, status; `read/`: frames and
 * runs of recording, back out; `move/`: what a retired volume holds goes to the others; `repair/`: check, rebuild, taking in what a crash left open; `retention/`: what is
 * removed for space or age, what is protected, wear.
 */
export { Archive, type ArchiveOptions, type VolumeSettings } from "./archive.js";
export { SIDE_FILE_SHORT } from "./disk/side-files.js";
export { VOLUME_FORMAT_VERSION } from "./disk/volume-identity.js";
export type { SideFile } from "./disk/volume-messages.js";
export { VolumeError } from "./disk/volume-thread.js";
export {
  type IndexStatus,
  LmdbSegmentIndex,
  type LmdbSegmentIndexOptions,
} from "./index/lmdb-segment-index.js";
export { type MoveState, VolumeMoves } from "./move/volume-moves.js";
export type { ArchiveNotice } from "./notice/notices.js";
export { type AwayChannel, type AwayRecordings, spansWithout } from "./read/all-segments.js";
export { READER_MEMORY_BYTES_MAX } from "./read/archive-reader.js";
export { gopsOfEnds, TAIL_BYTES_MAX } from "./read/far-gops.js";
export {
  type FarBytes,
  type FarRange,
  type FarSegment,
  FarSegments,
  HEAD_BYTES,
} from "./read/far-segments.js";
export { READERS_MAX_DEFAULT } from "./read/open-readers.js";
export type { RecordedAccess } from "./read/recorded-access.js";
export { type ChannelBytes, type DayBytes, RecordedBytes } from "./read/recorded-bytes.js";
export { firstFrame, type PieceRead, type RecordedFile } from "./read/recorded-file.js";
export type { RecordedPiece, RecordedQuery, RecordedSegment } from "./read/recorded-segments.js";
export { RecordedTime } from "./read/recorded-time.js";
export { RecordingUnreachable } from "./read/recording-unreachable.js";
export { RecordingsNeeded, whenKnown } from "./read/recordings-needed.js";
export { checkArchive } from "./repair/check.js";
export { type CheckReport, checkExitStatus, checkReportText, PROBLEM_KINDS } from "./repair/check-report.js";
export type { CheckProgress } from "./repair/check-state.js";
export { type IndexReading, IndexUpkeep } from "./repair/index-upkeep.js";
export { rebuildIndex } from "./repair/rebuild.js";
export {
  PROTECTED_RANGES_MAX,
  type ProtectedState,
  Protection,
  type ProtectionAccess,
  type ProtectionRequest,
} from "./retention/protection.js";
export type { ChannelDays } from "./retention/removal-queue.js";
export {
  type RemovalCause,
  type RemovedTime,
  RemovedTimes,
  type RemovedTimesAccess,
} from "./retention/removed-times.js";
export {
  DAYS_INTERVAL_MS,
  Retention,
  type RetentionCounts,
  type RetentionIndex,
  type RetentionOptions,
  type RetentionVolume,
} from "./retention/retention.js";
export { type AgeClock, LEAD_BELIEVED_AFTER_US, RetentionClock } from "./retention/retention-clock.js";
export { channelDepths, emptyUs, type VolumeStatus, volumeStatus } from "./retention/volume-status.js";
export { VolumeWear } from "./retention/volume-wear.js";
export {
  type FragmentOrigin,
  fragmentOrigin,
  isKeyFramesFragment,
  keyFramesFragmentId,
} from "./segment/fragment-origin.js";
export { packGopTable, unpackGopTable } from "./segment/gop-table.js";
export { isKeyFramesHead, type KeyFrameSegment, keyFrameSegment } from "./segment/key-frame-segment.js";
export { NoSegments } from "./segment/no-segments.js";
export { HEADER_FIXED_BYTES } from "./segment/segment-format.js";
export { codecsOfHead, volumeOfHead } from "./segment/segment-header.js";
export type { SeekOptions, SegmentIndex } from "./segment/segment-index.js";
export type { SegmentReading } from "./segment/segment-reading.js";
export {
  type GopEntry,
  type OpenSegment,
  type SegmentFile,
  type SegmentListing,
  type SegmentSummary,
  type StrayFile,
  type SummaryOutcome,
  segmentIdOf,
  segmentPath,
  type VolumeAccess,
} from "./segment/segment-summary.js";
export {
  type ArchiveAccess,
  type ArchivedFrame,
  type ArchiveFragment,
  type ArchiveKey,
  type ArchiveReader,
  type ChannelKey,
  type ReadOptions,
  type RecordedChange,
  type RecordedChangeListener,
  type RecordedChannel,
  type RecordedDay,
  type StreamWriter,
  streamTypesOf,
} from "./segment/types.js";
export {
  allowedBytes,
  movingRoom,
  quotaLeft,
  reservedFiles,
  type VolumeQuota,
  type VolumeUse,
} from "./segment/volume-room.js";
export { spaceOf, type VolumeSpace } from "./segment/volume-space.js";
export { BOOT_TIMES_FILE, type BootTime, bootTimesText, parseBootTimes } from "./time/boot-times.js";
export { newestRecordedUs } from "./time/epochs.js";
export {
  CLOCK_FLOOR_US,
  RecorderClock,
  type RecorderClockOptions,
} from "./time/recorder-clock.js";
export { Redating } from "./time/redating.js";
export { KnownVolumes } from "./volume/known-volumes.js";
export type { OverloadCounters } from "./volume/overload-counters.js";
export type { SideFiles } from "./volume/volume.js";
export { segmentPaths } from "./volume/volume-segments.js";
export { HELD_BYTES_MAX_DEFAULT } from "./write/held-frames.js";
export { WRITE_TICK_MS_DEFAULT } from "./write/volume-writer.js";
