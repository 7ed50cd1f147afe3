import { NvrdError, parseGuid } from "../../base/index.js";
import {
  type TaskItem,
  type TaskObject,
  task,
  taskCancelled,
  taskList,
} from "../../contract/answer/index.js";
import { shown } from "../../http/index.js";
import {
  answerJson,
  jsonAnswer,
  languageOf,
  type RequestContext,
  type Route,
  schemaOf,
} from "../../route/index.js";
import type { Task } from "../../task/index.js";
import { maySee, type TaskNeeds } from "./task-kind.js";
import { describeTask, describeTaskItem, TASK_EXAMPLE } from "./task-object.js";

const ACCESS = "Everybody sees the own tasks, senior administrators all.";
const NOT_FOUND = "There is no such task, or it is another user's.";
const PATH_VALUES = { id: "`Id` of the list." };
const { Result: _, ...ITEM_EXAMPLE } = TASK_EXAMPLE;
const START_EXAMPLE = 'ID=$(curl -fsS -u "$AUTH" "$NVRD/api/tasks" --data \'{"Kind": "Check"}\' | member Id)';

export const LIST_TASKS_ROUTE: Route<TaskNeeds> = {
  method: "GET",
  path: "/api/tasks",
  login: "user",

  describe: {
    topic: "task",
    summary: "Lists long work, the newest first",
    access: ACCESS,
    text: ["Results are not in the list. What has ended is kept for a day, at most 64 tasks."],
    answer: jsonAnswer(schemaOf(taskList), "The tasks.", [ITEM_EXAMPLE]),
    example: ['curl -fu "$AUTH" "$NVRD/api/tasks"'],
  },
  /** GET /api/tasks: all long work that the user may see. */
  endpoint({ needs, principal, request }) {
    const seen = needs.tasks.list().filter((task) => maySee(principal, task));
    return answerJson<readonly TaskItem[]>(seen.map((task) => describeTaskItem(task, languageOf(request))));
  },
};

export const TASK_ROUTE: Route<TaskNeeds> = {
  method: "GET",
  path: "/api/tasks/{id}",
  login: "user",

  describe: {
    topic: "task",
    summary: "Returns how far long work is, and its result",
    access: ACCESS,
    text: ["Ask once a second or less."],
    pathValues: PATH_VALUES,
    answer: jsonAnswer(schemaOf(task), "The task.", TASK_EXAMPLE),
    errors: { 404: NOT_FOUND },
    example: [START_EXAMPLE, 'curl -fu "$AUTH" "$NVRD/api/tasks/$ID"'],
  },
  /** GET /api/tasks/{id}: one of them with its result. */
  endpoint(context) {
    return answerJson<TaskObject>(describeTask(requireTask(context), languageOf(context.request)));
  },
};

export const CANCEL_TASK_ROUTE: Route<TaskNeeds> = {
  method: "DELETE",
  path: "/api/tasks/{id}",
  login: "user",
  leavesNothing: true,

  describe: {
    topic: "task",
    summary: "Cancels long work, or forgets work that has ended",
    access: ACCESS,
    text: ["What was done up to then stays. The result so far can still be read."],
    pathValues: PATH_VALUES,
    answer: jsonAnswer(schemaOf(taskCancelled), "The work is cancelled, or forgotten."),
    errors: { 404: NOT_FOUND, 409: "Work of this kind cannot be cancelled: `CanCancel` is false." },
    example: [START_EXAMPLE, 'curl -fu "$AUTH" -X DELETE "$NVRD/api/tasks/$ID"'],
  },
  /** DELETE /api/tasks/{id}: cancels it, or forgets it. */
  endpoint(context) {
    const { needs, principal, log } = context;
    const { id, kind, state } = requireTask(context);
    needs.tasks.remove(id);
    log.info({ user: principal.user.name, task: id, kind, state }, "long work cancelled or forgotten");
    return answerJson({ Id: id });
  },
};

/** Throws NvrdError NOT_FOUND. */
export function requireTask({ needs, principal, pathValues }: RequestContext<TaskNeeds>): Task {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const task = id === undefined ? undefined : needs.tasks.get(id);
  if (task === undefined || !maySee(principal, task))
    throw new NvrdError("NOT_FOUND", `there is no task ${shown(text)}`, { hint: "see GET /api/tasks" });
  return task;
}
