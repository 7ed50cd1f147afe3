/**
 * owner/task: long work: started, listed, cancelled in one place: /api/tasks.
 *
 * Belongs here: the endpoints, and for each kind of work who may start it, its body, and what it calls.
 * Does not belong here: the list of tasks (`task` of src), the work itself (`camera`, `archive`, `box/storage`, `box/update`).
 */
import type { Route } from "../../route/index.js";
import { CAMERA_PICTURE_ROUTE } from "./get-picture.js";
import { START_TASK_ROUTE } from "./post-task.js";
import type { TaskNeeds } from "./task-kind.js";
import { CANCEL_TASK_ROUTE, LIST_TASKS_ROUTE, TASK_ROUTE } from "./tasks.js";

export { acmeSettingsOf } from "./acme-settings.js";
export { CameraPictures } from "./camera-pictures.js";
export { diskTask, formatBody, formatRequest, replaceBody } from "./disk-work.js";
export { moveTask } from "./move-recordings.js";
export { taskEvent } from "./task-event.js";
export type { AcmePlace, ArchiveChecks, TaskNeeds } from "./task-kind.js";
export { bodyOfOrder } from "./task-kind.js";
export { UpdateTask } from "./update-task.js";

export const TASK_ROUTES: readonly Route<TaskNeeds>[] = [
  START_TASK_ROUTE,
  LIST_TASKS_ROUTE,
  TASK_ROUTE,
  CANCEL_TASK_ROUTE,
  CAMERA_PICTURE_ROUTE,
];
