import type { ArchiveFragment } from "../../archive/index.js";
import { formatIsoTime, NvrdError } from "../../base/index.js";
import {
  answerFormat,
  answerList,
  archiveStreamKey,
  type Description,
  type Document,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
  requireArchiveRight,
  requireChannelId,
  requireIndex,
  type Scalar,
} from "../route/index.js";
import type { ArchiveNeeds } from "./needs.js";

/** The namespace of this answer alone. */
const NAMESPACE = "http://www.macroscop.com";

/**
 * GET /archivefragments: the runs of recording that overlap the interval, both its ends included, oldest first, not cut
 * to it. A month of recording on motion is thousands of them, so the answer is made while it is sent.
 */
export function getArchiveFragments(
  context: RequestContext<ArchiveNeeds>,
): EndpointResult | Promise<EndpointResult> {
  const { needs, request, principal } = context;
  const { query } = request;
  const camera = requireChannelId(query, needs.site.current, principal);
  requireArchiveRight(principal, camera);
  const fromUs = query.requireTime("fromtime");
  const toUs = query.requireTime("totime");
  if (fromUs > toUs) throw new NvrdError("BAD_REQUEST", "fromtime is later than totime");
  const format = answerFormat(query);
  const items = needs.archive.fragments(archiveStreamKey(query, camera), fromUs, toUs + 1);
  if (items.length === 0) requireIndex(needs.archive);
  const itemName = "ArchiveFragment";
  return answerList(
    context,
    { items, itemName, describe: describeFragment, make: fragmentsDocument },
    format,
  );
}

function describeFragment(fragment: ArchiveFragment): Description {
  return object(
    element("Id", fragment.id),
    element("FromTime", formatIsoTime(fragment.fromUs)),
    element("ToTime", formatIsoTime(fragment.toUs)),
  );
}

function fragmentsDocument(items: readonly (Description | Scalar)[]): Document {
  return {
    root: "ArchiveFragmentsList",
    namespace: NAMESPACE,
    content: object(element("Fragments", list("ArchiveFragment", items))),
  };
}
