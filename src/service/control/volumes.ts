import * as v from "valibot";
import type { Archive } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";
import type { ControlCall, ControlServer } from "../../control/index.js";
import type { StorageControl } from "../../storage/index.js";

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
export const doneAnswer = v.object({ done: v.literal(true) });
export const adoptAnswer = v.object({ volumeId: v.string() });

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
