import type { ArchiveFragment } from "../archive/index.js";
import { formatIsoTime, NvrdError } from "../base/index.js";
import { answerDocument, answerFormat } from "./answer.js";
import { archiveStreamKey, requireArchiveRight, requireChannelId } from "./channel-selection.js";
import { type Document, element, list, object } from "./description.js";
import type { EndpointResult, RequestContext } from "./services.js";

/** The namespace of this answer alone (wire-compat.md, section 5). */
const NAMESPACE = "http://www.macroscop.com";

/** GET /archivefragments: the runs of recording that overlap the interval, oldest first, not cut to it. */
export function getArchiveFragments(context: RequestContext): EndpointResult {
  const { services, request, principal } = context;
  const { query } = request;
  const camera = requireChannelId(query, services.site.current, principal);
  requireArchiveRight(principal, camera);
  const fromUs = query.requireTime("fromtime");
  const toUs = query.requireTime("totime");
  if (fromUs > toUs) throw new NvrdError("BAD_REQUEST", "fromtime is later than totime");
  const format = answerFormat(query);
  return answerDocument(
    fragmentsDocument(services.archive.fragments(archiveStreamKey(camera), fromUs, toUs)),
    format,
  );
}

function fragmentsDocument(fragments: readonly ArchiveFragment[]): Document {
  const items = fragments.map((fragment) =>
    object(
      element("Id", fragment.id),
      element("FromTime", formatIsoTime(fragment.fromUs)),
      element("ToTime", formatIsoTime(fragment.toUs)),
    ),
  );
  return {
    root: "ArchiveFragmentsList",
    namespace: NAMESPACE,
    content: object(element("Fragments", list("ArchiveFragment", items))),
  };
}
