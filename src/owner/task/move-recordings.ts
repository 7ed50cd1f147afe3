import type { StorageControl } from "../../box/storage/index.js";
import { moveOrder, moveOrderTexts } from "../../contract/answer/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { readBody } from "../../route/index.js";
import type { ObservedTask } from "../../task/index.js";
import { bodyOfOrder, ownerOf, requireSenior, type StartableKind } from "./task-kind.js";

const moveBody = readerOfValue(moveOrder);

export const MOVE_KIND: StartableKind = {
  kind: "Move",
  access: "senior administrators",
  body: bodyOfOrder(moveOrder, moveOrderTexts),
  start: async ({ needs, request, principal }) => {
    requireSenior(principal);
    const { Path } = readBody(moveBody, request.body);
    const { startedUs } = await needs.storage.beginMove(Path, ownerOf(principal));
    const task = needs.tasks.list().find((one) => one.kind === "Move" && one.startedUs === startedUs);
    if (task === undefined) throw new Error("the move is not listed");
    return task;
  },
};

const STATES = { running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled" } as const;

/** The move of recordings off a retired volume, whoever started it, as a task. */
export function moveTask(storage: Pick<StorageControl, "move" | "cancelMove">): ObservedTask | undefined {
  const { move } = storage;
  if (move === undefined) return undefined;
  const { state, by, directory, startedUs, endedUs, progress, result, problem } = move;
  const { moved = 0, movedBytes = 0, left = 0, leftBytes = 0 } = result ?? progress ?? {};
  const all = movedBytes + leftBytes;
  return {
    kind: "Move",
    state: STATES[state],
    owner: by ?? undefined,
    subject: directory,
    progress: state === "done" ? 1 : all === 0 ? undefined : movedBytes / all,
    step: state === "running" ? `${moved} moved, ${left} left` : "",
    ...{ startedUs, endedUs },
    result: {
      ...{ Path: directory, Moved: moved, MovedBytes: movedBytes, Left: left, LeftBytes: leftBytes },
      ...{ Unreadable: result?.unreadable ?? [], Reason: result?.reason ?? null },
    },
    error: problem,
    ...(state === "running" ? { cancel: () => storage.cancelMove() } : {}),
  };
}
