import {
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  number,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";

/** The disks of the machine and their volumes: `/api/disks`. */

const UNKNOWN = "Null if unknown.";

const volume = named(
  "Volume",
  group({
    Path: text,
    VolumeId: nullable(id),
    State: meaning(
      "`Retired`: nothing more is recorded onto it. `LeftOut`: it cannot be used, see `Reason`.",
      choice("InUse", "Retired", "LeftOut"),
    ),
    Reason: meaning("Why it cannot be used now.", nullable(text)),
    SizeBytes: meaning(UNKNOWN, nullable(integer)),
    FreeBytes: meaning(UNKNOWN, nullable(integer)),
    RecordedBytes: meaning(UNKNOWN, nullable(integer)),
    AllowedBytes: meaning(
      `Bytes of recordings that it may hold: its quota, and what the reserve and other files leave. Quota and reserve are [settings](../ref/settings.md#volumes), which are read at the start: a change takes a restart of the service. ${UNKNOWN}`,
      nullable(integer),
    ),
    DaysLeft: meaning(
      `Days until the oldest recordings are deleted, as \`/api/health\` has it. ${UNKNOWN}`,
      nullable(integer),
    ),
    EmptyTime: meaning(
      "When a retired volume holds no recordings any more, by their age. Null if it is in use, or some have no limit of age.",
      nullable(time),
    ),
    ProjectedYearBytes: meaning(`Written in a year at the rate so far. ${UNKNOWN}`, nullable(integer)),
    WorkloadTbPerYear: meaning("What the drive is rated for, if the settings say it.", nullable(number)),
  }),
);
export type Volume = ValueOf<typeof volume>;

/** The disk's own figures; null where its kind has no such figure. */
const figures = {
  TemperatureCelsius: nullable(number),
  PowerOnHours: nullable(number),
  BytesWritten: meaning("In its life.", nullable(number)),
  ReallocatedSectors: meaning("Replaced by spare ones (ATA attribute 5).", nullable(number)),
  UncorrectableErrors: meaning(
    "ATA attribute 187; media errors of NVMe; uncorrected errors of SCSI.",
    nullable(number),
  ),
  CommandTimeouts: meaning("ATA attribute 188.", nullable(number)),
  PendingSectors: meaning("Cannot be read now (ATA attribute 197).", nullable(number)),
  OfflineUncorrectable: meaning("ATA attribute 198.", nullable(number)),
  PercentageUsed: meaning("Of the rated life of an SSD; may exceed 100.", nullable(number)),
  AvailableSparePercent: meaning("NVMe: spare blocks that are left.", nullable(number)),
} as const;
export type DiskFigureName = keyof typeof figures;

const smart = named(
  "DiskSmart",
  group({ ReadTime: time, Passed: meaning("The disk's own verdict.", nullable(flag)), ...figures }),
);

const disk = group({
  Device: text,
  Model: text,
  Serial: meaning("Empty for a disk without one.", text),
  SizeBytes: integer,
  IsRotational: nullable(flag),
  IsSystemDisk: meaning("The machine runs from it, or nvrd keeps its own data there.", flag),
  Verdict: meaning("The health reported by the disk.", choice("good", "worn", "failing", "unknown")),
  Summary: meaning("The same as text.", nullable(text)),
  IsAsleep: flag,
  TemperatureCelsius: nullable(number),
  HotFromCelsius: meaning(`From this temperature on the disk is too hot. ${UNKNOWN}`, nullable(number)),
  PowerOnHours: nullable(number),
  Smart: meaning("Its own figures, as last read. Null: none are known.", nullable(smart)),
  Contents: meaning(
    "File systems and partition tables on it.",
    listOf(group({ Name: text, Type: text, Label: text, MountPoint: nullable(text) })),
  ),
  Volumes: listOf(volume),
});
export type Disk = ValueOf<typeof disk>;

const diskWork = named(
  "DiskWork",
  group({
    Action: choice("format", "replace"),
    Device: text,
    State: choice("Running", "Done", "Failed"),
    Step: text,
    StartTime: time,
    EndTime: nullable(time),
    Path: meaning("Path of the new volume.", nullable(text)),
    Problem: meaning("Why it failed, or what remains to be done.", nullable(text)),
  }),
);
export type DiskWork = ValueOf<typeof diskWork>;

/** What begins work on a disk. */
export const diskWorkBegun = group({ Work: diskWork });
export type DiskWorkBegun = ValueOf<typeof diskWorkBegun>;

export const disks = group({
  Disks: listOf(disk),
  OtherVolumes: meaning("Volumes on no visible disk: absent, or on the network.", listOf(volume)),
  Work: meaning("The current or last operation.", nullable(diskWork)),
  Problem: meaning("Why the health of the disks is unknown.", nullable(text)),
});
export type Disks = ValueOf<typeof disks>;

const sample = group({ Date: meaning("A day of UTC: `2026-11-21`.", text), ...figures });
export type DiskSample = ValueOf<typeof sample>;

export const diskHistory = group({ Device: text, Samples: listOf(sample) });
export type DiskHistory = ValueOf<typeof diskHistory>;
