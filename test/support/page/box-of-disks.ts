/** A box with a disk of each kind, as `GET /api/disks` has them: for pictures of the page that no test machine could give. */

const NONE = {
  ...{
    IsSystemDisk: false,
    IsRotational: true,
    IsAsleep: false,
    TemperatureCelsius: null,
    PowerOnHours: null,
  },
  ...{ HotFromCelsius: 60, Summary: null, Contents: [], Volumes: [], Smart: null },
};

const VOLUME = {
  ...{ Path: "/srv/nvrd-11aa22bb", VolumeId: "77777777-0000-4000-8000-000000000001", State: "InUse" },
  ...{
    Reason: null,
    SizeBytes: 4e12,
    FreeBytes: 1.56e12,
    RecordedBytes: 2.4e12,
    AllowedBytes: 3.9e12,
    DaysLeft: 12,
  },
  ...{ EmptyTime: null, WorkloadTbPerYear: null, WorkloadShare: null, ProjectedYearBytes: 24e12 },
};

/** What a disk of four years says of itself. */
const FIGURES = {
  ...{ TemperatureCelsius: 36, PowerOnHours: 21_000, BytesWritten: 8.1e13, ReallocatedSectors: 0 },
  ...{ UncorrectableErrors: 0, CommandTimeouts: 2, PendingSectors: 0, OfflineUncorrectable: 0 },
  ...{ PercentageUsed: null, AvailableSparePercent: null },
};
const SMART = { ReadTime: "2026-11-21T08:45:00.0000000Z", Passed: true, ...FIGURES };

/** The answer of `GET /api/disks/history`. */
export const HISTORY_OF_DISK = {
  Device: "/dev/sdb",
  Samples: Array.from({ length: 60 }, (_, index) => ({
    Date: new Date(Date.UTC(2026, 8, 22 + index)).toISOString().slice(0, 10),
    ...{ ...FIGURES, TemperatureCelsius: 33 + (index % 7), BytesWritten: 7.7e13 + index * 6.6e10 },
    ReallocatedSectors: index < 40 ? 0 : 8,
  })),
};

export const WORKING_DISK = {
  ...{ ...NONE, Device: "/dev/sdb", Model: "WDC WD40PURX-64GVNY0", Serial: "WD-1", SizeBytes: 4e12 },
  ...{ Verdict: "good", TemperatureCelsius: 36, PowerOnHours: 21_000, Smart: SMART },
  Contents: [{ Name: "sdb", Type: "ext4", Label: "nvrd-11aa22bb", MountPoint: "/srv/nvrd-11aa22bb" }],
  Volumes: [VOLUME],
};

export const EMPTY_DISK = {
  ...{ ...NONE, Device: "/dev/sdc", Model: "ST8000VX004", Serial: "ZA1", SizeBytes: 8e12, Verdict: "good" },
  TemperatureCelsius: 31,
};

export const FAILING_DISK = {
  ...{ ...NONE, Device: "/dev/sdd", Model: "TOSHIBA HDWT860", Serial: "T1", SizeBytes: 6e12 },
  ...{ Verdict: "failing", TemperatureCelsius: 63, PowerOnHours: 60_000 },
  Volumes: [
    {
      ...{ ...VOLUME, Path: "/srv/nvrd-33cc44dd", VolumeId: "77777777-0000-4000-8000-000000000002" },
      ...{ SizeBytes: 6e12, FreeBytes: 3e11, RecordedBytes: 5.6e12, AllowedBytes: 3.9e12, DaysLeft: 0 },
    },
  ],
};

const FOREIGN_DISK = {
  ...{ ...NONE, Device: "/dev/sde", Model: "ST4000VN008", Serial: "ZB1", SizeBytes: 4e12, Verdict: "worn" },
  Contents: [{ Name: "sde", Type: "ext4", Label: "nvrd-1a2b3c4d", MountPoint: "/srv/nvrd-1a2b3c4d" }],
  Volumes: [
    {
      ...{ ...VOLUME, Path: "/srv/nvrd-1a2b3c4d", VolumeId: null, State: "LeftOut" },
      ...{
        Reason: "it is a volume of another recorder",
        RecordedBytes: null,
        AllowedBytes: null,
        DaysLeft: null,
      },
    },
  ],
};

const CARD = {
  ...{ ...NONE, Device: "/dev/mmcblk0", Model: "", Serial: "0x1", SizeBytes: 32e9, IsRotational: false },
  ...{ IsSystemDisk: true, Verdict: "unknown", HotFromCelsius: null },
};

export const MISSING_VOLUME = {
  ...{ ...VOLUME, Path: "/srv/nvrd-99ff00ee", VolumeId: "77777777-0000-4000-8000-000000000009" },
  ...{ State: "LeftOut", Reason: "/srv/nvrd-99ff00ee is no mount point: is its disk mounted?" },
  ...{ SizeBytes: null, FreeBytes: null, RecordedBytes: null, AllowedBytes: null, DaysLeft: null },
};

/** The answer of `GET /api/disks`. */
export const BOX_OF_DISKS = {
  Disks: [CARD, WORKING_DISK, EMPTY_DISK, FAILING_DISK, FOREIGN_DISK],
  OtherVolumes: [MISSING_VOLUME],
  Work: null,
  Problem: null,
};

const DAYS = { Days: [], RecordedBytes: 6e11, MinDays: 0, MaxDays: 0 };

/** The answer of `GET /api/archive`: a camera for each reason. */
export const ARCHIVE_OF_BOX = {
  ...{ Time: "2026-11-21T09:00:00.0000000Z", UsedBytes: 8e12, AllowedBytes: 9.6e12, ProtectedBytes: 0 },
  ...{ BytesPerDay: 3.1e11, DaysHeld: 23.4, FullTime: "2026-12-03T09:00:00.0000000Z" },
  Channels: [
    ["Gate", "Began", 9.3, 0, 0],
    ["Yard", "Age", 7, 0, 7],
    ["Store", "Space", 23.1, 0, 0],
    ["Till", "Minimum", 30, 30, 0],
    ["Office", "MinimumUnmet", 12, 30, 0],
    ["Roof", "Nothing", null, 0, 0],
  ].map(([name, reason, depth, min, max], index) => ({
    ...{ ...DAYS, ChannelId: `22222222-0000-4000-8000-00000000000${index}`, Name: name, Reason: reason },
    ...{ MinDays: min, MaxDays: max, DepthDays: depth, BytesPerDay: depth === null ? null : 4.3e10 },
    ForecastDays: depth === null ? null : max || min || 23.4,
    OldestTime:
      depth === null
        ? null
        : name === "Store"
          ? "2026-10-22T09:00:00.0000000Z"
          : "2026-10-29T09:00:00.0000000Z",
    CompleteSinceTime: depth === null ? null : "2026-10-29T09:00:00.0000000Z",
  })),
};
