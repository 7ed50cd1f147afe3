/**
 * archive: recorded frames on disks: segments, the LMDB index, writer, reader, retention, recovery, check.
 *
 * Belongs here: everything that knows a segment file, a volume or the index; every disk call of a volume, on its own threads.
 * Does not belong here: when to record (`recording`), which camera (`camera`), HTTP (`api`), SMART (`health`).
 */
export * from "./archive.js";
export { READER_MEMORY_BYTES_MAX } from "./read/archive-reader.js";

export * from "./time/boot-times.js";
export * from "./repair/check.js";
export * from "./repair/check-report.js";
export type { CheckOptions, CheckProgress } from "./repair/check-state.js";
export * from "./retention/retention-clock.js";
export { newestRecordedUs } from "./time/epochs.js";
export { HELD_BYTES_MAX_DEFAULT } from "./write/held-frames.js";
export * from "./repair/index-upkeep.js";
export * from "./volume/known-volumes.js";
export * from "./index/lmdb-guard.js";
export * from "./index/lmdb-segment-index.js";
export * from "./notice/notices.js";
export { READERS_MAX_DEFAULT } from "./read/open-readers.js";
export * from "./volume/overload-counters.js";
export { ProtectedFile, type ProtectedRange } from "./retention/protected-file.js";
export * from "./retention/protection.js";
export * from "./repair/rebuild.js";
export * from "./read/recorded-access.js";
export type { PieceRead, RecordedFile } from "./read/recorded-file.js";
export type { RecordedPiece, RecordedQuery, RecordedSegment } from "./read/recorded-segments.js";
export * from "./read/recorded-time.js";
export * from "./time/redating.js";
export type { ChannelDays } from "./retention/removal-queue.js";
export * from "./retention/retention.js";
export * from "./segment/segment-index.js";
export * from "./segment/segment-summary.js";
export * from "./segment/types.js";
export * from "./retention/volume-excess.js";
export * from "./retention/volume-status.js";
export * from "./retention/volume-wear.js";
