import { formatIsoTime, US_PER_MS } from "../../base/index.js";
import type { StorageDisk, StorageWork, StoredVolume } from "../../box/storage/index.js";
import type { Disk, DiskWork, Volume } from "../../contract/answer/index.js";
import { type DiskSmart, heatBounds, type VolumeHealth, volumeDays } from "../../health/index.js";
import { capitalized } from "../../route/index.js";
/* Disks, their volumes and operations, in the format of the API. */

export function describeDisk(disk: StorageDisk, figures: readonly VolumeHealth[]): Disk {
  const { health } = disk;
  return {
    Device: disk.device,
    Model: disk.model,
    Serial: disk.serial,
    SizeBytes: disk.bytes,
    IsRotational: disk.isRotational,
    IsSystemDisk: disk.isSystemDisk,
    Verdict: health?.verdict ?? "unknown",
    Summary: health?.summary ?? null,
    IsAsleep: health?.isAsleep ?? false,
    TemperatureCelsius: health?.smart?.temperatureCelsius ?? null,
    HotFromCelsius: health === undefined ? null : heatBounds(health).hotCelsius,
    PowerOnHours: health?.smart?.powerOnHours ?? null,
    Smart: health?.smart === undefined ? null : describeSmart(health.smart),
    Contents: disk.contents.map(({ name, type, label, mountPoint }) => ({
      Name: name,
      Type: type,
      Label: label,
      MountPoint: mountPoint ?? null,
    })),
    Volumes: disk.volumes.map((volume) => describeVolume(volume, figures)),
  };
}

function describeSmart({ readMs, passed, ...smart }: DiskSmart): NonNullable<Disk["Smart"]> {
  return { ReadTime: formatIsoTime(readMs * US_PER_MS), Passed: passed, ...capitalized(smart) };
}

const STATES = { "in use": "InUse", retired: "Retired", "left out": "LeftOut" } as const;
const WORK_STATES = { running: "Running", done: "Done", failed: "Failed" } as const;

/** `figures`: health's, which has the days. */
export function describeVolume(volume: StoredVolume, figures: readonly VolumeHealth[]): Volume {
  const known = figures.find(({ directory }) => directory === volume.directory);
  const daysLeft = known === undefined ? undefined : volumeDays(known).daysLeft;
  return {
    Path: volume.directory,
    VolumeId: volume.volumeId ?? null,
    State: STATES[volume.state],
    Reason: volume.reason === "" ? null : volume.reason,
    SizeBytes: volume.totalBytes ?? null,
    FreeBytes: volume.freeBytes ?? null,
    RecordedBytes: volume.usedBytes ?? null,
    AllowedBytes: volume.allowedBytes === undefined ? null : Math.round(volume.allowedBytes),
    DaysLeft: daysLeft === undefined ? null : Math.floor(daysLeft),
    EmptyTime: volume.emptyUs === undefined ? null : formatIsoTime(volume.emptyUs),
    ProjectedYearBytes:
      volume.projectedYearBytes === undefined ? null : Math.round(volume.projectedYearBytes),
    WorkloadTbPerYear: volume.workloadTbPerYear ?? null,
  };
}

export function describeWork(work: StorageWork): DiskWork {
  return {
    Action: work.action,
    Device: work.device,
    State: WORK_STATES[work.state],
    Step: work.step,
    StartTime: formatIsoTime(work.startedUs),
    EndTime: work.endedUs === undefined ? null : formatIsoTime(work.endedUs),
    Path: work.directory ?? null,
    Problem: work.problem ?? null,
  };
}
