import { formatIsoTime } from "../../base/index.js";
import type { StorageDisk, StorageWork, StoredVolume } from "../../storage/index.js";
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
} from "../route/index.js";

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
  PowerOnHours: orNull(NUMBER),
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
    PowerOnHours: health?.smart?.powerOnHours ?? null,
    Contents: disk.contents.map(({ name, type, label, mountPoint }) => ({
      Name: name,
      Type: type,
      Label: label,
      MountPoint: mountPoint ?? null,
    })),
    Volumes: disk.volumes.map(describeVolume),
  };
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
