import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { type ExportRequest, fileNameOf, readExportRequest, refusedExport } from "../../compat/index.js";
import { streamType } from "../../contract/query/index.js";
import { Query } from "../../http/index.js";
import { isStillThere } from "../../player/index.js";
import {
  choice,
  GUID,
  given,
  meaning,
  members,
  type RequestContext,
  readBody,
  schemaOfBody,
  TIME,
  withNotes,
} from "../../route/index.js";
import type { RunningTask, Task } from "../../task/index.js";
import { MovieMaking, PICTURE_FORMS, type PictureForm } from "../file/index.js";
import { exportQueryOf } from "./export-query.js";
import { flagValue, shortText } from "./input.js";
import type { TaskNeeds } from "./needs.js";
import { ownerOf, type StartableKind } from "./task-kind.js";

const saveBody = members({
  ChannelId: shortText,
  FromTime: shortText,
  ToTime: shortText,
  StreamType: given(shortText),
  Sound: given(flagValue),
  Pictures: given(v.picklist(PICTURE_FORMS, `accepted: one of ${PICTURE_FORMS.join(", ")}`)),
});

export const SAVE_FILE_KIND: StartableKind = {
  kind: "SaveFile",
  access: "users who may export the channel's recordings (`CanUseArchiveExport`)",
  body: withNotes(schemaOfBody(saveBody), {
    ChannelId: GUID,
    FromTime: meaning("As `fromtime` of [`GET /exportarchive`](#get-exportarchive).", TIME),
    ToTime: meaning("As `totime` there.", TIME),
    StreamType: choice(streamType.of),
    Sound: { description: "With the sound, as AAC." },
    Pictures: meaning(
      "`H264` (the default): what is not H.264 of one size is converted, and scaled into 1920x1080. `AsRecorded`: they stay as they are, where all are of one codec.",
      choice(PICTURE_FORMS),
    ),
  }),
  start: startSaving,
};

/**
 * Makes a file that plays everywhere, and keeps it: one file at a time, when nothing else waits for the codec. It ends when its user
 * has left or may no longer export the channel.
 */
function startSaving(context: RequestContext<TaskNeeds>): Task {
  const { needs, request, principal } = context;
  const { Pictures, ...body } = readBody(saveBody, request.body);
  const wanted = readExportRequest(new Query(exportQueryOf(body)), { needs, principal });
  needs.files.requireRoom(principal.user.id);
  return needs.tasks.start({
    ...{ kind: "SaveFile", owner: ownerOf(principal), subject: wanted.channelName, canCancel: true },
    run: async (task) => {
      const allowed = whileAllowed(context, wanted);
      try {
        await save(
          context,
          { wanted, pictures: Pictures ?? "H264" },
          { ...task, signal: allowed.with(task.signal) },
        );
      } catch (error) {
        if (!allowed.hasEnded()) throw error;
        throw new NvrdError("FORBIDDEN", "who wanted it has left, or may not have it any more");
      } finally {
        allowed.forget();
      }
    },
  });
}

async function save(
  { needs, principal: { user } }: RequestContext<TaskNeeds>,
  { wanted, pictures }: { readonly wanted: ExportRequest; readonly pictures: PictureForm },
  { signal, progress, result }: RunningTask,
): Promise<void> {
  const plan = await needs.exports.plan(wanted, { goesOn: false, gone: signal });
  const { of, channelName, sound } = wanted;
  const { stretches, streamTypes } = plan;
  const name = fileNameOf(plan);
  const about = {
    ...{ ownerId: user.id, ownerName: user.name, channelId: of.channelId, channelName, name, sound },
    ...{ streamTypes: [...streamTypes], fromUs: stretches[0]?.fromUs ?? wanted.fromUs },
    toUs: stretches.at(-1)?.toUs ?? wanted.toUs,
  };
  const file = await needs.files.add(about, (sink) => {
    const making = new MovieMaking(plan, {
      ...{ recordings: needs.archive, codec: needs.fileCodec, pictures, sink, signal },
      clock: needs.clock,
      onProgress: progress,
      onExpected: async (bytes) => {
        result({ Id: null, Name: name, Bytes: bytes });
        await sink.requireRoom(bytes);
      },
    });
    return making.make();
  });
  result({ Id: file.id, Name: name, Bytes: file.headBytes + file.mediaBytes });
}

/** Looks whether the user is still there, and may still export the channel; waiting in line may have taken long. */
function whileAllowed({ needs, credentials }: RequestContext<TaskNeeds>, { of, sound }: ExportRequest) {
  const ended = new AbortController();
  const forget = needs.openStreams.add({
    credentials,
    mayContinue: (principal) =>
      principal.maySee(of.channelId) &&
      refusedExport(principal, { of, sound }) === undefined &&
      isStillThere(needs, of.channelId),
    end: () => ended.abort(),
  });
  needs.openStreams.recheckSoon();
  return {
    forget,
    hasEnded: () => ended.signal.aborted,
    with: (signal: AbortSignal) => AbortSignal.any([signal, ended.signal]),
  };
}
