import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  type RouteDescription,
  TEXT,
  textUpTo,
  WHOLE,
} from "../route/index.js";

/** The routes of the disks. */

const PATH_LENGTH_MAX = 4096;
const TEXT_LENGTH_MAX = 256;

const UNKNOWN = "Null where it is not known.";
const VOLUME = named(
  "Volume",
  objectOf({
    Path: TEXT,
    VolumeId: orNull(GUID),
    State: meaning(
      "`Retired`: nothing new is recorded onto it. `LeftOut`: it cannot be used, `Reason` says why.",
      choice(["InUse", "Retired", "LeftOut"]),
    ),
    Reason: meaning("Why it cannot be used now.", orNull(TEXT)),
    SizeBytes: meaning(UNKNOWN, orNull(WHOLE)),
    FreeBytes: meaning(UNKNOWN, orNull(WHOLE)),
    RecordedBytes: meaning(UNKNOWN, orNull(WHOLE)),
    DaysLeft: meaning(`Until the oldest recordings are removed. ${UNKNOWN}`, orNull(WHOLE)),
  }),
);
const DISK = objectOf({
  Device: TEXT,
  Model: TEXT,
  Serial: meaning("Empty for a disk that has none.", TEXT),
  SizeBytes: WHOLE,
  IsRotational: orNull(FLAG),
  IsSystemDisk: meaning("The machine runs from it, or nvrd keeps its own data there.", FLAG),
  Verdict: meaning("What the disk says of itself.", choice(["good", "worn", "failing", "unknown"])),
  Summary: meaning("The same in words.", orNull(TEXT)),
  IsAsleep: FLAG,
  TemperatureCelsius: orNull(NUMBER),
  PowerOnHours: orNull(NUMBER),
  Contents: meaning(
    "File systems and tables of partitions on it.",
    listOf(objectOf({ Name: TEXT, Type: TEXT, Label: TEXT, MountPoint: orNull(TEXT) })),
  ),
  Volumes: listOf(VOLUME),
});
const WORK = named(
  "DiskWork",
  objectOf({
    Action: choice(["format", "replace"]),
    Device: TEXT,
    State: choice(["Running", "Done", "Failed"]),
    Step: TEXT,
    StartTime: ISO_TIME,
    EndTime: orNull(ISO_TIME),
    Path: meaning("Of the new volume.", orNull(TEXT)),
    Problem: meaning("Why it failed, or what is left to do.", orNull(TEXT)),
  }),
);

const PATH: JsonSchema = { ...textUpTo(PATH_LENGTH_MAX), description: "As `GET /api/disks` has it." };
const FORMAT_MEMBERS = {
  Device: meaning("A whole disk: `/dev/sdb`.", textUpTo(TEXT_LENGTH_MAX)),
  Serial: textUpTo(TEXT_LENGTH_MAX),
  Confirm: meaning(
    "The serial number once more; the device name of a disk that has none.",
    textUpTo(TEXT_LENGTH_MAX),
  ),
  EraseFound: { ...orNull(FLAG), default: false, description: "Erase what is found on the disk." },
};
const FORMAT_REQUIRED = ["Device", "Serial", "Confirm"];
const WORK_ANSWER = {
  ...jsonAnswer(objectOf({ Work: WORK }), "The work has begun. `GET /api/disks` says how far it is."),
  status: 202,
};
const WRONG_CONFIRM = "The body is faulty, or `Confirm` does not fit.";
const FORMAT_ERRORS = {
  400: WRONG_CONFIRM,
  404: "There is no such disk, or no such volume.",
  409: "Another disk is being worked on, the disk has another serial number, or it holds something and `EraseFound` is not true. A disk that is mounted, swap, part of a RAID, or that the machine runs from is always refused.",
  501: "The setting `volumesDirectory` is not given.",
};

export const DISKS_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Lists the disks of the machine, the volumes on them, and the work on a disk",
  text: [
    "The routes under `/api/disks` are additions of nvrd's. No disk is asked for the list. What to do with disks, step by step: [disks](../guide/disks.md).",
  ],
  answer: jsonAnswer(
    objectOf({
      Disks: listOf(DISK),
      OtherVolumes: meaning("Volumes on no disk that can be seen: away, or elsewhere.", listOf(VOLUME)),
      Work: {
        oneOf: [WORK, { type: "null" }],
        description: "The disk that is being worked on, or was last.",
      },
      Problem: meaning("Why the state of the disks is not known.", orNull(TEXT)),
    }),
    "The disks, as last looked at.",
  ),
  example: ['curl -u "$AUTH" "$NVR/api/disks"'],
};

