import type { TaskItem, TaskObject, TaskResults } from "../../contract/answer/index.js";
import { requestJson } from "./request.js";

type Kind = keyof TaskResults;

const ASKED_MS = 700;

export function isOver({ State }: Pick<TaskItem, "State">): boolean {
  return State !== "Waiting" && State !== "Running";
}

/** Starts long work in the recorder. Rejects with RequestError. */
export function startTask<const K extends Kind>(kind: K, body: object = {}): Promise<TaskObject<K>> {
  return requestJson<TaskObject<K>>("/api/tasks", { method: "POST", body: { Kind: kind, ...body } });
}

/** Long work that is under way, of one kind: somebody closed the page meanwhile. */
export async function taskUnderWay(kind: Kind): Promise<TaskItem | undefined> {
  const tasks = await requestJson<readonly TaskItem[]>("/api/tasks");
  return tasks.find((task) => task.Kind === kind && !isOver(task));
}

/** Asks for a task until it is over; `onTask` gets each answer. Aborting stops the asking, not the work. */
export async function followTask<K extends Kind>(
  id: string,
  onTask: (task: TaskObject<K>) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const task = await requestJson<TaskObject<K>>(`/api/tasks/${id}`, { signal });
    onTask(task);
    if (isOver(task)) return;
    await new Promise((resolve) => setTimeout(resolve, ASKED_MS));
  }
}
