import type * as v from "valibot";
import {
  given,
  members,
  type Note,
  type RequestContext,
  readBody,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { FormatRequest, StorageWork } from "../../storage/index.js";
import type { ObservedTask, Task } from "../../task/index.js";
import { flagValue, PATH_NOTE, pathText, shortText } from "./input.js";
import type { TaskNeeds } from "./needs.js";
import { ownerOf, requireSenior, type StartableKind } from "./task-kind.js";

const formatMembers = {
  Device: shortText,
  Serial: shortText,
  Confirm: shortText,
  EraseFound: given(flagValue),
};
export const formatBody = members(formatMembers);
export const replaceBody = members({ Path: pathText, ...formatMembers });
const adoptBody = members({ Path: pathText, Confirm: given(shortText) });

export const FORMAT_NOTES: Readonly<Record<string, Note>> = {
  Device: "A whole disk: `/dev/sdb`.",
  Confirm: "The serial number repeated; the device name for a disk without one.",
  EraseFound: { default: false, description: "Erase existing data on the disk." },
};

export const FORMAT_KIND: StartableKind = {
  kind: "Format",
  access: "senior administrators",
  body: withNotes(schemaOfBody(formatBody), FORMAT_NOTES),
  start: async (context) => {
    requireSenior(context.principal);
    const request = formatRequest(readBody(formatBody, context.request.body));
    return begun(context, await context.needs.storage.format(request, ownerOf(context.principal)));
  },
};

export const REPLACE_KIND: StartableKind = {
  kind: "Replace",
  access: "senior administrators",
  body: withNotes(schemaOfBody(replaceBody), { Path: PATH_NOTE, ...FORMAT_NOTES }),
  start: async (context) => {
    requireSenior(context.principal);
    const body = readBody(replaceBody, context.request.body);
    const { storage } = context.needs;
    return begun(context, await storage.replace(body.Path, formatRequest(body), ownerOf(context.principal)));
  },
};

export const ADOPT_KIND: StartableKind = {
  kind: "Adopt",
  access: "senior administrators",
  body: withNotes(schemaOfBody(adoptBody), {
    Path: PATH_NOTE,
    Confirm: "The id of the volume known there, if it is a different one.",
  }),
  start: startAdopting,
};

export function formatRequest(body: v.InferOutput<typeof formatBody>): FormatRequest {
  const { Device, Serial, Confirm, EraseFound } = body;
  return { device: Device, serial: Serial, confirm: Confirm, eraseFound: EraseFound ?? false };
}

function startAdopting({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireSenior(principal);
  const { Path, Confirm } = readBody(adoptBody, request.body);
  const owner = ownerOf(principal);
  return needs.tasks.start({
    ...{ kind: "Adopt", owner, subject: Path, canCancel: false },
    run: async ({ result }) => {
      result({ VolumeId: await needs.storage.adopt(Path, Confirm ?? undefined, owner) });
    },
  });
}

/** The work on a disk, from wherever it was started, as a task. */
export function diskTask(work: StorageWork | undefined): ObservedTask | undefined {
  if (work === undefined) return undefined;
  const { action, state, by, device, step, startedUs, endedUs, directory, problem } = work;
  const isFailed = state === "failed";
  return {
    kind: action === "format" ? "Format" : "Replace",
    state: state === "running" ? "Running" : isFailed ? "Failed" : "Done",
    owner: by,
    subject: device,
    progress: state === "done" ? 1 : undefined,
    ...{ step, startedUs, endedUs },
    result: state === "done" ? { Path: directory ?? "", Problem: problem ?? null } : null,
    error: isFailed ? (problem ?? "it failed") : undefined,
  };
}

function begun({ needs }: RequestContext<TaskNeeds>, work: StorageWork): Task {
  const kind = work.action === "format" ? "Format" : "Replace";
  const task = needs.tasks.list().find((one) => one.kind === kind && one.startedUs === work.startedUs);
  if (task === undefined) throw new Error("the work on a disk is not listed");
  return task;
}
