import { MS_PER_SECOND, SECONDS_PER_HOUR } from "../../base/index.js";
import type { DiskSmart, DiskState, DiskVerdict } from "../disk/disk-state.js";
import type { HealthFigures } from "../report/health-figures.js";
import { counter, gauge, known, type Labels, type MetricDefinition, type Sample } from "./metric.js";

const DISK = ["disk", "serial"];
const VERDICTS: readonly DiskVerdict[] = ["good", "worn", "failing", "unknown"];
const PERCENT = 100;

function diskLabels({ device, serial }: DiskState): Labels {
  return { disk: device, serial };
}

function ofSmart(read: (smart: DiskSmart) => number | boolean | null) {
  return ({ disks = [] }: HealthFigures): readonly Sample[] =>
    disks.flatMap((disk) => (disk.smart === undefined ? [] : known(read(disk.smart), diskLabels(disk))));
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** Metrics of the machine's disks; a figure that a disk's kind does not have is left out. */
export const DISK_METRICS: readonly MetricDefinition[] = [
  gauge(
    "nvrd_disk_info",
    "Always 1; the disk's model and firmware as labels.",
    [...DISK, "model", "firmware"],
    ({ disks = [] }) =>
      disks.map((disk) => [1, { ...diskLabels(disk), model: disk.model, firmware: disk.firmware }]),
  ),
  gauge(
    "nvrd_disk_verdict",
    "1 for the disk's verdict: good, worn, failing or unknown; 0 for the others.",
    [...DISK, "verdict"],
    ({ disks = [] }) =>
      disks.flatMap((disk) =>
        VERDICTS.map(
          (verdict) => [Number(disk.verdict === verdict), { ...diskLabels(disk), verdict }] as const,
        ),
      ),
  ),
  gauge("nvrd_disk_size_bytes", "Size of the disk.", DISK, ({ disks = [] }) =>
    disks.map((disk) => [disk.bytes, diskLabels(disk)]),
  ),
  gauge(
    "nvrd_disk_asleep",
    "1 while the disk sleeps; it is not woken for its figures.",
    DISK,
    ({ disks = [] }) => disks.map((disk) => [Number(disk.isAsleep), diskLabels(disk)]),
  ),
  gauge(
    "nvrd_disk_read_time_seconds",
    "When the disk's own figures (SMART) were read, Unix time.",
    DISK,
    ofSmart(({ readMs }) => readMs / MS_PER_SECOND),
  ),
  gauge(
    "nvrd_disk_smart_passed",
    "The disk's own overall assessment; 0: it fails.",
    DISK,
    ofSmart((s) => s.passed),
  ),
  gauge(
    "nvrd_disk_temperature_celsius",
    "Temperature of the disk.",
    DISK,
    ofSmart((s) => s.temperatureCelsius),
  ),
  counter(
    "nvrd_disk_power_on_seconds_total",
    "Power-on time of the disk over its life.",
    DISK,
    ofSmart((s) => scaled(s.powerOnHours, SECONDS_PER_HOUR)),
  ),
  counter(
    "nvrd_disk_written_bytes_total",
    "Bytes written to the disk in its life.",
    DISK,
    ofSmart((s) => s.bytesWritten),
  ),
  gauge(
    "nvrd_disk_reallocated_sectors",
    "Sectors replaced by spare ones (attribute 5).",
    DISK,
    ofSmart((s) => s.reallocatedSectors),
  ),
  gauge(
    "nvrd_disk_uncorrectable_errors",
    "Errors that could not be corrected (attribute 187; media errors of NVMe).",
    DISK,
    ofSmart((s) => s.uncorrectableErrors),
  ),
  gauge(
    "nvrd_disk_command_timeouts",
    "Commands that timed out (attribute 188).",
    DISK,
    ofSmart((s) => s.commandTimeouts),
  ),
  gauge(
    "nvrd_disk_pending_sectors",
    "Sectors that could not be read and are pending (attribute 197).",
    DISK,
    ofSmart((s) => s.pendingSectors),
  ),
  gauge(
    "nvrd_disk_offline_uncorrectable_sectors",
    "Sectors that the disk's own scan could not read (attribute 198).",
    DISK,
    ofSmart((s) => s.offlineUncorrectable),
  ),
  gauge(
    "nvrd_disk_life_used_ratio",
    "Share of the rated life that is used; may exceed 1.",
    DISK,
    ofSmart((s) => scaled(s.percentageUsed, 1 / PERCENT)),
  ),
  gauge(
    "nvrd_disk_spare_ratio",
    "Share of the spare blocks that is left (NVMe).",
    DISK,
    ofSmart((s) => scaled(s.availableSparePercent, 1 / PERCENT)),
  ),
  gauge(
    "nvrd_disk_critical_warnings",
    "Active critical warnings (NVMe).",
    DISK,
    ofSmart((s) => s.criticalWarnings.length),
  ),
];
