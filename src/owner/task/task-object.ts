import { formatIsoTime, type Language } from "../../base/index.js";
import type { TaskItem, TaskObject } from "../../contract/answer/index.js";
import { refusalIn } from "../../route/index.js";
import type { Task } from "../../task/index.js";

/** A task that failed is no answer with a status. */
const NO_STATUS = 0;

export const TASK_EXAMPLE: TaskObject = {
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

/** What has failed says why in the reader's language. */
export function describeTask(task: Task, language: Language): TaskObject {
  return { ...describeTaskItem(task, language), Result: task.result };
}

export function describeTaskItem(task: Task, language: Language): TaskItem {
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
    Error: error === undefined ? null : refusalIn(language, NO_STATUS, error),
  };
}
