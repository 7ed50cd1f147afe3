import { formatIsoTime } from "../../base/index.js";
import { commandQuery } from "../../contract/query/index.js";
import { requireKnown } from "../../player/index.js";
import {
  answerCommand,
  archiveKey,
  type EndpointResult,
  element,
  object,
  type RequestContext,
  requireArchiveRight,
  requireParameter,
  requireRecordedChannel,
  sayLack,
} from "../../route/index.js";
import type { ArchiveNeeds } from "./get-archivefragments.js";

/**
 * /command?type=findarchive: whether `searchtime` lies in a recorded fragment, and the recorded key frame nearest
 * to it; the latter null when it does not.
 */
export function findArchive(context: RequestContext<ArchiveNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const channelId = requireParameter(request.query, commandQuery, "channelid");
  const camera = requireRecordedChannel(channelId, needs, principal);
  requireArchiveRight(principal, camera);
  const timeUs = requireParameter(request.query, commandQuery, "searchtime");
  const key = archiveKey(request.query, camera);
  requireKnown(needs.archive, key, timeUs);
  sayLack(context);
  const nearestUs = needs.archive.hasArchiveAt(key, timeUs)
    ? needs.archive.nearestFrameUs(key, timeUs)
    : undefined;
  const content = object(
    element("HasArchive", nearestUs !== undefined),
    element("NearestFrameTimestamp", nearestUs === undefined ? null : formatIsoTime(nearestUs)),
  );
  const accept = request.header("accept");
  return answerCommand(
    { root: "CheckArchiveResult", content },
    { query: request.query, accept },
    needs.clock.nowUs(),
  );
}
