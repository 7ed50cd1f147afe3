import { NvrdError } from "../../base/index.js";
import {
  type ExportPlan,
  type ExportRequest,
  fileNameOf,
  readExportRequest,
  refusedExport,
} from "../../compat/index.js";
import { saveFileOrder, saveFileOrderTexts } from "../../contract/answer/index.js";
import { streamType } from "../../contract/query/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { Query } from "../../http/index.js";
import { isStillThere } from "../../player/index.js";
import { choice, meaning, type RequestContext, readBody, TIME, withNotes } from "../../route/index.js";
import type { RunningTask, Task } from "../../task/index.js";
import {
  type FileToSave,
  GridMaking,
  type MovieEdits,
  MovieMaking,
  type MovieMakingOptions,
  type SavedPart,
} from "../file/index.js";
import { exportQueryOf } from "./export-query.js";
import { bodyOfOrder, ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const saveBody = readerOfValue(saveFileOrder);

export const SAVE_FILE_KIND: StartableKind = {
  kind: "SaveFile",
  access: "users who may export the channel's recordings (`CanUseArchiveExport`)",
  body: withNotes(bodyOfOrder(saveFileOrder, saveFileOrderTexts), {
    FromTime: meaning(saveFileOrderTexts.FromTime, TIME),
    ToTime: meaning(saveFileOrderTexts.ToTime, TIME),
    StreamType: meaning(saveFileOrderTexts.StreamType, choice(streamType.of)),
  }),
  start: startSaving,
};

/** What is wanted: of one channel, or of several in one picture. */
interface FileOrder {
  readonly wanted: readonly ExportRequest[];
  readonly edits: MovieEdits;
}

/**
 * Makes a file that plays everywhere, and keeps it: one file at a time, when nothing else waits for the codec. It ends when its user
 * has left or may no longer export one of the channels.
 */
function startSaving(context: RequestContext<TaskNeeds>): Task {
  const { needs, principal } = context;
  const order = readOrder(context);
  needs.files.requireRoom(principal.user.id);
  return needs.tasks.start({
    ...{ kind: "SaveFile", owner: ownerOf(principal), subject: namesOf(order.wanted), canCancel: true },
    run: async (task) => {
      const allowed = whileAllowed(context, order.wanted);
      try {
        await save(context, order, { ...task, signal: allowed.with(task.signal) });
      } catch (error) {
        if (!allowed.hasEnded()) throw error;
        throw new NvrdError("FORBIDDEN", "who wanted it has left, or may not have it any more");
      } finally {
        allowed.forget();
      }
    },
  });
}

/** Throws NvrdError. */
function readOrder({ needs, request, principal }: RequestContext<TaskNeeds>): FileOrder {
  const body = readBody(saveBody, request.body);
  const [pictures, showTime, speed] = [body.Pictures ?? "H264", body.ShowTime ?? false, body.Speed ?? 1];
  const ids = [body.ChannelId, ...(body.WithChannelIds ?? [])];
  const isOne = ids.length === 1;
  if (pictures === "AsRecorded" && !(isOne && !showTime && speed === 1))
    throw new NvrdError(
      "BAD_REQUEST",
      "Pictures: those that stay AsRecorded have no time written into them, no other Speed and no other pictures beside them",
      { hint: "leave Pictures out" },
    );
  const wanted = ids.map((id) =>
    readExportRequest(new Query(exportQueryOf({ ...body, ChannelId: id, Sound: isOne && body.Sound })), {
      needs,
      principal,
    }),
  );
  if (new Set(wanted.map(({ of }) => of.channelId)).size < wanted.length)
    throw new NvrdError("BAD_REQUEST", "WithChannelIds: a channel is named twice", {
      hint: "name each channel once",
    });
  return { wanted, edits: { pictures, showTime, speed } };
}

async function save(
  { needs, principal: { user } }: RequestContext<TaskNeeds>,
  { wanted, edits }: FileOrder,
  { signal, progress, result }: RunningTask,
): Promise<void> {
  const members: { readonly name: string; readonly plan: ExportPlan | undefined }[] = [];
  for (const request of wanted) {
    const plan = await planOf(needs, request, { signal, isAlone: wanted.length === 1 });
    members.push({ name: request.channelName, plan });
  }
  const plans = members.flatMap(({ plan }) => plan ?? []);
  const about = aboutFile(plans, { wanted, edits, ownerId: user.id, ownerName: user.name });
  const file = await needs.files.add(about, (sink) => {
    const options: MovieMakingOptions = {
      ...{ recordings: needs.archive, codec: needs.fileCodec, texts: needs.texts, clock: needs.clock },
      ...{ edits, sink, signal, onProgress: progress },
      onExpected: async (bytes) => {
        result({ Id: null, Name: about.name, Bytes: bytes });
        await sink.requireRoom(bytes);
      },
    };
    const [plan] = plans;
    const isOne = plan !== undefined && wanted.length === 1;
    return isOne ? new MovieMaking(plan, options).make() : new GridMaking(members, options).make();
  });
  result({ Id: file.id, Name: about.name, Bytes: file.headBytes + file.mediaBytes });
}

/** Undefined: nothing is recorded of a channel beside others. Rejects with NvrdError. */
async function planOf(
  { exports }: TaskNeeds,
  request: ExportRequest,
  { signal, isAlone }: { readonly signal: AbortSignal; readonly isAlone: boolean },
): Promise<ExportPlan | undefined> {
  try {
    return await exports.plan(request, { goesOn: false, gone: signal });
  } catch (error) {
    if (!isAlone && error instanceof NvrdError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Throws NvrdError NOT_FOUND where nothing is recorded of any channel. */
function aboutFile(
  plans: readonly ExportPlan[],
  { wanted, edits, ...owner }: FileOrder & Pick<FileToSave, "ownerId" | "ownerName">,
): FileToSave {
  const [first, ...others] = wanted.map((request): SavedPart => {
    const { channelId } = request.of;
    const plan = plans.find((one) => one.request === request);
    return { channelId, channelName: request.channelName, streamTypes: [...(plan?.streamTypes ?? [])] };
  });
  const stretches = plans.flatMap((plan) => [...plan.stretches]);
  const request = wanted[0];
  if (first === undefined || request === undefined || stretches.length === 0)
    throw new NvrdError("NOT_FOUND", "nothing is recorded of these channels in this time");
  const partsCount = wanted.length === 1 ? (plans[0]?.partsCount ?? 1) : 1;
  const name = fileNameOf({ request: { ...request, channelName: namesOf(wanted) }, partsCount });
  return {
    ...{ ...owner, ...first, others, speed: edits.speed, sound: request.sound },
    name: edits.speed === 1 ? name : `${name} x${edits.speed}`,
    fromUs: Math.min(...stretches.map(({ fromUs }) => fromUs)),
    toUs: Math.max(...stretches.map(({ toUs }) => toUs)),
  };
}

function namesOf(wanted: readonly ExportRequest[]): string {
  return wanted.map(({ channelName }) => channelName).join(", ");
}

/** Looks whether the user is still there, and may still export the channels; waiting in line may have taken long. */
function whileAllowed({ needs, credentials }: RequestContext<TaskNeeds>, wanted: readonly ExportRequest[]) {
  const ended = new AbortController();
  const forget = needs.openStreams.add({
    credentials,
    mayContinue: (principal) =>
      wanted.every(
        ({ of, sound }) =>
          principal.maySee(of.channelId) &&
          refusedExport(principal, { of, sound }) === undefined &&
          isStillThere(needs, of.channelId),
      ),
    end: () => ended.abort(),
  });
  needs.openStreams.recheckSoon();
  return {
    forget,
    hasEnded: () => ended.signal.aborted,
    with: (signal: AbortSignal) => AbortSignal.any([signal, ended.signal]),
  };
}
