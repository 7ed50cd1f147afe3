import { setTimeout } from "node:timers/promises";
import * as v from "valibot";
import type { Archive } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";
import type { StorageControl } from "../../box/storage/index.js";
import type { ControlCall, ControlServer } from "../../host/control/index.js";

/** `nvrd volume` on the control socket: the requests and the answers. */

const volumeEntry = v.object({
  directory: v.string(),
  volumeId: v.nullable(v.string()),
  state: v.picklist(["in use", "retired", "left out", "not running"]),
  reason: v.string(),
  freeBytes: v.nullable(v.number()),
});
export const volumeList = v.array(volumeEntry);
export type VolumeEntry = v.InferOutput<typeof volumeEntry>;

const pathText = v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096));
const adoptArguments = v.object({ path: pathText });
const retireArguments = v.object({ path: pathText, retired: v.boolean() });
const forgetArguments = v.object({ path: pathText, confirm: v.pipe(v.string(), v.maxLength(4096)) });
const moveArguments = v.object({ path: pathText, stop: v.boolean() });
export const moveAnswer = v.object({
  moved: v.number(),
  left: v.number(),
  unreadable: v.array(v.string()),
  reason: v.nullable(v.string()),
});
export const doneAnswer = v.object({ done: v.literal(true) });
export const adoptAnswer = v.object({ volumeId: v.string() });

const FOLLOW_MS = 500;

/** Registers the commands on the control socket. */
export function registerVolumeCommands(
  control: ControlServer,
  archive: Archive,
  storage: StorageControl,
): void {
  control.register("volumes", async () => entriesOf(archive));
  control.register("adopt-volume", async (call: ControlCall) => {
    const given = v.safeParse(adoptArguments, call.arguments);
    if (!given.success) throw new NvrdError("BAD_REQUEST", "adopt-volume requires a path");
    return { volumeId: await archive.adoptVolume(given.output.path) };
  });
  control.register("retire-volume", async (call: ControlCall) => {
    const given = v.safeParse(retireArguments, call.arguments);
    if (!given.success) throw new NvrdError("BAD_REQUEST", "retire-volume requires a path and retired");
    await storage.retire(given.output.path, given.output.retired, undefined);
    return { done: true };
  });
  control.register("move-volume", async (call: ControlCall) => {
    const given = v.safeParse(moveArguments, call.arguments);
    if (!given.success) throw new NvrdError("BAD_REQUEST", "move-volume requires a path and stop");
    const { path, stop } = given.output;
    if (stop) storage.cancelMove();
    else if (storage.move?.state !== "running" || storage.move.directory !== path)
      await storage.beginMove(path, undefined);
    return await moveEnded(storage, call);
  });
  control.register("forget-volume", async (call: ControlCall) => {
    const given = v.safeParse(forgetArguments, call.arguments);
    if (!given.success) throw new NvrdError("BAD_REQUEST", "forget-volume requires a path and confirm");
    await storage.forget(given.output.path, given.output.confirm, undefined);
    return { done: true };
  });
}

function entriesOf(archive: Archive): VolumeEntry[] {
  const absent = new Map(archive.absentVolumes().map(({ directory, reason }) => [directory, reason]));
  return archive.overload().volumes.map(({ directory, volumeId, freeBytes, isRetired }) => ({
    directory,
    volumeId: volumeId ?? archive.volumeIdAt(directory) ?? null,
    state: isRetired ? "retired" : absent.has(directory) ? "left out" : "in use",
    reason: absent.get(directory) ?? "",
    freeBytes: volumeId === undefined ? null : freeBytes,
  }));
}

/** Follows the move to its end, or until the client leaves. Rejects with why it failed. */
async function moveEnded(
  storage: StorageControl,
  { progress, signal }: ControlCall,
): Promise<v.InferOutput<typeof moveAnswer>> {
  while (storage.move?.state === "running" && !signal.aborted) {
    const { moved = 0, left = 0 } = storage.move.progress ?? {};
    progress(`${moved} segments moved, ${left} left`);
    await setTimeout(FOLLOW_MS);
  }
  const { move } = storage;
  if (move === undefined) throw new NvrdError("CONFLICT", "no recordings are being moved");
  if (move.state === "failed") throw new NvrdError("NOT_AVAILABLE", move.problem ?? "it failed");
  const { moved = 0, left = 0 } = move.result ?? move.progress ?? {};
  return {
    moved,
    left,
    unreadable: [...(move.result?.unreadable ?? [])],
    reason: move.result?.reason ?? null,
  };
}
