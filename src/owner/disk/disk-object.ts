import { formatIsoTime, US_PER_MS } from "../../base/index.js";
import { DISK_HISTORY_FIGURES, type DiskSmart, heatBounds } from "../../health/index.js";
import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import type { StorageDisk, StorageWork, StoredVolume } from "../../storage/index.js";

/* Disks, their volumes and operations, in the format of the API. */

const UNKNOWN = "Null if unknown.";
export const VOLUME = named(
  "Volume",
  objectOf({
    Path: TEXT,
    VolumeId: orNull(GUID),
    State: meaning(
      "`Retired`: nothing more is recorded onto it. `LeftOut`: it cannot be used, see `Reason`.",
      choice(["InUse", "Retired", "LeftOut"]),
    ),
    Reason: meaning("Why it cannot be used now.", orNull(TEXT)),
    SizeBytes: meaning(UNKNOWN, orNull(WHOLE)),
    FreeBytes: meaning(UNKNOWN, orNull(WHOLE)),
    RecordedBytes: meaning(UNKNOWN, orNull(WHOLE)),
    DaysLeft: meaning(`Days until the oldest recordings are deleted. ${UNKNOWN}`, orNull(WHOLE)),
    EmptyTime: meaning(
      "When a retired volume holds no recordings any more, by their age. Null if it is in use, or some have no limit of age.",
      orNull(ISO_TIME),
    ),
    ProjectedYearBytes: meaning(`Written in a year at the rate so far. ${UNKNOWN}`, orNull(WHOLE)),
    WorkloadTbPerYear: meaning("What the drive is rated for, if the settings say it.", orNull(NUMBER)),
  }),
);
/** The disk's own figures; null where its kind has no such figure. */
export const SMART_FIGURES = {
  TemperatureCelsius: orNull(NUMBER),
  PowerOnHours: orNull(NUMBER),
  BytesWritten: meaning("In its life.", orNull(NUMBER)),
  ReallocatedSectors: meaning("Replaced by spare ones (ATA attribute 5).", orNull(NUMBER)),
  UncorrectableErrors: meaning(
    "ATA attribute 187; media errors of NVMe; uncorrected errors of SCSI.",
    orNull(NUMBER),
  ),
  CommandTimeouts: meaning("ATA attribute 188.", orNull(NUMBER)),
  PendingSectors: meaning("Cannot be read now (ATA attribute 197).", orNull(NUMBER)),
  OfflineUncorrectable: meaning("ATA attribute 198.", orNull(NUMBER)),
  PercentageUsed: meaning("Of the rated life of an SSD; may exceed 100.", orNull(NUMBER)),
  AvailableSparePercent: meaning("NVMe: spare blocks that are left.", orNull(NUMBER)),
} as const;
const SMART = named(
  "DiskSmart",
  objectOf({
    ReadTime: ISO_TIME,
    Passed: meaning("The disk's own verdict.", orNull(FLAG)),
    ...SMART_FIGURES,
  }),
);
export const DISK = objectOf({
  Device: TEXT,
  Model: TEXT,
  Serial: meaning("Empty for a disk without one.", TEXT),
  SizeBytes: WHOLE,
  IsRotational: orNull(FLAG),
  IsSystemDisk: meaning("The machine runs from it, or nvrd keeps its own data there.", FLAG),
  Verdict: meaning("The health reported by the disk.", choice(["good", "worn", "failing", "unknown"])),
  Summary: meaning("The same as text.", orNull(TEXT)),
  IsAsleep: FLAG,
  TemperatureCelsius: orNull(NUMBER),
  HotFromCelsius: meaning(`From this temperature on the disk is too hot. ${UNKNOWN}`, orNull(NUMBER)),
  PowerOnHours: orNull(NUMBER),
  Smart: {
    oneOf: [SMART, { type: "null" }],
    description: "Its own figures, as last read. Null: none are known.",
  },
  Contents: meaning(
    "File systems and partition tables on it.",
    listOf(objectOf({ Name: TEXT, Type: TEXT, Label: TEXT, MountPoint: orNull(TEXT) })),
  ),
  Volumes: listOf(VOLUME),
});
export const WORK = named(
  "DiskWork",
  objectOf({
    Action: choice(["format", "replace"]),
    Device: TEXT,
    State: choice(["Running", "Done", "Failed"]),
    Step: TEXT,
    StartTime: ISO_TIME,
    EndTime: orNull(ISO_TIME),
    Path: meaning("Path of the new volume.", orNull(TEXT)),
    Problem: meaning("Why it failed, or what remains to be done.", orNull(TEXT)),
  }),
);

export function describeDisk(disk: StorageDisk): Record<string, unknown> {
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
    Volumes: disk.volumes.map(describeVolume),
  };
}

function describeSmart({ readMs, passed, ...smart }: DiskSmart): Record<string, unknown> {
  return { ReadTime: formatIsoTime(readMs * US_PER_MS), Passed: passed, ...describeFigures(smart) };
}

/** The figures of a reading or a sample, in the format of the API. */
export function describeFigures(figures: Pick<DiskSmart, (typeof DISK_HISTORY_FIGURES)[number]>): object {
  return Object.fromEntries(
    DISK_HISTORY_FIGURES.map((name) => [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, figures[name]]),
  );
}

const STATES = { "in use": "InUse", retired: "Retired", "left out": "LeftOut" } as const;
const WORK_STATES = { running: "Running", done: "Done", failed: "Failed" } as const;

export function describeVolume(volume: StoredVolume): Record<string, unknown> {
  return {
    Path: volume.directory,
    VolumeId: volume.volumeId ?? null,
    State: STATES[volume.state],
    Reason: volume.reason === "" ? null : volume.reason,
    SizeBytes: volume.totalBytes ?? null,
    FreeBytes: volume.freeBytes ?? null,
    RecordedBytes: volume.usedBytes ?? null,
    DaysLeft: volume.daysLeft === undefined ? null : Math.floor(volume.daysLeft),
    EmptyTime: volume.emptyUs === undefined ? null : formatIsoTime(volume.emptyUs),
    ProjectedYearBytes:
      volume.projectedYearBytes === undefined ? null : Math.round(volume.projectedYearBytes),
    WorkloadTbPerYear: volume.workloadTbPerYear ?? null,
  };
}

export function describeWork(work: StorageWork): Record<string, unknown> {
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
