import type { Guid } from "../base/index.js";
import type { TaskKind, TaskResult, TaskState } from "../contract/answer/index.js";

/** Who started a task; undefined for the command line. */
export interface TaskOwner {
  readonly id: Guid;
  readonly name: string;
}

/** A piece of long work as it is now. */
export interface Task {
  readonly id: Guid;
  readonly kind: TaskKind;
  readonly state: TaskState;
  readonly owner: TaskOwner | undefined;
  /** What is worked on, in a few words: `/dev/sdb`, `192.168.1.0/24`; empty if that is clear from the kind. */
  readonly subject: string;
  /** 0 to 1; undefined if it is not known. */
  readonly progress: number | undefined;
  /** What is being done, as text; empty if there is nothing to say. */
  readonly step: string;
  readonly startedUs: number;
  readonly endedUs: number | undefined;
  readonly canCancel: boolean;
  /** What it has found or made, also so far. */
  readonly result: TaskResult | null;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** What the work itself can say while it runs. */
export interface RunningTask {
  readonly id: Guid;
  /** Aborted when somebody cancels it, or the service stops. */
  readonly signal: AbortSignal;
  progress(part: number | undefined): void;
  step(text: string): void;
  /** Replaces the result so far. */
  result(value: TaskResult): void;
}

/** Work to be done. */
export interface TaskOrder {
  readonly kind: TaskKind;
  readonly owner: TaskOwner | undefined;
  readonly subject: string;
  readonly canCancel: boolean;
  /** Resolves when done. Rejects with NvrdError for a failure that its owner can read. */
  readonly run: (task: RunningTask) => Promise<void>;
  /** Notifies the owner's other resources, such as pictures, that the task is forgotten. */
  readonly onForgotten?: (id: Guid) => void;
}

/** Long work that is driven from elsewhere, such as an update of the whole system; undefined while there is none. */
export interface ObservedTask extends Omit<Task, "id" | "canCancel"> {
  /** Ends it; absent while it cannot be cancelled. */
  readonly cancel?: (() => void) | undefined;
}
