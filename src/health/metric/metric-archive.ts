import { BITS_PER_BYTE, BYTES_PER_MB, MS_PER_SECOND, SECONDS_PER_DAY } from "../../base/index.js";
import type { HealthFigures, VolumeHealth } from "../report/health-figures.js";
import { archiveDays } from "../report/health-report.js";
import { counter, gauge, known, type MetricDefinition, oneCounter, oneGauge } from "./metric.js";

const VOLUME = ["volume"];

function ofVolumes(read: (volume: VolumeHealth) => number | boolean | null | undefined) {
  return ({ volumes }: HealthFigures) =>
    volumes.flatMap((volume) => known(read(volume), { volume: volume.directory }));
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** Metrics of the archive, its volumes, its index, the event log and the findings. */
export const ARCHIVE_METRICS: readonly MetricDefinition[] = [
  oneGauge("nvrd_archive_bytes", "Bytes of recordings on the volumes in use.", ({ archive }) =>
    scaled(archive.sizeMb, BYTES_PER_MB),
  ),
  oneGauge(
    "nvrd_archive_write_bytes_per_second",
    "Bytes a second written to all volumes, averaged over two minutes.",
    ({ archive }) => scaled(archive.writeMbitPerSecond, BYTES_PER_MB / BITS_PER_BYTE),
  ),
  oneGauge(
    "nvrd_archive_depth_seconds",
    "Recorded time, without gaps, of the stream that has most of it.",
    ({ archive }) => scaled(archive.depthDays, SECONDS_PER_DAY),
  ),
  oneGauge(
    "nvrd_archive_time_left_seconds",
    "Time until the oldest recordings are deleted, at the rate of today and yesterday.",
    (figures) => scaled(archiveDays(figures).daysLeft ?? null, SECONDS_PER_DAY),
  ),
  oneGauge(
    "nvrd_archive_time_held_seconds",
    "Time that the volumes hold when full, at the rate of today and yesterday.",
    (figures) => scaled(archiveDays(figures).daysHeld ?? null, SECONDS_PER_DAY),
  ),
  gauge(
    "nvrd_archive_error",
    "1 while there is such an error: database, frame_saving, drives, thinning, smart (see /hddstatus).",
    ["error"],
    ({ archive: { errors } }) => [
      ...known(errors.database, { error: "database" }),
      ...known(errors.frameSaving, { error: "frame_saving" }),
      ...known(errors.drives, { error: "drives" }),
      ...known(errors.thinning, { error: "thinning" }),
      ...known(errors.smart, { error: "smart" }),
    ],
  ),
  oneCounter(
    "nvrd_retention_removed_segments_total",
    "Segments that retention removed.",
    ({ removed }) => removed.segments,
  ),
  oneCounter(
    "nvrd_retention_removed_bytes_total",
    "Bytes that retention removed.",
    ({ removed }) => removed.bytes,
  ),
  gauge(
    "nvrd_volume_usable",
    "1 while the volume is recorded to.",
    VOLUME,
    ofVolumes((v) => v.isUsable),
  ),
  gauge(
    "nvrd_volume_size_bytes",
    "Size of the volume's file system.",
    VOLUME,
    ofVolumes((v) => v.status?.totalBytes),
  ),
  gauge(
    "nvrd_volume_free_bytes",
    "Free bytes of the volume's file system.",
    VOLUME,
    ofVolumes((v) => v.status?.freeBytes),
  ),
  gauge(
    "nvrd_volume_files",
    "Files that the volume's file system has inodes for; absent where it sets no limit.",
    VOLUME,
    ofVolumes((v) => v.status?.files?.total),
  ),
  gauge(
    "nvrd_volume_free_files",
    "Files that the volume's file system has free inodes for.",
    VOLUME,
    ofVolumes((v) => v.status?.files?.free),
  ),
  gauge(
    "nvrd_volume_recordings_bytes",
    "Bytes of recordings on the volume.",
    VOLUME,
    ofVolumes((v) => v.status?.usedBytes),
  ),
  gauge(
    "nvrd_volume_allowed_bytes",
    "Most bytes of recordings that quota and reserve allow.",
    VOLUME,
    ofVolumes((v) => v.status?.allowedBytes),
  ),
  gauge(
    "nvrd_volume_protected_bytes",
    "Bytes that users protect from retention.",
    VOLUME,
    ofVolumes((v) => v.status?.protectedBytes),
  ),
  counter(
    "nvrd_volume_written_bytes_total",
    "Bytes written to the volume since it was last opened.",
    VOLUME,
    ofVolumes((v) => v.writtenBytes),
  ),
  counter(
    "nvrd_volume_failed_segments_total",
    "Segments that the volume failed to write.",
    VOLUME,
    ofVolumes((v) => v.segmentsFailed),
  ),
  gauge(
    "nvrd_volume_held_bytes",
    "Bytes of frames that wait for the volume.",
    VOLUME,
    ofVolumes((v) => v.heldBytes),
  ),
  gauge(
    "nvrd_volume_held_bytes_max",
    "Most bytes of frames that may wait for the volume.",
    VOLUME,
    ofVolumes((v) => v.heldBytesMax),
  ),
  gauge(
    "nvrd_volume_write_stall_seconds",
    "Duration of the current write.",
    VOLUME,
    ofVolumes((v) => v.writeStallMs / MS_PER_SECOND),
  ),
  gauge(
    "nvrd_volume_sync_stall_seconds",
    "Duration of the current sync.",
    VOLUME,
    ofVolumes((v) => v.syncStallMs / MS_PER_SECOND),
  ),
  gauge(
    "nvrd_volume_streams",
    "Streams that are recorded to the volume.",
    VOLUME,
    ofVolumes((v) => v.streams),
  ),
  gauge(
    "nvrd_volume_workload_ratio",
    "Bytes written in a year at the mean rate, as a share of the drive's workload rating.",
    VOLUME,
    ofVolumes((v) => v.status?.workloadShare),
  ),
  oneGauge("nvrd_index_ready", "1 once the index of recordings is open.", ({ index }) => index.ready),
  oneGauge("nvrd_index_failing", "1 while the index cannot be written.", ({ index }) => index.failing),
  oneGauge(
    "nvrd_index_uncommitted_segments",
    "Closed segments that the index does not hold durably yet.",
    ({ index }) => index.uncommittedSegments,
  ),
  oneGauge("nvrd_event_log_open", "1 while the event log is open.", ({ eventLog }) => eventLog.isOpen),
  oneGauge(
    "nvrd_event_log_failing",
    "1 while the event log cannot be written.",
    ({ eventLog }) => eventLog.isFailing,
  ),
  oneGauge(
    "nvrd_event_log_waiting_events",
    "Events that wait for the disk.",
    ({ eventLog }) => eventLog.waitingEvents,
  ),
  oneCounter(
    "nvrd_event_log_dropped_events_total",
    "Events that were never kept.",
    ({ eventLog }) => eventLog.droppedEvents,
  ),
  oneGauge(
    "nvrd_findings_failing",
    "1 while what was seen cannot be written.",
    ({ findings }) => findings?.isFailing,
  ),
  oneGauge(
    "nvrd_findings_waiting",
    "Findings that are over and wait for a volume.",
    ({ findings }) => findings?.waiting,
  ),
  oneGauge(
    "nvrd_findings_unread_files",
    "Files of findings on the volumes that are still to be read for searches.",
    ({ findings }) => findings?.unread,
  ),
  oneCounter("nvrd_findings_lost_total", "Findings that were never kept.", ({ findings }) => findings?.lost),
];
