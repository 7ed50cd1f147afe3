import {
  choice,
  decimal,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  number,
  oneOf,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";
import { additionList, discoveryList, readCameraList } from "./discovery.js";
import { acmeFindings } from "./system/certificate.js";

/** Long work: `/api/tasks`. */

const readResult = named("ReadCamerasResult", group({ Cameras: readCameraList }));
const diskResult = named(
  "DiskResult",
  group({ Path: meaning("Path of the new volume.", text), Problem: nullable(text) }),
);

/** What was found or made, by the kind of work. */
export const taskResults = {
  Scan: named("ScanResult", group({ Devices: discoveryList })),
  ReadCameras: readResult,
  TryCamera: readResult,
  AddCameras: named("AddCamerasResult", group({ Cameras: additionList })),
  Format: diskResult,
  Replace: diskResult,
  Move: named(
    "MoveResult",
    group({
      Path: meaning("The volume that the recordings are moved from.", text),
      Moved: meaning("Segments that were moved.", integer),
      MovedBytes: integer,
      Left: meaning("Segments that are still on it.", integer),
      LeftBytes: integer,
      Unreadable: meaning("Files that cannot be read, and why; the first 100.", listOf(text)),
      Reason: meaning("Why others are left; null if none is.", nullable(text)),
    }),
  ),
  Adopt: named("AdoptResult", group({ VolumeId: id })),
  Check: named(
    "CheckResult",
    group({
      IsClean: meaning("Nothing is wrong, or all was repaired.", flag),
      Files: meaning("Files of recordings that were looked at.", integer),
      Problems: integer,
      Repaired: meaning("Problems that are repaired.", integer),
      Text: meaning("The report, as `nvrd check` prints it.", text),
    }),
  ),
  Export: named(
    "ExportResult",
    group({
      Url: meaning("Path of the file below the recorder's address, for the same user.", text),
      Bytes: integer,
      Sha256: text,
      ETag: text,
    }),
  ),
  SaveFile: named(
    "SaveFileResult",
    group({
      Id: meaning("Of the [file](#get-apifilesid); null while it is made.", nullable(id)),
      Name: text,
      Bytes: meaning("Of the file; while it is made about as many as it will have.", integer),
    }),
  ),
  Announce: named("AnnounceResult", group({ Seconds: meaning("Sound that was sent.", number) })),
  TryAcme: acmeFindings,
  ObtainCertificate: named("ObtainCertificateResult", group({ Names: listOf(text), ValidTo: time })),
  Update: named("UpdateResult", group({ Version: nullable(text), FromVersion: nullable(text) })),
  FillGaps: named(
    "FillGapsResult",
    group({
      Gaps: meaning("Gaps that were looked for.", integer),
      Filled: integer,
      Failed: integer,
      Seconds: meaning("Of the recordings that were fetched.", number),
    }),
  ),
} as const;
export type TaskResults = { readonly [K in keyof typeof taskResults]: ValueOf<(typeof taskResults)[K]> };
export type TaskResult = TaskResults[keyof TaskResults];

/** Kinds of long work. */
const TASK_KINDS = [
  "Scan",
  "ReadCameras",
  "TryCamera",
  "AddCameras",
  "Format",
  "Replace",
  "Move",
  "Adopt",
  "Check",
  "Export",
  "SaveFile",
  "Announce",
  "Update",
  "FillGaps",
  "TryAcme",
  "ObtainCertificate",
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

const TASK_STATES = ["Waiting", "Running", "Done", "Failed", "Cancelled"] as const;
export type TaskState = (typeof TASK_STATES)[number];

const first = {
  Id: id,
  Kind: choice(...TASK_KINDS),
  State: choice(...TASK_STATES),
  Subject: meaning("What is worked on; empty where the kind says it.", text),
  Progress: meaning("Null while it is not known.", nullable(decimal(0, 1))),
  Step: meaning("What is being done; may be empty.", text),
  StartTime: time,
  EndTime: nullable(time),
  User: meaning("Who started it; null for the command line and the recorder itself.", nullable(text)),
  CanCancel: flag,
} as const;
const last = { Error: meaning("Why it failed.", nullable(text)) } as const;

export const task = named(
  "Task",
  group({
    ...first,
    Result: meaning(
      "What was found or made, also so far; its members depend on `Kind`.",
      nullable(oneOf(...new Set(Object.values(taskResults)))),
    ),
    ...last,
  }),
);

/** The same without the result, which may be long. */
const taskItem = named("TaskItem", group({ ...first, ...last }));
export type TaskItem = ValueOf<typeof taskItem>;
export const taskList = listOf(taskItem);

/** Of one kind, with its result. */
export type TaskObject<K extends keyof TaskResults = keyof TaskResults> = TaskItem & {
  readonly Result: TaskResults[K] | null;
};

export const taskCancelled = group({ Id: id });
