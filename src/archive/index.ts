/**
 * archive: recorded frames on disks: segments, the LMDB index, writer, reader, retention, recovery, check.
 *
 * Belongs here: everything that knows a segment file, a volume or the index; every disk call of a volume, on its own threads.
 * Does not belong here: when to record (`recording`), which camera (`camera`), HTTP (`api`), SMART (`health`).
 */
export * from "./archive.js";

export * from "./boot-times.js";
export * from "./check.js";
export * from "./check-report.js";
export type { CheckOptions, CheckProgress } from "./check-state.js";
export * from "./day-clock.js";
export { newestRecordedUs } from "./epochs.js";
export * from "./index-upkeep.js";
export * from "./known-volumes.js";
export * from "./lmdb-guard.js";
export * from "./lmdb-segment-index.js";
export * from "./notices.js";
export * from "./overload-counters.js";
export { ProtectedFile, type ProtectedRange } from "./protected-file.js";
export * from "./protection.js";
export * from "./rebuild.js";
export * from "./recorded-access.js";
export type { PieceRead, RecordedFile } from "./recorded-file.js";
export type { RecordedPiece, RecordedQuery, RecordedSegment } from "./recorded-segments.js";
export * from "./recorded-time.js";
export * from "./redating.js";
export type { ChannelDays } from "./removal-queue.js";
export * from "./retention.js";
export * from "./segment-index.js";
export * from "./segment-summary.js";
export * from "./types.js";
export * from "./volume-excess.js";
export * from "./volume-status.js";
export * from "./volume-wear.js";
