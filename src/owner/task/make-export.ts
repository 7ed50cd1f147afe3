import { createHash } from "node:crypto";
import * as v from "valibot";
import { readExportRequest } from "../../compat/index.js";
import { streamType } from "../../contract/query/index.js";
import { Query } from "../../http/index.js";
import {
  choice,
  GUID,
  given,
  meaning,
  members,
  type RequestContext,
  range,
  readBody,
  schemaOfBody,
  TIME,
  withNotes,
} from "../../route/index.js";
import type { Task } from "../../task/index.js";
import { exportQueryOf } from "./export-query.js";
import { flagValue, shortText } from "./input.js";
import { ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const PARTS_MAX = 9999;

const exportBody = members({
  ChannelId: shortText,
  FromTime: shortText,
  ToTime: shortText,
  StreamType: given(shortText),
  Sound: given(flagValue),
  Part: given(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PARTS_MAX))),
});

export const EXPORT_KIND: StartableKind = {
  kind: "Export",
  access: "users who may export the channel's recordings (`CanUseArchiveExport`)",
  body: withNotes(schemaOfBody(exportBody), {
    ChannelId: GUID,
    FromTime: meaning("As `fromtime` of [`GET /exportarchive`](#get-exportarchive).", TIME),
    ToTime: meaning("As `totime` there.", TIME),
    StreamType: choice(streamType.of),
    Part: range(1, PARTS_MAX, "integer"),
  }),
  start: startExport,
};

/** Reads all that an MP4 file of an interval is made of, so that its download is sure to be whole, and computes its digest. */
function startExport({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  const body = readBody(exportBody, request.body);
  const query = exportQueryOf(body);
  const wanted = readExportRequest(new Query(query), { needs, principal });
  const { exports, tasks } = needs;
  return tasks.start({
    ...{ kind: "Export", owner: ownerOf(principal), subject: wanted.channelName, canCancel: true },
    run: async ({ signal, progress, result }) => {
      const free = await exports.takePlace(principal.user.id);
      try {
        const plan = await exports.plan(wanted, { goesOn: true });
        const bytes = plan.layout.byteLength;
        const hash = createHash("sha256");
        let done = 0;
        for await (const pieces of exports.bytes(plan).read({ from: 0, to: bytes })) {
          if (signal.aborted) return;
          for (const piece of pieces) {
            hash.update(piece);
            done += piece.byteLength;
          }
          progress(done / bytes);
        }
        const sha256 = hash.digest("hex");
        exports.keepDigest(plan, sha256);
        result({ Url: `/exportarchive?${query}`, Bytes: bytes, Sha256: sha256, ETag: plan.etag });
      } finally {
        free();
      }
    },
  });
}