export const FORMAT_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Formats a disk for recordings: all data on it is lost",
  text: [
    "The whole disk becomes one ext4 file system, labelled `nvrd-` and eight digits. It is recorded onto as soon as it is mounted below `volumesDirectory`. One disk is formatted at a time.",
    "",
    "The work needs the disk keeper (setting `diskKeeper`), a process with root's rights that the Debian package brings. Without it the work fails and says so.",
  ],
  body: { required: true, schema: objectOf(FORMAT_MEMBERS, FORMAT_REQUIRED) },
  answer: WORK_ANSWER,
  errors: FORMAT_ERRORS,
  example: [
    'curl -u "$AUTH" -X POST "$NVR/api/disks/format" --data \'{',
    '  "Device": "/dev/sdb", "Serial": "WD-WCC4E1234567", "Confirm": "WD-WCC4E1234567" }\'',
  ],
};

export const REPLACE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Formats a disk, and then retires the volume whose place it takes",
  text: [
    "It works as [formatting](#post-apidisksformat). When the new disk is recorded onto, the volume at `Path` is retired. Where that volume is away or holds nothing, it is forgotten as well. Otherwise its recordings stay on it and are played. If the formatting fails, the old volume stays as it was.",
  ],
  body: { required: true, schema: objectOf({ Path: PATH, ...FORMAT_MEMBERS }, ["Path", ...FORMAT_REQUIRED]) },
  answer: WORK_ANSWER,
  errors: FORMAT_ERRORS,
  example: [
    'curl -u "$AUTH" -X POST "$NVR/api/disks/replace" --data \'{ "Path": "/srv/nvrd-0a1b2c3d",',
    '  "Device": "/dev/sdb", "Serial": "WD-WCC4E1234567", "Confirm": "WD-WCC4E1234567", "EraseFound": true }\'',
  ],
};

export const ADOPT_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Takes the volume that lies at a path, whichever it is, with its recordings",
  body: {
    required: true,
    schema: objectOf(
      {
        Path: PATH,
        Confirm: meaning("Where another volume belonged there: its id.", orNull(textUpTo(TEXT_LENGTH_MAX))),
      },
      ["Path"],
    ),
  },
  answer: jsonAnswer(objectOf({ VolumeId: GUID }), "It is recorded onto, and its recordings are read in."),
  errors: {
    400: WRONG_CONFIRM,
    404: "There is no volume at the path.",
    409: "The volume that belongs there is in use.",
    503: "The volume cannot be used; the text says why.",
  },
  example: ['curl -u "$AUTH" -X POST "$NVR/api/disks/adopt" --data \'{ "Path": "/srv/nvrd-0a1b2c3d" }\''],
};

export const RETIRE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Stops recording onto a volume, or starts it again",
  text: [
    "Its cameras move to other volumes with their next key frames. What it holds is played until retention removes it. A retired volume may be away without being missed.",
  ],
  body: {
    required: true,
    schema: objectOf({
      Path: PATH,
      Retired: meaning("False: it is recorded onto again.", FLAG),
    }),
  },
  answer: jsonAnswer(objectOf({ IsRetired: FLAG }), "The volume is retired, or in use again."),
  errors: {
    404: "There is no such volume.",
    409: "It is the last volume that can be recorded onto, or no volume was taken there yet.",
  },
  example: [
    'curl -u "$AUTH" -X POST "$NVR/api/disks/retire" --data \'{ "Path": "/srv/nvrd-0a1b2c3d", "Retired": true }\'',
  ],
};

export const FORGET_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Gives up a volume that is retired or left out",
  text: [
    "Its recordings leave the archive, protected ones as well. The files stay on the disk, and come back when the volume is adopted.",
  ],
  body: {
    required: true,
    schema: objectOf({
      Path: PATH,
      Confirm: meaning("The volume's id; its path where it has none.", textUpTo(PATH_LENGTH_MAX)),
    }),
  },
  answer: jsonAnswer(objectOf({ IsForgotten: FLAG }), "The volume is no longer part of the archive."),
  errors: {
    400: WRONG_CONFIRM,
    404: "There is no such volume.",
    409: "It is recorded onto: retire it first.",
  },
  example: [
    'curl -u "$AUTH" -X POST "$NVR/api/disks/forget" --data \'{',
    '  "Path": "/srv/nvrd-0a1b2c3d", "Confirm": "99999999-0000-4000-8000-000000000001" }\'',
  ],
};
