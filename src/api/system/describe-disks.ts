import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  type RouteDescription,
  TEXT,
  textUpTo,
  WHOLE,
} from "../route/index.js";

/** The routes of the disks, as /openapi.json describes them. */

const PATH_LENGTH_MAX = 4096;
const TEXT_LENGTH_MAX = 256;

const VOLUME = objectOf({
  Path: TEXT,
  VolumeId: orNull(GUID),
  State: choice(["InUse", "Retired", "LeftOut"]),
  Reason: { ...orNull(TEXT), description: "Why it cannot be used now." },
  SizeBytes: orNull(WHOLE),
  FreeBytes: orNull(WHOLE),
  RecordedBytes: orNull(WHOLE),
  DaysLeft: { ...orNull(WHOLE), description: "Until the oldest recordings must give way." },
});
const DISK = objectOf({
  Device: TEXT,
  Model: TEXT,
  Serial: TEXT,
  SizeBytes: WHOLE,
  IsRotational: orNull(FLAG),
  IsSystemDisk: FLAG,
  Verdict: choice(["good", "worn", "failing", "unknown"]),
  Summary: orNull(TEXT),
  IsAsleep: FLAG,
  TemperatureCelsius: orNull(NUMBER),
  PowerOnHours: orNull(NUMBER),
  Contents: listOf(objectOf({ Name: TEXT, Type: TEXT, Label: TEXT, MountPoint: orNull(TEXT) })),
  Volumes: listOf(VOLUME),
});
const WORK = objectOf({
  Action: choice(["format", "replace"]),
  Device: TEXT,
  State: choice(["Running", "Done", "Failed"]),
  Step: TEXT,
  StartTime: ISO_TIME,
  EndTime: orNull(ISO_TIME),
  Path: orNull(TEXT),
  Problem: { ...orNull(TEXT), description: "Why it failed, or what is left to do." },
});

const PATH: JsonSchema = { ...textUpTo(PATH_LENGTH_MAX), description: "As GET /api/disks has it." };
const FORMAT_MEMBERS = {
  Device: { ...textUpTo(TEXT_LENGTH_MAX), description: "`/dev/sdb`: a whole disk." },
  Serial: textUpTo(TEXT_LENGTH_MAX),
  Confirm: {
    ...textUpTo(TEXT_LENGTH_MAX),
    description: "The serial number once more; the device name of a disk without one.",
  },
  EraseFound: { ...orNull(FLAG), default: false, description: "What is found on the disk may go." },
};
const FORMAT_REQUIRED = ["Device", "Serial", "Confirm"];
const WORK_ANSWER = {
  ...jsonAnswer(objectOf({ Work: WORK }), "It has begun; GET /api/disks says how far it is."),
  status: 202,
};

export const DISKS_DESCRIPTION: RouteDescription = {
  summary: "The disks of the machine, the volumes on them, and what is being done to one",
  answer: jsonAnswer(
    objectOf({
      Disks: listOf(DISK),
      OtherVolumes: {
        ...listOf(VOLUME),
        description: "Those on no disk that can be seen: away, or elsewhere.",
      },
      Work: { oneOf: [WORK, { type: "null" }] },
      Problem: { ...orNull(TEXT), description: "Why the state of the disks is not known." },
    }),
    "As last looked at; no disk is asked for it.",
  ),
};

export const FORMAT_DESCRIPTION: RouteDescription = {
  summary: "Formats a disk for recordings: all on it is lost",
  body: { required: true, schema: objectOf(FORMAT_MEMBERS, FORMAT_REQUIRED) },
  answer: WORK_ANSWER,
  errors: [404, 409, 501],
};

export const REPLACE_DESCRIPTION: RouteDescription = {
  summary: "Formats a disk, and then retires the volume that it takes the place of",
  text: "The old volume is forgotten where it is away or holds nothing; else its recordings stay and are played.",
  body: { required: true, schema: objectOf({ Path: PATH, ...FORMAT_MEMBERS }, ["Path", ...FORMAT_REQUIRED]) },
  answer: WORK_ANSWER,
  errors: [404, 409, 501],
};

export const ADOPT_DESCRIPTION: RouteDescription = {
  summary: "Takes the volume that lies at a path, whichever it is",
  body: {
    required: true,
    schema: objectOf(
      {
        Path: PATH,
        Confirm: {
          ...orNull(textUpTo(TEXT_LENGTH_MAX)),
          description: "Id of the volume that belonged there.",
        },
      },
      ["Path"],
    ),
  },
  answer: jsonAnswer(objectOf({ VolumeId: GUID }), "It is recorded onto, and its recordings are read in."),
  errors: [404, 409, 503],
};

export const RETIRE_DESCRIPTION: RouteDescription = {
  summary: "Records nothing new onto a volume, or again; what it holds is played",
  body: { required: true, schema: objectOf({ Path: PATH, Retired: FLAG }) },
  answer: jsonAnswer(objectOf({ IsRetired: FLAG }), "Its cameras go elsewhere with their next key frames."),
  errors: [404, 409],
};

export const FORGET_DESCRIPTION: RouteDescription = {
  summary: "Gives a volume up: its recordings leave the archive, the files on the disk stay",
  body: {
    required: true,
    schema: objectOf({
      Path: PATH,
      Confirm: { ...textUpTo(PATH_LENGTH_MAX), description: "The volume's id; its path where it has none." },
    }),
  },
  answer: jsonAnswer(objectOf({ IsForgotten: FLAG }), "It is no part of the archive any more."),
  errors: [404, 409],
};
