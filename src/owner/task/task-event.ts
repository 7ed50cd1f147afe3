import { EVENT_TYPES, type EventInput } from "../../event/index.js";
import type { TaskNotice } from "../../task/index.js";

/** The event of a task's beginning or end, with its user. Not its result, which may be long. */
export function taskEvent({ task, what }: TaskNotice): EventInput {
  const { kind, subject, state, error, owner } = task;
  const name = subject === "" ? kind : `${kind} (${subject})`;
  const end = error === undefined ? state : `${state}: ${error}`;
  return {
    typeId: EVENT_TYPES[what === "begun" ? "taskStarted" : "taskEnded"].id,
    comment: what === "begun" ? name : `${name}: ${end}`,
    ...(owner === undefined ? {} : { initiator: { type: 1, id: owner.id, name: owner.name } }),
  };
}
