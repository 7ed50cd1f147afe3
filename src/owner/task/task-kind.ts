import type { Principal } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import type { TaskKind } from "../../contract/answer/index.js";
import type { Group } from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { type JsonSchema, type RequestContext, schemaOfBody, withNotes } from "../../route/index.js";
import type { Task, TaskOwner } from "../../task/index.js";
import type { TaskNeeds } from "./needs.js";

/** How a kind of task is started. */
export interface StartableKind {
  readonly kind: TaskKind;
  /** The body besides `Kind`. */
  readonly body: JsonSchema;
  /** Who may start it, in words. */
  readonly access: string;
  readonly start: (context: RequestContext<TaskNeeds>) => Task | Promise<Task>;
}

/** The description of a body that starts work. */
export function bodyOfOrder(order: Group, texts: Parameters<typeof notesOf>[1]): JsonSchema {
  return withNotes(schemaOfBody(readerOfValue(order)), notesOf(order.members, texts));
}

export function ownerOf({ user }: Principal): TaskOwner {
  return { id: user.id, name: user.name };
}

/** Administrators see all tasks, others their own. */
export function maySee({ user, group }: Principal, task: Task): boolean {
  return group.seniorAdministrators || task.owner?.id === user.id;
}

/** Throws NvrdError FORBIDDEN unless the user is a senior administrator. */
export function requireSenior({ group }: Principal): void {
  if (group.seniorAdministrators) return;
  throw new NvrdError("FORBIDDEN", "this is for the group of senior administrators");
}
