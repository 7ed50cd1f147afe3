import { NvrdError, US_PER_SECOND } from "../../base/index.js";
import { partAround, seenStill } from "../../compat/index.js";
import { FINDING_ID_PATTERN, findingPictureQuery } from "../../contract/query/index.js";
import type { Finding, FindingBest, FindingBox } from "../../finding/index.js";
import type { Answer } from "../../http/index.js";
import { INDEX_IS_OPENING, RECORDED_HINT, requireIndex } from "../../player/index.js";
import {
  answerPicture,
  describeQuery,
  NO_PICTURE_TEXT,
  type RequestContext,
  type Route,
  type RouteRight,
  readQuery,
  untilGone,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { visibleStreams } from "../timeline/index.js";
import { askedFinding } from "./finding-object.js";
import type { AnalysisNeeds } from "./object-trials.js";

/** How far the recording may be from the moment: a camera's message comes a moment before, or after, what is recorded on it. */
const NEAR_US_MAX = 3 * US_PER_SECOND;
/** A finding does not change once it is over, nor does what was recorded of it. */
const KEPT_SECONDS = 86_400;
/** What was seen just now may not be recorded yet, so that the picture is one before. */
const SETTLED_US = 30 * US_PER_SECOND;
/** What is left around the thing, as a part of its sides. */
const MARGIN = 0.25;

const RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "only the main stream is recorded" },
];

export const FINDING_PICTURE_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/findings/{id}/picture",
  login: "user",
  rights: RIGHTS,

  describe: {
    topic: "analysis",
    summary: "Returns the best picture of a finding",
    access: "The channel must be one whose archive the user may see.",
    text: [
      "Made from the recording of the moment at which it was seen best, and cut to where it was, with a margin; the whole picture where nobody said where. Nothing is kept beside the recording: where nothing was recorded then, there is no picture.",
    ],
    parameters: describeQuery(findingPictureQuery),
    pathValues: { id: "`Id` of [`/api/findings`](#get-apifindings)." },
    pathSchemas: { id: { type: "string", pattern: FINDING_ID_PATTERN } },
    answer: { text: "The JPEG (JFIF).", content: { "image/jpeg": { type: "string", format: "binary" } } },
    errors: {
      204: NO_PICTURE_TEXT,
      404: "There is no such finding, or nothing was recorded at that moment.",
      503: `The picture cannot be made, as for \`/site\`. ${INDEX_IS_OPENING}`,
    },
    example: [
      "# Where nothing with this id was seen: 404.",
      'curl -fu "$AUTH" "$NVRD/api/findings/$CHANNEL-1795251600000000/picture?size=640" --output finding.jpg',
    ],
  },
  /** GET /api/findings/{id}/picture */
  async endpoint(context) {
    const { request, response } = context;
    const { size, whole, time, optional } = readQuery(request.query, findingPictureQuery);
    const { finding, camera } = await askedFinding(context);
    const { timeUs: atUs, box } = momentOf(finding, time);
    const part = whole || box === undefined ? undefined : partAround(box, MARGIN);
    return await answerPicture(response, optional, async () => {
      const jpeg = await makePicture(context, camera, { atUs, part, size });
      const isKept = !finding.isLasting && context.needs.clock.nowUs() - atUs > SETTLED_US;
      return answerJpeg(jpeg, isKept);
    });
  },
};

function answerJpeg(body: Uint8Array, isKept: boolean): Answer {
  const caching = isKept ? `private, max-age=${KEPT_SECONDS}` : "private, no-cache";
  const headers = [
    ["Content-Type", "image/jpeg"],
    ["Cache-Control", caching],
    ["Vary", "Authorization, Cookie"],
  ] as const;
  return { status: 200, headers, body };
}

interface WantedPicture {
  readonly atUs: number;
  readonly part: FindingBox | undefined;
  readonly size: number;
}

/** Where something is cut out, of the largest stream that shows it; else of the smallest. */
async function makePicture(
  context: RequestContext<AnalysisNeeds>,
  camera: Camera,
  { atUs, part, size }: WantedPicture,
): Promise<Uint8Array> {
  const { needs, principal } = context;
  const visible = visibleStreams(principal, camera).map(({ streamType, rotation }) => ({
    ...{ key: { channelId: camera.id, streamType }, rotation },
  }));
  const streams = part === undefined ? visible : visible.reverse();
  const seen = { streams, atUs, part, side: size, offUsMax: NEAR_US_MAX };
  const jpeg = await seenStill(needs, seen, untilGone(context));
  if (jpeg !== undefined) return jpeg;
  requireIndex(needs.archive, atUs - NEAR_US_MAX);
  throw new NvrdError("NOT_FOUND", `nothing was recorded of channel ${camera.name} when it was seen`, {
    hint: RECORDED_HINT,
  });
}

/** What is shown: the moment that was asked for, otherwise the best one. */
function momentOf({ best, beginUs, seenUs, path }: Finding, time: number | undefined): FindingBest {
  if (time === undefined) return best ?? { timeUs: beginUs, box: undefined };
  const timeUs = Math.min(Math.max(time, beginUs), seenUs);
  const moments = [...path, ...(best === undefined ? [] : [best])];
  const off = (moment: FindingBest): number => Math.abs(moment.timeUs - timeUs);
  return { timeUs, box: moments.toSorted((one, other) => off(one) - off(other))[0]?.box };
}
