import { type ArchiveAccess, type ArchiveFragment, fragmentOrigin } from "../../archive/index.js";
import { type Clock, formatIsoTime, NvrdError } from "../../base/index.js";
import { fragmentsQuery } from "../../contract/query/index.js";
import { INDEX_IS_OPENING, requireIndex } from "../../player/index.js";
import {
  answerFormat,
  answerList,
  archiveKey,
  bothAnswer,
  choice,
  type Description,
  type Document,
  describeQuery,
  element,
  GUID,
  ISO_TIME,
  list,
  listOf,
  meaning,
  type OpenStreams,
  object,
  objectOf,
  type Route,
  readParameter,
  requireArchiveRight,
  requireRecordedChannel,
  sayLack,
} from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface ArchiveNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

export const FRAGMENTS_ROUTE: Route<ArchiveNeeds> = {
  method: "GET",
  path: "/archivefragments",
  login: "user",

  describe: {
    topic: "archive",
    summary: "Lists the runs of recording that overlap an interval, oldest first",
    access: "The channel must be allowed in the archive.",
    text: [
      "The interval includes both its ends, and fragments are not cut to it. If `fromtime` and `totime` are equal, the fragment that contains this time is returned; `fromtime` later than `totime` is 400. The newest fragment ends at the last recorded frame.",
      "",
      "All that is recorded of the channel is listed, also what was recorded before another stream was given the archive. Where one stream takes over from another without a gap, the fragment of the later one begins where that of the earlier one ends. With `streamtype`, an addition of nvrd's, only what is recorded of that stream is listed.",
      "",
      "More than 250 fragments are sent in chunks, as they are read. Such an answer is closed when the client takes more than 5 minutes for it, or when the user's rights change meanwhile.",
    ],
    parameters: describeQuery(fragmentsQuery),
    answer: bothAnswer(
      objectOf({
        Fragments: listOf(
          objectOf(
            {
              ...{ Id: GUID, FromTime: ISO_TIME, ToTime: meaning("Later than `FromTime`.", ISO_TIME) },
              Origin: meaning(
                "`Camera`: the camera kept it, and it was fetched later into a gap. Absent for what was recorded live. An addition of nvrd's.",
                choice(["Camera"]),
              ),
            },
            ["Id", "FromTime", "ToTime"],
          ),
        ),
      }),
      "The fragments.",
    ),
    errors: { 404: "There is no such channel or stream.", 503: INDEX_IS_OPENING },
    example: [
      'curl -fu "$AUTH" "$NVRD/archivefragments?channelid=$CHANNEL&fromtime=$FROM&totime=$TO&responsetype=json"',
    ],
  },
  /**
   * GET /archivefragments: the runs of recording that overlap the interval, both its ends included, oldest first, not cut
   * to it. A month of recording on motion has thousands of them, so the answer is generated while it is sent.
   */
  endpoint(context) {
    const { needs, request, principal } = context;
    const { query } = request;
    const channelId = readParameter(query, fragmentsQuery, "channelid");
    const camera = requireRecordedChannel(channelId, needs, principal);
    requireArchiveRight(principal, camera);
    const fromUs = readParameter(query, fragmentsQuery, "fromtime");
    const toUs = readParameter(query, fragmentsQuery, "totime");
    if (fromUs > toUs) throw new NvrdError("BAD_REQUEST", "fromtime is later than totime");
    const format = answerFormat(query);
    const key = archiveKey(query, camera);
    requireIndex(needs.archive, fromUs);
    sayLack(context);
    const items = needs.archive.fragments(key, fromUs, toUs + 1);
    return answerList(context, { items, describe: describeFragment, make: fragmentsDocument }, format);
  },
};

/** The namespace used only in this answer. */
const NAMESPACE = "http://www.macroscop.com";

function describeFragment(fragment: ArchiveFragment): Description {
  return object(
    element("Id", fragment.id),
    element("FromTime", formatIsoTime(fragment.fromUs)),
    element("ToTime", formatIsoTime(fragment.toUs)),
    ...(fragmentOrigin(fragment.id) === "camera" ? [element("Origin", "Camera")] : []),
  );
}

function fragmentsDocument(items: Iterable<Description>): Document {
  return {
    root: "ArchiveFragmentsList",
    namespace: NAMESPACE,
    content: object(element("Fragments", list("ArchiveFragment", items))),
  };
}
