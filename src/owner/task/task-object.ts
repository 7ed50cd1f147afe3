import { ACME_PROBLEMS } from "../../acme/index.js";
import { formatIsoTime } from "../../base/index.js";
import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  range,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import { TASK_KINDS, TASK_STATES, type Task } from "../../task/index.js";
import { ADDITION_ITEM, DISCOVERY_ITEM } from "../discovery/index.js";
import { READ_CAMERA } from "./read-camera-object.js";

const RESULTS: readonly JsonSchema[] = [
  named("ScanResult", objectOf({ Devices: listOf(DISCOVERY_ITEM) })),
  named("ReadCamerasResult", objectOf({ Cameras: listOf(READ_CAMERA) })),
  named("AddCamerasResult", objectOf({ Cameras: listOf(ADDITION_ITEM) })),
  named("DiskResult", objectOf({ Path: meaning("Path of the new volume.", TEXT), Problem: orNull(TEXT) })),
  named(
    "MoveResult",
    objectOf({
      Path: meaning("The volume that the recordings are moved from.", TEXT),
      Moved: meaning("Segments that were moved.", WHOLE),
      MovedBytes: WHOLE,
      Left: meaning("Segments that are still on it.", WHOLE),
      LeftBytes: WHOLE,
      Unreadable: meaning("Files that cannot be read, and why; the first 100.", listOf(TEXT)),
      Reason: meaning("Why others are left; null if none is.", orNull(TEXT)),
    }),
  ),
  named("AdoptResult", objectOf({ VolumeId: GUID })),
  named(
    "CheckResult",
    objectOf({
      IsClean: meaning("Nothing is wrong, or all was repaired.", FLAG),
      Files: meaning("Files of recordings that were looked at.", WHOLE),
      Problems: WHOLE,
      Repaired: meaning("Problems that are repaired.", WHOLE),
      Text: meaning("The report, as `nvrd check` prints it.", TEXT),
    }),
  ),
  named(
    "ExportResult",
    objectOf({
      Url: meaning("Path of the file below the recorder's address, for the same user.", TEXT),
      Bytes: WHOLE,
      Sha256: TEXT,
      ETag: TEXT,
    }),
  ),
  named("AnnounceResult", objectOf({ Seconds: meaning("Sound that was sent.", NUMBER) })),
  named(
    "TryAcmeResult",
    objectOf({
      TermsUrl: meaning(
        "The authority's terms of use; null where it has none, or does not answer.",
        orNull(TEXT),
      ),
      Checks: meaning(
        "What was looked at so far: `Clock`: whether the recorder knows the time. `Http`: whether it answers plain HTTP. `Authority`: whether its server answers. `Name`: whether `Name` leads to this recorder at port 80, as far as can be told from here.",
        listOf(
          objectOf({
            What: choice(["Clock", "Http", "Authority", "Name"]),
            Name: TEXT,
            Problem: meaning("Null: it is well.", orNull(choice(ACME_PROBLEMS))),
            Title: orNull(TEXT),
            Remedy: meaning("What to do.", orNull(TEXT)),
            Reason: meaning("The same for programmers.", orNull(TEXT)),
          }),
        ),
      ),
    }),
  ),
  named("ObtainCertificateResult", objectOf({ Names: listOf(TEXT), ValidTo: ISO_TIME })),
  named("UpdateResult", objectOf({ Version: orNull(TEXT), FromVersion: orNull(TEXT) })),
];

export const TASK: JsonSchema = named(
  "Task",
  objectOf({
    Id: GUID,
    Kind: choice(TASK_KINDS),
    State: choice(TASK_STATES),
    Subject: meaning("What is worked on; empty where the kind says it.", TEXT),
    Progress: meaning("Null while it is not known.", orNull(range(0, 1))),
    Step: meaning("What is being done; may be empty.", TEXT),
    StartTime: ISO_TIME,
    EndTime: orNull(ISO_TIME),
    User: meaning("Who started it; null for the command line and the recorder itself.", orNull(TEXT)),
    CanCancel: FLAG,
    Result: {
      anyOf: [...RESULTS, { type: "null" }],
      description: "What was found or made, also so far; its members depend on `Kind`.",
    },
    Error: meaning("Why it failed.", orNull(TEXT)),
  }),
);

/** The same without the result, which may be long. */
export const TASK_ITEM: JsonSchema = named("TaskItem", withoutResult(TASK));

export const TASK_EXAMPLE = {
  Id: "22222222-0000-4000-8000-00000000000d",
  Kind: "Check",
  State: "Running",
  Subject: "",
  Progress: 0.45,
  Step: "files: 12345",
  StartTime: "2026-11-21T09:00:00.0000000Z",
  EndTime: null,
  User: "root",
  CanCancel: true,
  Result: null,
  Error: null,
};

export function describeTask(task: Task): Record<string, unknown> {
  return { ...describeTaskItem(task), Result: task.result ?? null };
}

export function describeTaskItem(task: Task): Record<string, unknown> {
  const { id, kind, state, subject, progress, step, startedUs, endedUs, owner, canCancel, error } = task;
  return {
    Id: id,
    Kind: kind,
    State: state,
    Subject: subject,
    Progress: progress ?? null,
    Step: step,
    StartTime: formatIsoTime(startedUs),
    EndTime: endedUs === undefined ? null : formatIsoTime(endedUs),
    User: owner?.name ?? null,
    CanCancel: canCancel,
    Error: error ?? null,
  };
}

function withoutResult(schema: JsonSchema): JsonSchema {
  const { Result: _, ...properties } = schema.properties ?? {};
  return objectOf(properties);
}
