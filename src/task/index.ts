/**
 * task: long work of the recorder, one list for all of it.
 *
 * Belongs here: what a piece of long work is, its progress, its end; how many may wait, run and be kept.
 * Does not belong here: the work itself (rooms of the service), who may start it (`owner`).
 */
export type {
  ObservedTask,
  RunningTask,
  Task,
  TaskOrder,
  TaskOwner,
} from "./task.js";
export { type TaskNotice, Tasks } from "./tasks.js";
