import type * as v from "valibot";
import type { FormatRequest, StorageWork } from "../../box/storage/index.js";
import {
  adoptOrder,
  adoptOrderTexts,
  formatOrder,
  formatOrderTexts,
  replaceOrder,
  replaceOrderTexts,
} from "../../contract/answer/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { type RequestContext, readBody } from "../../route/index.js";
import type { ObservedTask, Task } from "../../task/index.js";
import { bodyOfOrder, ownerOf, requireSenior, type StartableKind, type TaskNeeds } from "./task-kind.js";

export const formatBody = readerOfValue(formatOrder);
export const replaceBody = readerOfValue(replaceOrder);
const adoptBody = readerOfValue(adoptOrder);

export const FORMAT_KIND: StartableKind = {
  kind: "Format",
  access: "senior administrators",
  body: bodyOfOrder(formatOrder, formatOrderTexts),
  start: async (context) => {
    requireSenior(context.principal);
    const request = formatRequest(readBody(formatBody, context.request.body));
    return begun(context, await context.needs.storage.format(request, ownerOf(context.principal)));
  },
};

export const REPLACE_KIND: StartableKind = {
  kind: "Replace",
  access: "senior administrators",
  body: bodyOfOrder(replaceOrder, replaceOrderTexts),
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
  body: bodyOfOrder(adoptOrder, adoptOrderTexts),
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
