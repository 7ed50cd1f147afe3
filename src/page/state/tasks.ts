import { requestJson } from "./request.js";

/** A task as `/api/tasks` has it. */
export interface Task<Result> {
  readonly Id: string;
  readonly Kind: string;
  readonly Subject: string;
  readonly State: "Waiting" | "Running" | "Done" | "Failed" | "Cancelled";
  readonly Progress: number | null;
  readonly Step: string;
  readonly Result: Result | null;
  readonly Error: string | null;
}

const ASKED_MS = 700;

export function isOver({ State }: Pick<Task<unknown>, "State">): boolean {
  return State !== "Waiting" && State !== "Running";
}

/** Starts long work in the recorder. Rejects with RequestError. */
export function startTask<Result>(kind: string, body: object = {}): Promise<Task<Result>> {
  return requestJson<Task<Result>>("/api/tasks", { method: "POST", body: { Kind: kind, ...body } });
}

/** Long work that is under way, of one kind: somebody closed the page meanwhile. */
export async function taskUnderWay<Result>(kind: string): Promise<Task<Result> | undefined> {
  const tasks = await requestJson<readonly Task<Result>[]>("/api/tasks");
  return tasks.find((task) => task.Kind === kind && !isOver(task));
}

/** Asks for a task until it is over; `onTask` gets each answer. Aborting stops the asking, not the work. */
export async function followTask<Result>(
  id: string,
  onTask: (task: Task<Result>) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const task = await requestJson<Task<Result>>(`/api/tasks/${id}`, { signal });
    onTask(task);
    if (isOver(task)) return;
    await new Promise((resolve) => setTimeout(resolve, ASKED_MS));
  }
}
